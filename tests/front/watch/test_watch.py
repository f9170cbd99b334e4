"""`tritonpuzzles watch` in a pseudo-terminal, with the real judge, on a pack of two small puzzles."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.front.watch.conftest import ENDLESS, RIGHT, STUB, WRONG, progress, save
from tests.front.watch.terminal import Program, parent_of
from tritonpuzzles.judge.options import CACHE

pytestmark = pytest.mark.slow

WORKING = ("guard", "judge", "server", "workers")
DOES_NOT_COMPILE = RIGHT.replace("    x = tl.load(", "    print(offsets)\n    x = tl.load(")
CHECKED = "; waiting for a save"
IMPORTED = 1.0  # seconds after which a file that is being imported has been read, and no newer one is in its place
Start = Callable[..., Program]


def watch(course: Path, *words: str, **options: object) -> Program:
    return Program(("watch", "--device", "cpu", *words), course, **options)  # type: ignore[arg-type]


def test_saves_are_checked_and_progress_is_kept(course: Path, first: Path) -> None:
    """Of a file that does not compile, of one that is saved anew meanwhile, of half of one, and of none."""
    with watch(course, **{CACHE: ""}) as program:  # it is seen compiling
        shown = program.wait_for("unsolved  p01 square", CHECKED)
        assert "1. Square" in shown  # its story
        assert "0 of 2 solved" in shown
        save(first, DOES_NOT_COMPILE)
        shown = program.wait_for("error  p01 square", CHECKED)
        assert "Solved" not in shown  # a pass waits for the compiler
        assert "✓ pass" not in shown
        assert progress(course)["square"]["verdict"] == "error"
        save(first, ENDLESS)
        program.wait_for(": import")
        time.sleep(IMPORTED)
        save(first, WRONG)
        shown = program.wait_for("fail  p01 square", "What is wrong", "h shows hint 1 of 3", CHECKED)
        assert "elements of y wrong" in shown
        assert progress(course)["square"]["verdict"] == "fail"
        save(first, ENDLESS)
        program.wait_for(": import")
        time.sleep(IMPORTED)
        first.write_text(RIGHT)  # in place
        shown = program.wait_for("values right", "compiling for sm_80 and sm_90", "Solved: Square", CHECKED)
        assert "n goes on to puzzle 2, Second square" in shown
        assert "1 of 2 solved" in shown
        assert "✓ pass" not in shown.partition("compiling for")[0]
        entry = progress(course)["square"]
        assert (entry["verdict"], entry["attempts"]) == ("pass", 3)  # what was ended reached no verdict
        assert entry["solved_at"]
        save(first, RIGHT[: RIGHT.index("mask=mask)")])
        program.wait_for("error  p01 square", CHECKED)
        first.unlink()
        program.wait_for("error  p01 square", "r puts the stub there", CHECKED)
        program.press("r")
        program.wait_for("Put the stub back?")
        program.press("y")
        program.wait_for("is the stub again", "unsolved  p01 square", CHECKED)
        assert first.read_text() == STUB
        program.press("q")
        assert program.ended() == 0


@pytest.mark.parametrize("rows", [24, 16])
def test_the_finding_stays_on_a_small_screen(rows: int, course: Path, first: Path) -> None:
    """A page that is longer is shown part by part, its beginning first; and a solved puzzle's file may fail again."""
    save(first, RIGHT)
    with watch(course, size=(rows, 80)) as program:
        assert "PyTorch and Triton are imported" in program.wait_for("pass  p01 square", CHECKED)
        save(first, WRONG)
        program.wait_for("fail  p01 square", "What is wrong", "1 of 2 solved, this file fails", "✗ fail", CHECKED)
        program.press("l")
        program.wait_for("Second square", CHECKED)
        program.press("x")
        shown = program.wait_for("fail  p01 square", "What is wrong", "Puzzles ", "✗ fail", CHECKED)
        frame = shown[shown.index("✗ fail  p01 square\n") :]
        assert frame.count("\n") < rows
        if rows == 16:
            assert "Next: h shows hint" not in frame
            program.press("  ")
            program.wait_for("Next: h shows hint", "space shows the others", CHECKED)
            program.press(" ")
            program.wait_for("What is wrong", CHECKED)


def test_a_student_edition_offers_no_solution(course: Path, first: Path) -> None:
    pack = course.parent / "pack/curriculum.toml"
    pack.write_text(f"{pack.read_text()}solutions = false\n")
    save(first, RIGHT)
    with watch(course) as program:
        shown = program.wait_for("pass  p01 square", "t shows what each line reads", CHECKED)
        assert "compares your file" not in shown
        program.press("d")
        program.wait_for("This is a student edition: it has no solutions.")
        program.press("q")
        assert program.ended() == 0


