"""Kernels side by side, the progress of a check, and the stop button: real kernels, with the messages they send."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

import pytest

from tests.notebook.conftest import PUZZLES, ROOT, run
from tests.notebook.kernels import Outputs, kernel
from tritonpuzzles.front.story import read_source
from tritonpuzzles.front.workspace.folder import Workspace

pytestmark = [pytest.mark.first, pytest.mark.slow]
RIGHT = read_source(ROOT / "solutions" / "p00_vector_add.py").code.rstrip()
WRONG = RIGHT.replace("x + y", "x - y")
FIRST = "%%puzzle 0 --seed 5 --device cpu"
CHECK = "%check 0 --solution --seed 5 --device cpu"
ADDITION = next(puzzle for puzzle in PUZZLES if puzzle.number == 0)


def cell(code: str, first: str = FIRST) -> str:
    return f"{first}\n{code}"


def verdict(outputs: Outputs) -> str:
    return next(line for line in outputs.last["text/plain"].splitlines() if "p00 vector_add" in line)


def test_two_kernels_at_once_get_the_verdict_of_their_own_cell(workspace: Workspace) -> None:
    assert WRONG != RIGHT
    found = asyncio.run(_side_by_side(workspace))
    for code, outputs in zip((RIGHT, WRONG, RIGHT, WRONG), found, strict=True):
        assert verdict(outputs).startswith("✓ pass" if code is RIGHT else "✗ fail"), outputs.last["text/plain"]
        assert "the cell of puzzle 0" in outputs.last["text/plain"]
    asked = ["Replace ../puzzles/p00_vector_add.py?" in outputs.last["text/plain"] for outputs in found]
    assert sorted(asked[:2]) == sorted(asked[2:]) == [False, True], "one cell is the file, the other asks"
    assert asked[:2] == asked[2:]
    written = read_source(workspace.file(ADDITION)).code.rstrip()
    assert written == (WRONG if asked[0] else RIGHT)
    assert not (workspace.state_folder / "backups").exists()


async def _side_by_side(workspace: Workspace) -> list[Outputs]:
    async with kernel(workspace.notebooks) as one, kernel(workspace.notebooks) as other:
        first = await asyncio.gather(one.run(cell(RIGHT)), other.run(cell(WRONG)))
        second = await asyncio.gather(one.run(cell(RIGHT)), other.run(cell(WRONG)))
        return [*first, *second]


def test_a_check_has_one_place_for_its_progress_and_its_report(sitting: Sitting) -> None:
    outputs = sitting.checked
    assert set(outputs.kinds) == {"display_data", "update_display_data"}
    assert outputs.kinds.count("display_data") == 1
    assert len(outputs.places) == 1
    said = [message["content"]["data"]["text/plain"] for message in outputs.messages]
    assert said[0] == "Checking puzzle 0: starting ..."
    assert any("p00 vector_add on the CPU" in sentence for sentence in said[1:-1])
    assert said[-1].startswith("✓ pass  p00 vector_add\n")
    assert "tp-report" in outputs.last["text/html"]
    assert outputs.reply["status"] == "ok"


def test_the_stop_button_ends_with_what_was_done_and_one_word(sitting: Sitting) -> None:
    stopped = sitting.stopped
    assert set(stopped.kinds) <= {"display_data", "update_display_data"}, "no traceback, nothing on stderr"
    assert len(stopped.places) == 1
    assert re.fullmatch(r"(Written to \S+\. .*)?Stopped\.", stopped.last["text/plain"])
    assert stopped.reply["status"] == "error", "the cells behind it are not run"
    assert verdict(sitting.after).startswith("✓ pass")
    assert sitting.value.last["text/plain"] == "<report: p00 pass; print it for the text>"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("%check 99", "There is no puzzle '99'"),
        ("%bench 0", "needs an NVIDIA GPU"),
        ("%tritonpuzzles list", "%tritonpuzzles show 0"),
        ("%tritonpuzzles swap 0", "tritonpuzzles swap"),
        ("%tritonpuzzles inspect 99", "There is no puzzle '99'"),
        ("%workspace", "The workspace is"),
    ],
)
def test_nothing_is_said_on_red(source: str, words: str, sitting: Sitting) -> None:
    outputs = sitting.said[source]
    assert set(outputs.kinds) <= {"display_data", "update_display_data"}
    assert words in outputs.last["text/plain"]
    assert "tp-report" in outputs.last["text/html"]
    assert "\x1b" not in str(outputs.last)


@dataclass(frozen=True)
class Sitting:
    """What one kernel shows in one sitting: a check, one that is stopped, another two, and what stops at once."""

    checked: Outputs
    stopped: Outputs
    after: Outputs
    value: Outputs
    said: dict[str, Outputs]


@pytest.fixture(scope="module")
def sitting(tmp_path_factory: pytest.TempPathFactory) -> Sitting:
    """One sitting, in a workspace of its own."""
    folder = tmp_path_factory.mktemp("sitting")
    assert run("init", "course", cwd=folder).returncode == 0
    return asyncio.run(_sit(Workspace(folder / "course")))


async def _sit(workspace: Workspace) -> Sitting:
    marks = test_nothing_is_said_on_red.pytestmark  # type: ignore[attr-defined]
    async with kernel(workspace.notebooks) as one:
        return Sitting(
            checked=await one.run(CHECK),
            stopped=await one.run("%check 5 --solution --seed 5 --device cpu", interrupt=True),
            after=await one.run(CHECK),
            value=await one.run(f"report = {CHECK}\nassert report.passed"),
            said={source: await one.run(source) for source, _ in marks[0].args[1]},
        )
