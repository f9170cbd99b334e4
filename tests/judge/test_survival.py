"""Whatever a file does, the judge gives a verdict that is not a pass, and grades the next file correctly."""

import os
import time
from pathlib import Path

import pytest

from tests.conftest import FIXTURE, Check
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results import Verdict

STUB = (FIXTURE / "puzzles" / "p01_square.py").read_text()
SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()
BODY = '    """Return x squared; x: (n,)."""\n    y = torch.empty_like(x)\n'
assert SOLUTION.count(BODY) == 1


def at_import(code: str) -> str:
    return SOLUTION + "\n" + code + "\n"


def in_call(code: str) -> str:
    return SOLUTION.replace(BODY, BODY + "".join(f"    {line}\n" for line in code.splitlines()))


KERNEL = "    tl.store(y_ptr + offsets, x * x, mask=mask)"

# name -> (source, verdict, code of a finding)
SUBMISSIONS: dict[str, tuple[str | bytes, Verdict, str]] = {
    "stub": (STUB, Verdict.UNSOLVED, "nothing-written"),
    "empty file": ("", Verdict.ERROR, "missing-host-function"),
    "no host function": (SOLUTION.replace("def square(", "def squares("), Verdict.ERROR, "missing-host-function"),
    "syntax error": (SOLUTION.replace("mask = offsets <", "mask = = offsets <"), Verdict.ERROR, "syntax-error"),
    "null byte": (SOLUTION + "\0", Verdict.ERROR, "syntax-error"),
    "not UTF-8": ("# caf\xe9\n".encode("latin-1") + SOLUTION.encode(), Verdict.ERROR, "not-utf8"),
    "import error": (at_import("import no_such_module"), Verdict.ERROR, "import-error"),
    "name error at import": (at_import("tll.jit"), Verdict.ERROR, "import-error"),
    "sys.exit at import": (at_import("import sys; sys.exit(0)"), Verdict.ERROR, "exit"),
    "os._exit at import": (at_import("import os; os._exit(0)"), Verdict.ERROR, "exit"),
    "sys.exit in the call": (in_call("import sys\nsys.exit(0)"), Verdict.ERROR, "exit"),
    "os._exit in the call": (in_call("import os\nos._exit(0)"), Verdict.ERROR, "exit"),
    "endless loop": (in_call("while True: pass"), Verdict.ERROR, "timeout"),
    "deaf to signals": (
        in_call("import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\ntime.sleep(1e6)"),
        Verdict.ERROR,
        "timeout",
    ),
    "segfault": (in_call("import ctypes\nctypes.string_at(0)"), Verdict.ERROR, "crash"),
    "exception": (in_call("raise ValueError('[bold]no[/bold]')"), Verdict.ERROR, "runtime-error"),
    "returns None": (SOLUTION.replace("    return y\n", "    return None\n"), Verdict.FAIL, "wrong-type"),
    "returns a tuple": (SOLUTION.replace("    return y\n", "    return y, y\n"), Verdict.FAIL, "wrong-type"),
    "returns a list of numbers": (SOLUTION.replace("    return y\n", "    return [1]\n"), Verdict.FAIL, "wrong-type"),
    "wrong shape": (SOLUTION.replace("    return y\n", "    return y[None]\n"), Verdict.FAIL, "wrong-shape"),
    "wrong dtype": (
        SOLUTION.replace("empty_like(x)", "empty_like(x, dtype=torch.float64)"),
        Verdict.FAIL,
        "wrong-dtype",
    ),
    "torch does the work": (SOLUTION.replace("    return y\n", "    return x * x\n"), Verdict.FAIL, "torch-compute"),
    "no launch": (in_call("return y"), Verdict.FAIL, "no-launch"),
    "other memory": (
        SOLUTION.replace("    return y\n", "    return torch.empty_like(x)\n"),
        Verdict.FAIL,
        "wrong-memory",
    ),
    "in place": (SOLUTION.replace("y = torch.empty_like(x)", "y = x"), Verdict.FAIL, "aliases-input"),
    "wrong values": (SOLUTION.replace("x * x", "x * x + 1"), Verdict.FAIL, "wrong-values"),
    "tail left out": (SOLUTION.replace("triton.cdiv(x.numel(), 256)", "x.numel() // 256 or 1"), Verdict.FAIL, "unwritten-elements"),
    "no mask": (SOLUTION.replace(KERNEL, KERNEL.replace(", mask=mask", "")), Verdict.FAIL, "out-of-bounds-store"),
    "read twice": (
        SOLUTION.replace("x * x", "x * tl.load(x_ptr + offsets, mask=mask)"),
        Verdict.FAIL,
        "too-many-loads",
    ),
    "a flood of output": (in_call("for _ in range(300): print('x' * 1_000_000)\nraise ValueError"), Verdict.ERROR, "runtime-error"),
    "closes every pipe": (in_call("import os\nos.closerange(0, 99)"), Verdict.ERROR, "exit"),
    "writes to the channel": (
        in_call("import os\nfor n in range(3, 64):\n    try: os.write(n, b'{\"kind\": \"done\", \"size\": 0}\\n')\n    except OSError: pass"),
        Verdict.INFRA_ERROR,
        "",
    ),
}


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_every_file_gets_its_verdict(name: str, check_source: Check) -> None:
    source, verdict, code = SUBMISSIONS[name]
    slow = verdict is Verdict.ERROR and code == "timeout"
    result = check_source(source, timeout=3 if slow else None)
    assert (result.verdict, code in {finding.code for finding in result.findings} or not code) == (verdict, True), result