def test_keys(course: Path, first: Path) -> None:
    save(first, WRONG)
    with watch(course) as program:
        program.wait_for("fail  p01 square", CHECKED)
        program.press("h")
        program.wait_for("Hint 1 of 3", "save, or h for hint 2 of 3", CHECKED)
        program.press("d")
        program.wait_for("can be compared with once this puzzle is solved")
        program.press("\x1b[A")  # an arrow is no key
        program.press("t")
        program.wait_for("x_ptr read 1.00x", "The file does not pass", CHECKED)
        program.press("b")
        program.wait_for("bench needs an NVIDIA GPU")
        program.press("l")
        program.wait_for("Second square", "Next: ", CHECKED)
        program.press("r")
        program.wait_for("Put the stub back?", "any other key: no")
        program.press("x")
        program.wait_for("fail  p01 square", CHECKED)
        assert first.read_text() == WRONG
        program.press("n")
        program.wait_for("unsolved  p02 second", CHECKED)
        save(course / "puzzles" / "p02_second.py", RIGHT)
        program.wait_for("Solved: Second square", CHECKED)
        program.press("d")
        program.wait_for("letter by letter", CHECKED)
        program.press("n")
        program.wait_for("This is the last puzzle.")
        program.press("p")
        program.wait_for("fail  p01 square", CHECKED)
        program.press("r")
        program.wait_for("Put the stub back?")
        program.press("y")
        program.wait_for("is the stub again", "unsolved  p01 square", CHECKED)
        program.press("q")
        assert program.ended() == 0
    assert first.read_text() == STUB
    (kept,) = (course / ".tritonpuzzles" / "backups").iterdir()
    assert kept.read_text() == WRONG
    assert (progress(course)["square"]["hints"], progress(course)["second"]["verdict"]) == (1, "pass")


def test_it_draws_anew_for_another_width_and_ends_on_ctrl_c_after_ctrl_z(course: Path) -> None:
    with watch(course, size=(30, 50)) as program:
        program.wait_for("unsolved  p01 square")
        shown = program.wait_for("unsolved  p01 square", "…")  # the last line is cut
        assert max(map(len, shown.splitlines())) <= 50
        program.resize(40, 100)
        program.wait_for("q quit", CHECKED)
        assert not program.is_sane()
        program.press("\x1a")
        program.wait_for("<stopped>")
        assert program.is_sane()
        os.kill(program.pid, signal.SIGCONT)
        program.wait_for("q quit", CHECKED)
        assert not program.is_sane()
        program.press("\x03")
        assert program.ended() == 130


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it(number: int, course: Path, first: Path) -> None:
    save(first, ENDLESS)
    with watch(course) as program:
        program.wait_for(": import")
        os.kill(program.pid, number)
        assert program.ended() == 130


def test_a_terminal_that_goes_away(course: Path) -> None:
    with watch(course) as program:
        program.wait_for(CHECKED)
        program.family()
        program.hang_up()
        deadline = time.monotonic() + 60
        while program.left() or parent_of(program.pid) >= 0:
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.mark.parametrize("idle", [True, False])
def test_a_process_that_is_killed(idle: bool, course: Path, first: Path) -> None:
    """One after the other, each while the program waits for a save, or each while it checks."""
    with watch(course) as program:
        program.wait_for(CHECKED)
        for who in WORKING:
            if not idle:
                save(first, ENDLESS)
                program.wait_for(": import")
            for pid in wait_for_some(program, who):
                os.kill(pid, signal.SIGKILL)
            save(first, RIGHT)
            program.wait_for("Solved: Square", CHECKED)
        program.press("q")
        assert program.ended() == 0


@pytest.mark.parametrize("idle", [True, False])
def test_it_is_killed_itself(idle: bool, course: Path, first: Path) -> None:
    if not idle:
        save(first, ENDLESS)
    with watch(course) as program:
        program.wait_for(CHECKED if idle else ": import")
        program.family()
        os.kill(program.pid, signal.SIGKILL)
        assert program.ended() == -signal.SIGKILL
    assert first.read_text() == (STUB if idle else ENDLESS)


def wait_for_some(program: Program, who: str) -> list[int]:
    deadline = time.monotonic() + 60
    while not (found := program.family()[who]):
        assert time.monotonic() < deadline, f"there is no {who}"
        time.sleep(0.05)
    return found


def test_without_a_name_it_watches_in_a_workspace_alone(course: Path, tmp_path: Path) -> None:
    with Program((), course) as program:
        program.wait_for("unsolved  p01 square", CHECKED)
        program.press("q")
        assert program.ended() == 0
    empty = tmp_path / "empty"
    empty.mkdir()
    with Program((), empty) as program:
        program.wait_for("Blocked softmax", "Next: ")
        assert program.ended() == 0
    with Program(("watch",), empty) as program:
        program.wait_for("There is no puzzles/ folder")
        assert program.ended() == 2
