"""What others reported, `verify` finds; the same kernels made right pass.

All of them take ten minutes: `pytest -m corpus tests/verify`. In CI a sixth goes at every second commit.
"""

from __future__ import annotations

import pytest

from tests.turns import on_odd_turns, part
from tests.verify.corpus import Example, examples
from tritonpuzzles.results.codes import CODES

BUGS, RIGHT = examples("bugs"), examples("right")


def name_of(example: Example) -> str:
    return example.name


def test_each_bug_names_its_report_its_codes_and_a_line_that_the_right_kernel_does_not_have() -> None:
    assert len(BUGS) >= 40
    assert {bug.name for bug in BUGS} <= {right.name for right in RIGHT}
    for bug in BUGS:
        right = next(right for right in RIGHT if right.name == bug.name)
        assert set(bug.codes) <= set(CODES), bug.name
        assert "#" in bug.reported, bug.name
        assert bug.lines, bug.name
        assert bug.text.partition("\nimport torch")[2] != right.text.partition("\nimport torch")[2], bug.name


@pytest.mark.corpus
@on_odd_turns
@pytest.mark.parametrize("bug", part(BUGS, in_ci=12, otherwise=1), ids=name_of)
def test_a_bug_is_found(bug: Example) -> None:
    report = bug.verified()
    assert bug.told(report), report


@pytest.mark.corpus
@on_odd_turns
@pytest.mark.parametrize("right", part(RIGHT, in_ci=12, otherwise=1), ids=name_of)
def test_a_right_kernel_passes(right: Example) -> None:
    report = right.verified()
    assert report, report
