"""Which findings stand open in a report: one for one mistake, and never one hidden that has cases of its own."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import MENDED, MOST_OPEN, PROOF, account_of, grouped, in_order

CASES = ["a", "b", "c"]


def found(code: str, *cases: str, line: int | None = None) -> list[Finding]:
    return [Finding(code, "Sentence.", file="p.py", line=line, case=case) for case in cases]


def named(code: str, *cases: str, line: int | None = None) -> list[Finding]:
    """A mistake that one finding tells of, for all cases that it explains."""
    return [Finding(code, "Sentence.", file="p.py", line=line, case=cases[0], details={"cases": list(cases)})]


def opened(findings: list[Finding]) -> list[str]:
    return [group.first.code for group in account_of(findings).open]


def test_what_a_missing_mask_brings_with_it_stands_beside_it() -> None:
    findings = [
        *found("too-many-loads", "a", line=4),
        *found("race-write-write", "a", "b", line=9),
        *found("out-of-bounds-store", "a", "b", line=9),
        *found("out-of-bounds-load", "a", "b", "c", line=4),
        *named("masked-lanes-as-zero", "a", "b", line=4),
    ]
    account = account_of(findings)
    assert [group.first.code for group in account.open] == ["out-of-bounds-load"]
    assert len(account.beside) == 4


def test_a_mistake_in_more_cases_than_addresses_go_wrong_in_comes_first() -> None:
    findings = [*found("out-of-bounds-load", "a", line=4), *named("not-normalised", "a", "b", line=7)]
    assert opened(findings) == ["not-normalised"]


def test_a_launch_that_few_cases_lack_comes_last() -> None:
    findings = [*found("no-launch", "a"), *found("unwritten-elements", "b", "c", line=7)]
    assert opened(findings) == ["unwritten-elements", "no-launch"]
    assert opened([*findings, *found("no-launch", "b", "c")])[0] == "no-launch"


def test_a_gap_is_told_of_at_one_line() -> None:
    findings = [*found("unwritten-elements", "a", line=7), *found("unwritten-elements", "b", line=9)]
    (group,) = account_of(findings).open
    assert group.lines == ()


def test_what_is_of_another_kind_than_a_cause_leads_to_stands_open_in_the_same_cases() -> None:
    wrong, outside = named("not-normalised", "a", "b", line=7), found("out-of-bounds-load", "a", line=4)
    assert opened([*wrong, *found("too-many-programs", "a", "b", "c", line=9)]) == [
        "not-normalised",
        "too-many-programs",
    ]
    assert opened([*found("too-many-loads", "a", "b", "c", line=7), *wrong]) == ["not-normalised"]
    assert opened([*found("wrong-dtype", "a", "b", line=9), *outside]) == ["wrong-dtype", "out-of-bounds-load"]
    assert opened([*found("wrong-shape", "a", "b", line=9), *outside]) == ["wrong-shape"]
    assert opened([*wrong, *found("wrong-memory", "a", line=9)]) == ["not-normalised", "wrong-memory"]


def test_a_tile_too_large_comes_first_where_it_explains_the_rest() -> None:
    wrong, large = named("not-normalised", "a", "b", line=7), "tile-too-large"
    assert opened([*found(large, "a", "b", line=9), *wrong]) == [large, "not-normalised"]
    assert opened([*found(large, "a", "b", line=9), *found("timeout", "c")]) == [large]
    assert opened([*found(large, "a", line=9), *named("not-normalised", "b", "c", line=7)])[0] == "not-normalised"


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("Cannot make_shape_compatible: incompatible dimensions at index 1: 2048 and 2", "compile-error"),
        ("numel (2097152) exceeds triton maximum tensor numel (1048576)", "tile-too-large"),
    ],
)
def test_a_tile_that_shapes_made_too_large_stands_beside_them(said: str, first: str) -> None:
    rejected = Finding("compile-error", "Sentence.", file="p.py", line=4, details={"triton": said})
    assert opened([*found("tile-too-large", "a", line=9), rejected])[0] == first


def test_what_does_not_compile_comes_before_what_it_costs_and_where_it_stops() -> None:
    rejected = Finding("compile-error", "Sentence.", file="p.py", line=4)
    findings = [*found("kernel-error", "a", line=5), *found("too-many-loads", "b", line=6), rejected]
    account = account_of(findings)
    assert [group.first.code for group in account.open] == ["compile-error"]
    assert {group.first.code for group in account.beside} == {"kernel-error", "too-many-loads"}


def test_wrong_values_in_more_cases_than_a_cost_come_first() -> None:
    values = named("wrong-values", "a", "b", line=4)
    assert opened([*found("too-many-loads", "a", line=4), *values]) == ["wrong-values"]
    assert opened([*found("too-many-loads", "a", "b", "c", line=4), *values]) == ["too-many-loads"]


def test_what_has_a_case_of_its_own_stands_open_too() -> None:
    findings = [*named("not-normalised", "a", "b", line=7), *found("out-of-bounds-load", "c", line=4)]
    assert opened(findings) == ["not-normalised", "out-of-bounds-load"]


def test_undefined_lanes_of_the_line_that_is_named_stand_beside_it() -> None:
    findings = [*named("masked-lanes-as-zero", "a", line=4), *found("undefined-lane", "a", "b", "c", line=4)]
    assert opened(findings) == ["masked-lanes-as-zero"]


def test_undefined_lanes_explain_what_looks_like_a_mistake_elsewhere() -> None:
    lanes = found("undefined-lane", "a", "b", "c", line=4)
    assert opened([*named("masked-lanes-in-the-sum", "a", "b", line=9), *lanes]) == ["undefined-lane"]
    both = [*named("masked-lanes-in-the-sum", "a", "d", line=9), *lanes]
    assert opened(both) == ["masked-lanes-in-the-sum", "undefined-lane"]


def test_a_gradient_for_nothing_is_beside_one_that_is_missing() -> None:
    missing = Finding("wrong-type", "None.", file="p.py", line=4, case="a", details={"gradient_of": "b"})
    assert opened([missing, *found("needless-gradient", "c")]) == ["wrong-type"]
    assert opened([*found("wrong-type", "a", line=4), *found("needless-gradient", "c")])[1:] == ["needless-gradient"]


def test_the_same_mistake_in_several_lines_is_told_of_once() -> None:
    findings = [*found("int32-overflow", "a", line=4), *found("int32-overflow", "b", line=9)]
    (group,) = account_of(findings).open
    assert (group.first.line, group.lines, group.seen) == (4, (9,), {"a", "b"})


def test_what_is_about_the_file_is_never_beside() -> None:
    findings = [Finding("compile-error", "Sentence.", file="p.py", line=3), *found("wrong-values", "a")]
    assert opened(findings) == ["compile-error", "wrong-values"]


CODES = st.sampled_from(
    ["compile-error", "out-of-bounds-load", "race-write-write", "scale-missing", "tile-too-large", "wrong-values"]
)
FINDINGS = st.builds(
    lambda code, case, line: Finding(code, "Sentence.", file="p.py", line=line, case=case),
    CODES | st.text(string.ascii_lowercase, min_size=3, max_size=5),
    st.none() | st.sampled_from(CASES),
    st.none() | st.integers(1, 9),
)


@given(st.lists(FINDINGS, max_size=12))
def test_nothing_is_lost_and_some_error_is_open(findings: list[Finding]) -> None:
    account = account_of(findings)
    told = (*account.open, *account.beside, *account.notes)
    assert {group.first.code for group in told} == {finding.code for finding in findings}
    assert {case for group in told for case in group.seen} == {finding.case for finding in findings if finding.case}
    assert bool(account.open) == any(group.is_error for group in grouped(findings))
    assert len(account.open) <= MOST_OPEN


ORDERED = {
    "load": found("out-of-bounds-load", "a", line=4),
    "other load": found("out-of-bounds-load", "b", line=5),
    "named": named("not-normalised", "a", "b", line=7),
    "mended": [Finding("wrong-values", "Sentence.", line=9, case="c", details={PROOF: MENDED, "cases": ["a", "c"]})],
    "gap": found("unwritten-elements", "b", "c", line=8),
    "cost": found("too-many-loads", "a", "b", "c", line=4),
    "note": found("cases-not-run"),
}


@given(st.lists(st.sampled_from(list(ORDERED)), min_size=1, unique=True))
def test_findings_in_order_are_all_there_and_stay_in_it(names: list[str]) -> None:
    findings = [finding for name in names for finding in ORDERED[name]]
    ordered = in_order(findings)
    assert sorted(map(id, ordered)) == sorted(map(id, findings))
    first = account_of(findings).open
    assert [group.first for group in first] == list(ordered[: len(first)])
    assert in_order(ordered)[: len(first)] == ordered[: len(first)]
