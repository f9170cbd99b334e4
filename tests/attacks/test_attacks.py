"""Every file of the corpus gets a verdict that is right for it, does no harm, and spoils nothing for the next.

Those of `IN_CI` run always, without the second run for each; `pytest -m attacks tests/attacks`
runs the others.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.attacks.corpus import Attack, read_corpus
from tests.attacks.sandbox import Sandbox, make_template
from tests.attacks.trial import try_out

CORPUS = read_corpus()
IN_CI = frozenset(
    {
        "daemon",
        "executes_solution",
        "frames_huge_numbers",
        "kept_by_identity",
        "scratch_laundering",
        "thread",
        "two_half_launches",
    }
)


@pytest.fixture(scope="module")
def template() -> Iterator[Sandbox]:
    """What every sandbox is copied from."""
    made = make_template()
    yield made
    made.remove()


def test_ci_knows_its_files() -> None:
    assert {attack.name for attack in CORPUS} >= IN_CI


@pytest.mark.slow
@pytest.mark.parametrize("attack", [pytest.param(a, id=a.name) for a in CORPUS if a.name in IN_CI])
def test_the_program_withstands(attack: Attack, template: Sandbox) -> None:
    assert try_out(attack, template, fresh=False).problems == ()


@pytest.mark.attacks
@pytest.mark.parametrize("attack", [pytest.param(a, id=a.name) for a in CORPUS if a.name not in IN_CI])
def test_the_program_withstands_and_works_on(attack: Attack, template: Sandbox) -> None:
    assert try_out(attack, template).problems == ()
