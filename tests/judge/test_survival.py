"""Whatever a file does, the judge gives a verdict that is not a pass, and grades the next file correctly."""

import contextlib
import uuid
from pathlib import Path

import pytest

from tests.conftest import FIXTURE, Check
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.workers import following
from tritonpuzzles.judge.workers.following import Following
from tritonpuzzles.results.check import PuzzleResult, Verdict

pytestmark = [pytest.mark.first, pytest.mark.slow]
STUB = (FIXTURE / "puzzles" / "p01_square.py").read_text()
SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()
BODY = '    """Return x squared; x: (n,)."""\n    y = torch.empty_like(x)\n'
assert SOLUTION.count(BODY) == 1


def at_import(code: str) -> str:
    return SOLUTION + "\n" + code + "\n"


def in_call(code: str) -> str:
    return SOLUTION.replace(BODY, BODY + "".join(f"    {line}\n" for line in code.splitlines()))


FORGE = """
import os
for n in range(3, 64):
    try: os.write(n, b'{}\\n')
    except OSError: pass
"""
KERNEL = "    tl.store(y_ptr + offsets, x * x, mask=mask)"

# name -> (source, verdict, code of a finding)
# What ends, hangs, floods or forges, and right files in between: each in a worker of its own.
UNRULY: dict[str, tuple[str | bytes, Verdict, str]] = {
    "the solution": (SOLUTION, Verdict.PASS, ""),
    "prints": (in_call("print('hello [red]')"), Verdict.PASS, ""),
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
    "the solution after two timeouts": (SOLUTION, Verdict.PASS, ""),
    "segfault": (in_call("import ctypes\nctypes.string_at(0)"), Verdict.ERROR, "crash"),
    "a realtime signal": (in_call("import os\nos.kill(os.getpid(), 40)"), Verdict.ERROR, "crash"),
    "the solution after a crash": (SOLUTION, Verdict.PASS, ""),
    "asks for too much": (in_call("bytearray(1 << 60)"), Verdict.ERROR, "out-of-memory"),
    "a flood of output": (
        in_call("for _ in range(300): print('x' * 1_000_000)\nraise ValueError"),
        Verdict.ERROR,
        "runtime-error",
    ),
    "closes every pipe": (in_call("import os\nos.closerange(0, 99)"), Verdict.ERROR, "exit"),
    "says that it is done": (in_call(FORGE.format('{"kind": "done", "size": 0}')), Verdict.ERROR, "tampering"),
    "writes noise to the channel": (in_call(FORGE.format("noise")), Verdict.ERROR, "tampering"),
    "announces a huge frame": (in_call(FORGE.format('{"size": 1000000000000}')), Verdict.ERROR, "tampering"),
    "the solution after lies": (SOLUTION, Verdict.PASS, ""),
}
# What is only wrong.
MISTAKES: dict[str, tuple[str | bytes, Verdict, str]] = {
    "stub": (STUB, Verdict.UNSOLVED, "nothing-written"),
    "empty file": ("", Verdict.ERROR, "missing-host-function"),
    "no host function": (SOLUTION.replace("def square(", "def squares("), Verdict.ERROR, "missing-host-function"),
    "syntax error": (SOLUTION.replace("mask = offsets <", "mask = = offsets <"), Verdict.ERROR, "syntax-error"),
    "null byte": (SOLUTION + "\0", Verdict.ERROR, "syntax-error"),
    "not UTF-8": ("# caf\xe9\n".encode("latin-1") + SOLUTION.encode(), Verdict.ERROR, "not-utf8"),
    "too large": (SOLUTION + "#" * (2 << 20), Verdict.ERROR, "file-too-large"),
    "import error": (at_import("import no_such_module"), Verdict.ERROR, "import-error"),
    "name error at import": ("tll.jit\n" + SOLUTION, Verdict.ERROR, "import-error"),
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
    "fills after the launch": (
        SOLUTION.replace("\n    return y\n", "\n    y[-1:] = 1\n    return y\n"),
        Verdict.FAIL,
        "host-wrote-output",
    ),
    "no launch": (in_call("return y"), Verdict.FAIL, "no-launch"),
    "other memory": (
        SOLUTION.replace("    return y\n", "    return torch.empty_like(x)\n"),
        Verdict.FAIL,
        "wrong-memory",
    ),
    "in place": (SOLUTION.replace("y = torch.empty_like(x)", "y = x"), Verdict.FAIL, "aliases-input"),
    "wrong values": (SOLUTION.replace("x * x", "x * x + 1"), Verdict.FAIL, "wrong-values"),
    "tail left out": (
        SOLUTION.replace("triton.cdiv(x.numel(), 256)", "x.numel() // 256 or 1"),
        Verdict.FAIL,
        "unwritten-elements",
    ),
    "no mask": (SOLUTION.replace(KERNEL, KERNEL.replace(", mask=mask", "")), Verdict.FAIL, "out-of-bounds-store"),
    "read twice": (
        SOLUTION.replace("x * x", "x * tl.load(x_ptr + offsets, mask=mask)"),
        Verdict.FAIL,
        "too-many-loads",
    ),
}
SUBMISSIONS = {**UNRULY, **MISTAKES}


