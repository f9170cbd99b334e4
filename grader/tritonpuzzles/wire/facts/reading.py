"""Read facts that an engine sends: each field is of its type and bounded, or nothing is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import Between, DecodeError, Length, short
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.codes import CODES
from tritonpuzzles.wire.facts import Fact
from tritonpuzzles.wire.fields import MAX_TEXT

MOST_FACTS = 256  # of a case: some for each line of its kernels
MOST_ITEMS = 4_096  # of a list in a fact
MOST = 1 << 64
SEEN = Decoder(MAX_TEXT, MOST_ITEMS, Between(-MOST, MOST), whole=True)
KINDS: Mapping[str, type] = {kind.__name__: kind for kind in get_args(Fact)}


def fact_told(fact: Fact) -> dict[str, Any]:
    """Return a fact as what `json` writes."""
    return {"fact": type(fact).__name__, **plain(fact)}


def facts_told(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Return facts, as many as are read, as what `json` writes."""
    return [fact_told(fact) for fact in facts[:MOST_FACTS]]


def read_facts(data: Any) -> list[Fact]:
    """Read a list of facts.

    Raises:
        ValueError: it is none, has too many, or one that is none.
    """
    return [read_fact(item) for item in SEEN.read(Annotated[list[Any], Length(MOST_FACTS)], data)]


def read_fact(data: Any) -> Fact:
    """Read one fact.

    Raises:
        ValueError: it is none, or contradicts itself.
    """
    if not isinstance(data, dict) or not isinstance(data.get("fact"), str) or data["fact"] not in KINDS:
        raise DecodeError(f"is {short(data)}; a fact is expected")
    found: Fact = SEEN.read(KINDS[data["fact"]], {name: value for name, value in data.items() if name != "fact"})
    if found.code not in CODES:
        raise DecodeError(f"there is no finding {short(found.code)}")
    return found