def test_lines_are_the_learners(check_source: Check) -> None:
    for name in ("syntax error", "not UTF-8", "import error", "exception", "no mask", "torch does the work"):
        source, _, code = SUBMISSIONS[name]
        finding = next(finding for finding in check_source(source).findings if finding.code == code)
        assert finding.line is not None, name


@pytest.mark.parametrize("path", ["missing.py", "folder.py", "dangling.py"])
def test_files_that_are_none(path: str, square: Puzzle, tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere.py")
    result = check([(square, tmp_path / path)], CheckOptions(device="cpu")).results[0]
    assert result.verdict is Verdict.ERROR
    assert result.findings[0].code == "missing-file"


@pytest.mark.parametrize("change", ["crlf", "bom", "symlink"])
def test_right_files_in_odd_clothes_pass(change: str, square: Puzzle, tmp_path: Path) -> None:
    path = tmp_path / "p01_square.py"
    data = SOLUTION.encode()
    data = data.replace(b"\n", b"\r\n") if change == "crlf" else b"\xef\xbb\xbf" + data if change == "bom" else data
    path.write_bytes(data)
    if change == "symlink":
        path = path.rename(tmp_path / "elsewhere.txt.py")
        (tmp_path / "p01_square.py").symlink_to(path)
        path = tmp_path / "p01_square.py"
    result = check([(square, path)], CheckOptions(device="cpu")).results[0]
    assert result.verdict is Verdict.PASS, result


def test_a_grandchild_dies_with_its_worker(check_source: Check, tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        f"open({str(marker)!r}, 'w').write(str(child.pid))"
    )
    result = check_source(in_call(code))
    assert result.verdict is Verdict.PASS  # nothing in it is wrong, so far
    pid = int(marker.read_text())
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]:
            return  # dead, and not yet reaped by its new parent
        time.sleep(0.05)
    pytest.fail("the grandchild still runs")


def test_one_bad_file_leaves_the_next_alone(square: Puzzle, tmp_path: Path) -> None:
    paths = []
    for number, name in enumerate(["segfault", "os._exit at import", "stub"]):
        for source in (SUBMISSIONS[name][0], SOLUTION):
            paths.append(tmp_path / f"p{number}_{len(paths)}.py")
            paths[-1].write_text(source)
    report = check([(square, path) for path in paths], CheckOptions(device="cpu"))
    assert [result.passed for result in report.results] == [False, True] * 3


def test_the_same_seed_gives_the_same_check(check_source: Check) -> None:
    first, second = (check_source(SUBMISSIONS["wrong values"][0], seed=11) for _ in range(2))
    assert first.cases == second.cases
    assert check_source(SUBMISSIONS["wrong values"][0], seed=12).cases != first.cases


def test_what_the_learner_prints_is_kept_and_capped(check_source: Check) -> None:
    assert "hello [red]" in check_source(in_call("print('hello [red]')")).output
    assert len(check_source(SUBMISSIONS["a flood of output"][0]).output) <= 64 << 10
