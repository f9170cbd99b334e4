"""The cases: passing ones in one line, those with wrong values in full, at least the first few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tritonpuzzles.front.page.model import Block, Blocks, Column, Fold, Heading, Paragraph, Table, View, Words
from tritonpuzzles.front.report.naming import MARKS, marked
from tritonpuzzles.front.text import dimensions, one_line, significant, two_values
from tritonpuzzles.results.check import CaseResult, Finding, Mismatch, PuzzleResult, Verdict
from tritonpuzzles.results.codes import COMPILE_ERROR, NOT_COMPILED, Severity
from tritonpuzzles.results.cover import wrong_values
from tritonpuzzles.results.words import DEVICES, plural

NAMED = 5  # most cases that are named
WIDE = 60  # columns from which names have one width
NEARLY = 100  # times what is allowed: a deviation below it is shown beside that
COLUMNS = (
    Column("case"), Column("shape"), Column("dtype"), Column("on"), Column("verdict", whole=True),
    Column("error / tolerance"), Column("what it is for"),
)  # fmt: skip
LAYOUTS = {
    "contiguous": "",
    "padded": "padded rows",
    "aligned_gaps": "padded rows",
    "column_slice": "column slice",
    "every_other_column": "every other column",
    "far_apart": "rows far apart",
    "columns_far_apart": "columns far apart",
    "apart": "rows apart",
    "columns_apart": "columns apart",
}


def case_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the section on the cases; nothing where none was run. A page has all of them in a table."""
    if not result.cases:
        return []
    failing = [case for case in result.cases if case.verdict is not Verdict.PASS]
    title = Heading("Cases", counts(result.cases) + compiled(result))
    if view.verbose:
        passing = (_passing(case) for case in result.cases if case.verdict is Verdict.PASS)
        return [title, *_opened(failing, result, view), *passing]
    missing = (finding for finding in result.findings if finding.code == "cases-not-run")
    blocks: list[Block] = [title, *(Paragraph(one_line(finding.message)) for finding in missing)]
    if others := wrong_values(result)[1:]:
        names = "; ".join(one_line(case.name) for case in others[:NAMED])
        more = "; ..." if others[NAMED:] else ""
        blocks.append(Paragraph(f"Wrong values in {len(others)} more: {names}{more}"))
    same = alike([case for case in failing if case.mismatch is None], result.findings)
    blocks += (Paragraph(marked(verdict, name, f": {codes}" if codes else "")) for verdict, name, codes in same)
    every = f"All {plural(len(result.cases), 'case')}" if len(result.cases) > 1 else "The case"
    return [*blocks, Fold(every, [_table(result)])]