@pytest.fixture(scope="module")
def results(square: Puzzle, tmp_path_factory: pytest.TempPathFactory) -> dict[str, PuzzleResult]:
    """Check all the unruly ones in one command, each followed by the next, and all the wrong ones in another."""
    folder = tmp_path_factory.mktemp("class")
    paths = {name: folder / f"p{number:02d}.py" for number, name in enumerate(SUBMISSIONS)}
    for name, path in paths.items():
        source = SUBMISSIONS[name][0]
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
    endless = {paths[name] for name, (_, _, code) in UNRULY.items() if code == "timeout"}
    patience, options = Following._seconds, CheckOptions(device="cpu", seed=3)

    def seconds(follower: Following, stage: str) -> float:
        return 1.0 if follower._said.file.opened in endless else patience(follower, stage)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Following, "_seconds", seconds)  # nobody else is hurried
        unruly = check([(square, paths[name]) for name in UNRULY], options)
    wrong = check([(square, paths[name]) for name in MISTAKES], options)
    return dict(zip(SUBMISSIONS, (*unruly.results, *wrong.results), strict=True))


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_every_file_gets_its_verdict(name: str, results: dict[str, PuzzleResult]) -> None:
    _, verdict, code = SUBMISSIONS[name]
    result = results[name]
    assert (result.verdict, code in {finding.code for finding in result.findings} or not code) == (verdict, True), (
        result
    )


@pytest.mark.parametrize(
    "name", ["syntax error", "not UTF-8", "import error", "exception", "no mask", "torch does the work"]
)
def test_the_line_is_the_learners(name: str, results: dict[str, PuzzleResult]) -> None:
    finding = next(finding for finding in results[name].findings if finding.code == SUBMISSIONS[name][2])
    assert finding.line is not None
    assert finding.file == str(results[name].file)


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


def test_grandchildren_die_with_their_worker(check_source: Check) -> None:
    """Also one that has dropped its environment; they are known by an argument, for numbers are another namespace's."""
    mark = f"grandchild-{uuid.uuid4().hex}"
    code = (
        "import subprocess, sys\n"
        f"command = [sys.executable, '-c', 'import time; print(1, flush=True); time.sleep(600)', {mark!r}]\n"
        "for options in ({}, {'env': {}}):\n"
        "    started = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, **options)\n"
        "    print(started.stdout.readline())\n"
    )
    result = check_source(in_call(code))
    assert result.verdict is Verdict.PASS, result  # nothing in it is wrong, so far
    assert result.output.count("1") >= 2
    assert not running_with(mark)


def running_with(argument: str) -> list[str]:
    """Return the processes that were started with an argument."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if argument.encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
    return found


def test_the_same_seed_gives_the_same_check(check_source: Check) -> None:
    first, second = (check_source(SUBMISSIONS["wrong values"][0], seed=11) for _ in range(2))
    assert first.cases == second.cases
    assert check_source(SUBMISSIONS["wrong values"][0], seed=12).cases != first.cases


def test_what_the_learner_prints_is_kept_and_capped(results: dict[str, PuzzleResult]) -> None:
    assert "hello [red]" in results["prints"].output
    assert len(results["a flood of output"].output) <= 64 << 10


def test_all_stages_together_have_one_deadline(check_source: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call takes less than a stage may; there are many of them."""
    monkeypatch.setattr(following, "ALL_STAGES", 0.05)
    result = check_source(in_call("import time; time.sleep(2)"), timeout=60)
    (finding,) = [found for found in result.findings if found.code == "timeout"]
    assert "did not finish within 3 s in all, in case" in finding.message
    assert len(result.cases) >= 1


@pytest.mark.parametrize("wrong", [in_call("raise ValueError('no')"), SOLUTION.replace("x * x,", "x + x,")])
def test_a_wrong_file_is_not_called_for_ever(wrong: str, check_source: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its seconds are over, no further case is recorded or run, and the report says how many are missing."""
    every = len(check_source(wrong).cases)
    monkeypatch.setattr(following, "ENOUGH", 0.0)
    result = check_source(wrong)
    (note,) = (found for found in result.findings if found.code == "cases-not-run")
    assert result.verdict is not Verdict.PASS
    assert len(result.cases) < every
    left = every - len(result.cases)
    assert f"{left} case{'s were' if left > 1 else ' was'} not run" in note.message
