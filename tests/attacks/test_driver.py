"""The driver sees what it is there to see: files without a demand, what stays behind, reports that are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.attacks.corpus import HERE, Attack, read_attack, read_corpus
from tests.attacks.run import choose, line, page
from tests.attacks.sandbox import Ran, Sandbox, changes
from tests.attacks.trial import Outcome, result_of

CORPUS = read_corpus()
REPORT = '{"results": [{"puzzle": 1, "verdict": "fail", "findings": [{"code": "%s", "severity": "error"}]}]}'
DAEMON = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.closerange(0, 99)\n    time.sleep(600)"
RAN = Ran(returncode=1, hung=False, seconds=1.0, leftovers=(), stdout=REPORT % "torch-compute", stderr="")


def test_there_are_many_files_of_either_kind() -> None:
    assert len([attack for attack in CORPUS if not attack.honest]) >= 80
    assert len([attack for attack in CORPUS if attack.honest]) >= 8
    assert len({attack.name for attack in CORPUS}) == len(CORPUS)


def test_no_hostile_file_may_pass_and_every_honest_one_must() -> None:
    for attack in CORPUS:
        verdicts = {must.verdict for must in attack.must}
        assert verdicts == {"pass"} if attack.honest else "pass" not in verdicts, attack.path


@pytest.mark.parametrize(
    "text", ['"""No demand."""', '"""No sentence\n\nMust: fail\n"""', '"""Odd.\n\nMust: triumph\n"""', "import os"]
)
def test_a_file_that_does_not_say_what_it_must_get_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"odd\.py"):
        read_attack(path)


def test_demands_are_alternatives_with_codes(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text('"""Odd.\n\nMust: fail torch-compute no-launch | error\n"""')
    first, second = read_attack(path).must
    assert first.holds("fail", frozenset({"no-launch", "wrong-values"}))
    assert not first.holds("fail", frozenset({"wrong-values"}))
    assert not first.holds("error", frozenset({"no-launch"}))
    assert second.holds("error", frozenset())


def test_a_daemon_that_left_everything_behind_is_found_and_ended(tmp_path: Path) -> None:
    code = (
        "import json, sys\nfrom tests.attacks import contain\n"
        f"contain.SETTLING_SECONDS = 0.5\nsys.stdin = open({str(tmp_path / 'order')!r})\ncontain.main()"
    )
    told = ordered(tmp_path, [sys.executable, "-c", DAEMON], 60, code)
    assert told["returncode"] == 0
    assert len(told["leftovers"]) == 1
    assert "time.sleep(600)" in told["leftovers"][0]
    assert told["swept"] == 1


def test_a_program_that_hangs_is_ended(tmp_path: Path) -> None:
    told = ordered(tmp_path, ["sleep", "600"], 0.2, "from tests.attacks import contain\ncontain.main()")
    assert told["hung"]
    assert told["returncode"] == -9


def ordered(folder: Path, command: list[str], seconds: float, code: str) -> dict[str, object]:
    """Run a command under `contain` in a process of its own, which becomes the parent of what is left."""
    order = {"command": command, "folder": str(folder), "environment": dict(os.environ), "seconds": seconds}
    order |= {"stdout": str(folder / "out"), "stderr": str(folder / "err")}
    (folder / "order").write_text(json.dumps(order))
    with (folder / "order").open() as stream:
        done = subprocess.run([sys.executable, "-c", code], stdin=stream, stdout=subprocess.PIPE, cwd=HERE.parents[1])
    told: dict[str, object] = json.loads(done.stdout)
    return told


def test_nothing_is_left_of_an_ordinary_command(tmp_path: Path) -> None:
    told = ordered(tmp_path, ["true"], 60, "from tests.attacks import contain\ncontain.main()")
    assert (told["returncode"], told["leftovers"]) == (0, [])


def test_changes_are_told_but_not_what_lies_in_new_folders(tmp_path: Path) -> None:
    for name in ("kept", "changed", "removed"):
        (tmp_path / name).write_text(name)
    before = Sandbox(tmp_path).snapshot()
    (tmp_path / "changed").write_text("otherwise")
    (tmp_path / "removed").unlink()
    (tmp_path / "new" / "inner").mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe")
    found = changes(before, Sandbox(tmp_path).snapshot())
    assert found == ["changed changed", "new new", "new pipe", "removed removed"]


def test_a_deep_tree_is_looked_at_and_removed(tmp_path: Path) -> None:
    root, here = tmp_path / "root", Path.cwd()
    root.mkdir()
    os.chdir(root)
    for _ in range(1_500):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(here)
    assert "d" in Sandbox(root).snapshot()
    Sandbox(root).remove()
    assert not root.exists()


@pytest.mark.parametrize("stdout", ["", "{}", REPORT % "x" + REPORT % "x", '{"results": []}'])
def test_what_is_no_report_gives_no_verdict(stdout: str) -> None:
    assert result_of(replace(RAN, stdout=stdout), 1) == ("gone", ())


def test_a_report_gives_verdict_and_codes() -> None:
    assert result_of(RAN, 1) == ("fail", ("torch-compute",))


def test_unknown_names_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no such_file"):
        choose(CORPUS, ["such_file"])


def test_lines_and_page_name_what_went_wrong() -> None:
    attack: Attack = CORPUS[0]
    outcome = Outcome(attack, "pass", (), "pass", (), ("The verdict is pass; it must be fail.",), 1.0)
    assert line(outcome).startswith(f"NO  {attack.name}")
    assert "it must be fail" in line(outcome)
    written = page([outcome, replace(outcome, problems=(), verdict="fail")])
    assert "1 of 2 files are handled as they must be; 1 hostile ones got a pass." in written
    assert f"- `{attack.name}`: The verdict is pass" in written
