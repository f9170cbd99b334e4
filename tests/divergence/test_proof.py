"""The first diverging line is the mistaken one or the next, in four of five wrong kernels: a quarter of them here."""

from __future__ import annotations

import pytest

from tests.divergence.proof import ASKED, CORPORA, NUMBERS, ROOT, described, mistaken, proved, share
from tests.turns import on_even_turns

EVERY = 4


@pytest.mark.first
@pytest.mark.corpus
@on_even_turns
def test_the_first_diverging_line_is_the_mistaken_one_or_the_next() -> None:
    outcomes = list(proved(NUMBERS, EVERY))
    assert len(outcomes) >= 20
    assert share(outcomes) >= ASKED, "\n".join(described(outcome) for outcome in outcomes if not outcome.hits)


def test_every_named_place_is_in_its_kernel() -> None:
    files = [path for corpus in CORPORA for path in (ROOT / "tests" / corpus).glob("*/wrong/*.py")]
    named = [path for path in files if "\nMistake at: " in path.read_text()]
    assert len(named) >= 130
    assert all(mistaken(path) for path in named)
