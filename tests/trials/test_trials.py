"""Wrong kernels that outsiders wrote to try the reports, each told where its mistake stands or takes effect.

Their writers knew the stories and the solutions, not the grader; what each of them changed its first line says. What a
report says of them first was read by people. `told.toml` holds its code and the line that it names: a change that
moves either is to be read again. A third of them is checked here, in CI another sixth at every second commit;
`python -m tests.trials.told` prints all anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trials.told import HOME, Told, expected, told
from tests.turns import on_odd_turns, part
from tritonpuzzles.curriculum.registry import load_curriculum

TOLD = expected()
NUMBERS = sorted({one.puzzle for one in TOLD})


def test_every_kernel_is_told_of_and_every_puzzle_has_some() -> None:
    files = {path.relative_to(HOME).as_posix() for path in HOME.glob("p*/*.py")}
    assert files == {one.file for one in TOLD}
    assert [puzzle.number for puzzle in load_curriculum().puzzles] == NUMBERS


@pytest.mark.corpus
@on_odd_turns
@pytest.mark.parametrize("number", NUMBERS)
class TestTrials:
    def test_mistakes_are_told_as_they_were_read(self, number: int) -> None:
        own = [one for one in TOLD if one.puzzle == number]
        changed: dict[str, tuple[Told, Told]] = {}
        for one in part(own, in_ci=12, otherwise=3, start=number):
            now = told(number, HOME / one.file)
            if now != one:
                changed[one.file] = one, now
        assert changed == {}


def test_what_was_changed_stands_in_the_first_line() -> None:
    for one in TOLD:
        first = Path(HOME / one.file).read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith(('"""', 'r"""')), one.file