def clearest_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the section on the case that shows wrong values best; nothing where no values are wrong."""
    wrong = wrong_values(result)
    if view.verbose or not wrong:
        return []
    title = Heading("Clearest case", f"{one_line(wrong[0].name)}  {described(wrong[0])}")
    return [title, *_details(wrong[0], result.findings)]


def _table(result: PuzzleResult) -> Table:
    """Return a row for each case, those that fail first, without the columns in which nothing stands."""
    rows = [_row(case, result) for case in sorted(result.cases, key=lambda case: case.verdict is Verdict.PASS)]
    told = [number for number in range(len(COLUMNS)) if any(row[number] for row in rows)]
    return Table([COLUMNS[n] for n in told], [[row[n] for n in told] for row in rows], "cases")


def _row(case: CaseResult, result: PuzzleResult) -> list[Words]:
    words = one_line(case.dtype), LAYOUTS.get(case.layout, one_line(case.layout)), values_of(case)
    share = "" if case.max_error is None or not case.tolerance else significant(case.max_error / case.tolerance, 2)
    return [
        one_line(case.name),
        dimensions(case.shape),
        " ".join(word for word in words if word),
        DEVICES.get(case.device, one_line(case.device)),
        MARKS[case.verdict].text,
        share or reasons(case, result.findings),
        one_line(case.why),
    ]


def counts(cases: Sequence[CaseResult]) -> str:
    """Return `27 of 27 pass on the CPU, 28 of 30 on the GPU`.

    If some fail, passing cases in which no program runs are not counted, as they prove nothing about the kernel.
    """
    parts: list[str] = []
    for device in dict.fromkeys(case.device for case in cases):
        here = [case for case in cases if case.device == device]
        passed = [case for case in here if case.verdict is Verdict.PASS]
        idle = 0 if len(passed) == len(here) else sum(case.programs == 0 for case in passed)
        verb = "" if parts else "pass "
        of = f"{len(passed) - idle} of {len(here) - idle} {verb}on the {DEVICES.get(device, one_line(device))}"
        parts.append(f"{of} ({plural(idle, 'empty one')} not counted)" if idle else of)
    return ", ".join(parts)


def compiled(result: PuzzleResult) -> str:
    """Return the GPUs that the kernels compile for, present or not; or that the cases were interpreted only.

    A variant is a kernel with one set of constants and types. If only the compiler's front half compiled some of them,
    the result says how many were compiled completely.
    """
    failed = {item.target for item in result.compile if not item.ok}
    targets = list(dict.fromkeys(one_line(item.target) for item in result.compile if item.target not in failed))
    said = {finding.code: finding.message for finding in result.findings}
    if COMPILE_ERROR in said:
        where = f" for {' and '.join(sorted(map(one_line, failed)))}" if failed and targets else ""
        return f", interpreted: compiling failed{where}"
    if NOT_COMPILED in said:
        return f", interpreted: not all was compiled ({one_line(said[NOT_COMPILED]).rpartition(': ')[2].rstrip('.')})"
    if not targets:
        return ""
    variants = [item.assembled for item in result.compile if item.target == result.compile[-1].target]
    part = "" if all(variants) else f" ({sum(variants)} of {len(variants)} variants to machine code)"
    return f"; compiled for {' and '.join(targets)}{part}"


def _opened(cases: Sequence[CaseResult], result: PuzzleResult, view: View) -> Iterator[Block]:
    width = max((len(case.name) for case in cases), default=0) if view.width >= WIDE else 0
    for case in cases:
        yield Paragraph(marked(case.verdict, one_line(case.name).ljust(width), f"  {described(case)}"))
        yield from (replace(line, indent=6) for line in _details(case, result.findings))


def described(case: CaseResult) -> str:
    """Return shape, dtype, layout and the values of a case, as far as it has them; no layout that is its name."""
    layout = LAYOUTS.get(case.layout, one_line(case.layout))
    words = [dimensions(case.shape), one_line(case.dtype), layout if layout != case.name else ""]
    return "  ".join(word for word in (*words, values_of(case)) if word)


def values_of(case: CaseResult) -> str:
    """Return the plain arguments of a case that differ between cases: `eps = 1e-06, causal = True`."""
    return ", ".join(
        one_line(f"{name} = {value}" if value != "" else f'{name} = ""') for name, value in case.values.items()
    )


def _details(case: CaseResult, findings: Sequence[Finding]) -> Iterator[Paragraph]:
    if case.mismatch is not None:
        yield from map(Paragraph, mismatch_sentences(case.mismatch))
        error, limit = case.max_error or 0.0, case.tolerance or 0.0
        if limit < error < NEARLY * limit:
            allowed = significant(limit, 2)
            yield Paragraph(f"The largest deviation is {significant(error, 2)}, and {allowed} is allowed.")
    elif codes := reasons(case, findings):
        yield Paragraph(codes)
    if case.why:
        yield Paragraph(f"About this case: {one_line(case.why)}", "dim")


def mismatch_sentences(mismatch: Mismatch) -> tuple[str, str]:
    """Return how many elements are wrong and where, and the first of them with both values."""
    expected, got = two_values(mismatch.expected, mismatch.got)
    index = ", ".join(str(i) for i in mismatch.first)
    elements = f"{plural(mismatch.total, 'element')} of {one_line(mismatch.output)}"
    return (
        f"{mismatch.wrong:,} of {elements} wrong: {one_line(mismatch.where)}.",
        f"The first is [{index}]: expected {expected}, got {got}.",
    )


def reasons(case: CaseResult, findings: Sequence[Finding]) -> str:
    """Return why a case fails whose values are right or unknown, as codes; their sentences are in the findings."""
    codes = dict.fromkeys(f.code for f in findings if f.case == case.name and f.severity is Severity.ERROR)
    return ", ".join(one_line(code).replace("-", " ") for code in codes)


def alike(cases: Sequence[CaseResult], findings: Sequence[Finding]) -> Iterator[tuple[Verdict, str, str]]:
    """Yield verdict, case name or count, and codes of failing cases without wrong values; the findings say more."""
    for verdict in dict.fromkeys(case.verdict for case in cases):
        same = [case for case in cases if case.verdict is verdict]
        codes = dict.fromkeys(code for case in same for code in reasons(case, findings).split(", ") if code)
        name = f"{one_line(same[0].name)}  {described(same[0])}" if len(same) == 1 else f"{len(same)} cases"
        yield verdict, name, ", ".join(codes)


def _passing(case: CaseResult) -> Paragraph:
    line = marked(case.verdict, one_line(case.name), f"  {described(case)}", "green")
    if case.max_error is not None and case.tolerance:
        share = significant(case.max_error / case.tolerance, 2)
        line.append(f"  error {case.max_error:.1e}, {share} of the tolerance", style="dim")
    return Paragraph(line)
