"""Name the mistake behind wrong values: find the one that explains every case, or describe the pattern.

A mistake explains a check if its emulation gives the learner's values in the wrong cases, and the truth in the right
ones. The mistake that explains every wrong case is named, else the one that explains most of them, with the share. If
none does, the pattern is described and the cause left open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import torch
from torch import Tensor

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.mistakes import Form, Mistake, Tile
from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.resolve import authored, resolve
from tritonpuzzles.judge.verdict import patterns
from tritonpuzzles.judge.verdict.advice import line_of, rules_out, spoken, still_loops, suggest_line
from tritonpuzzles.judge.verdict.emulate import Sign, emulations, shown, shows_why
from tritonpuzzles.judge.verdict.judged import IN_PART, UNPROVEN, JudgedCase, clearest_first, have_wrong_values
from tritonpuzzles.judge.verdict.kernels import SEVERAL
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import EMULATED, SHOWN, UNWRITTEN
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.source import Source

MOST = 0.8  # share of the wrong cases that a named mistake must explain
MAX_STEPS = 2048  # along a row: an emulation with more steps takes minutes
MAX_TILES = 8
MOST_OPERATIONS = 1 << 34  # of all emulations of the smallest wrong case: the likeliest mistakes come first
LARGEST = 2**20  # elements of a block in Triton: a larger constant is no tile size


def diagnose(task: Task, judged: Sequence[JudgedCase], file: Submission) -> list[Finding]:
    """Return the finding that names the mistake or describes the pattern; nothing if no value is wrong.

    Raises RecordError if the emulation of a mistake does not fit a case.
    """
    with_values = [case for case in judged if case.comparison is not None and case.comparison.outputs]
    wrong = sorted((case for case in with_values if case.is_wrong), key=_size)
    if not wrong:
        return []
    if (outside := patterns.outside_ctx(wrong, file)) is not None:
        return [outside]
    right = [case for case in with_values if not case.is_wrong]
    best, share = None, 0.0
    possible = (mistake for mistake in resolve(task).mistakes if not rules_out(file.source, mistake))
    each = evaluate(task.operations, wrong[0].drawn.dims) if task.operations else 1
    forms = (form for mistake in possible for form in _forms(mistake))
    for form in islice(forms, MOST_OPERATIONS // max(1, each)):
        with authored(task, f"mistake {form.code!r}"):
            explained = _explained(form, wrong, right)
        if explained > share:
            best, share = form, explained
        if share == 1:
            break
    if best is None or share < MOST:
        return [_recognised(task, wrong, file) or patterns.pattern_finding(wrong, with_values, file)]
    return [_named(task, best, share, clearest_first(wrong, judged), file)]


def _recognised(task: Task, wrong: Sequence[JudgedCase], file: Submission) -> Finding | None:
    """Return the finding of the first mistake without emulations whose sign is seen in the wrong cases."""
    for mistake in resolve(task).mistakes:
        if not mistake.emulations and (seen := _shown(task, mistake, wrong, file.source)) is not None:
            return Finding(
                mistake.code,
                f"{seen.says} {have_wrong_values(wrong)}.",
                file=str(file),
                line=seen.line or line_of(file.source, mistake),
                case=seen.case.drawn.name,
                next_step=seen.next_step,
                details={"cases": [case.drawn.name for case in wrong], SHOWN: True},
            )
    return None


def _shown(task: Task, mistake: Mistake, wrong: Sequence[JudgedCase], source: Source) -> Sign | None:
    with authored(task, f"mistake {mistake.code!r}"):
        return shown(mistake, wrong, source)


def _named(task: Task, mistake: Mistake, share: float, wrong: Sequence[JudgedCase], file: Submission) -> Finding:
    seen = _shown(task, mistake, sorted(wrong, key=_size), file.source)
    still = still_loops(file.source) if mistake.still else ""
    tried = [case for case in wrong if _is_tried(case)]
    little = IN_PART if share < 1 else _say_little(tried)  # its values prove little, or it explains only some cases
    explained = every_value(wrong) if share == 1 else most_values(share, len(tried), len(wrong))
    says = seen.says if seen else spoken(mistake.says, file.source)
    return Finding(
        mistake.code,
        f"{says}{still} That explains {explained}.",
        file=str(file),
        line=(seen and seen.line)
        or _at_a_store(mistake, wrong, file)
        or _of_output(mistake, wrong, file)
        or line_of(file.source, mistake),
        case=(seen.case if seen else wrong[0]).drawn.name,
        next_step=seen.next_step if seen else spoken(mistake.next_step, file.source),
        details={
            "cases": [case.drawn.name for case in wrong],
            **({UNPROVEN: little} if little else {}),
            SHOWN if seen else EMULATED: True,
        },
    )


def _forms(mistake: Mistake) -> Iterator[Mistake]:
    """Yield each form of a mistake: a kernel makes the mistake in one form in all cases, right and wrong."""
    for emulate in mistake.emulations:
        form = mistake.forms.get(emulate, Form())
        yield replace(
            mistake,
            emulations=(emulate,),
            lines=form.lines or mistake.lines,
            says=form.says or mistake.says,
            next_step=form.next_step or mistake.next_step,
        )


def _at_a_store(mistake: Mistake, wrong: Sequence[JudgedCase], file: Submission) -> int | None:
    """Return a line that may contain a mistake: one at which several programs store to one place.

    Else one of the innermost loop around a store that leaves elements unwritten.
    """
    stores = [finding for case in wrong for finding in case.findings]
    several = {finding.line for finding in stores if finding.code in SEVERAL and finding.line is not None}
    loop = file.source.storing_loop({finding.line for finding in stores if finding.code == UNWRITTEN})
    around = {loop.line, loop.end_line or loop.line} if loop is not None else set()
    lines = (suggest_line(file.source, mistake.lines, among) for among in (several, around) if among)
    return None if mistake.host else next(filter(None, lines), None)


def _of_output(mistake: Mistake, wrong: Sequence[JudgedCase], file: Submission) -> int | None:
    """Return a line that may contain a mistake and names the only output, of several, that is ever wrong."""
    names = {case.drawn.in_record(case.drawn.outputs[number].name) for case in wrong for number in case.wrong}
    if len(names) != 1 or all(len(case.drawn.outputs) == 1 for case in wrong):
        return None
    named = [rf"^(?=.*\b{re.escape(name)}\b)(?=.*(?:{pattern}))" for name in names for pattern in mistake.lines]
    return suggest_line(file.source, named, host=mistake.host)


def most_values(share: float, tried: int, wrong: int) -> str:
    """Return a phrase on how many of the wrong cases are explained, of those that the mistake was tried on."""
    several = f"the {tried} cases that it is tried on" if tried < wrong else f"{tried} cases"
    return f"the wrong values in {round(share * tried)} of {several}"


def every_value(wrong: Sequence[JudgedCase]) -> str:
    """Return a phrase on the cases of which all wrong values are explained."""
    cases = f'"{wrong[0].drawn.name}"' if len(wrong) == 1 else f"{len(wrong)} cases"
    return f"every wrong value, in {cases}"


def _size(case: JudgedCase) -> int:
    return max(golden.numel() for golden in case.drawn.golden)


def _explained(mistake: Mistake, wrong: Sequence[JudgedCase], right: Sequence[JudgedCase]) -> float:
    """Return the share of the wrong cases that a mistake explains; 0 if a right case contradicts it.

    Cases of millions of elements are left out, because trying every mistake on one takes minutes. So are empty cases,
    which prove nothing.
    """
    small = [case for case in wrong if _is_tried(case)]
    if not small:
        return 0.0
    allowed = 0 if _say_little(small) else int((1 - MOST) * len(small))
    explained: list[JudgedCase] = []
    blank = True
    for tried, case in enumerate(small, 1):
        given = next((values for values in _emulations(mistake, case) if case.gives(values)), None)
        if given is not None:
            explained.append(case)
            blank = blank and all(bool(torch.isnan(values).all()) for values in given)
        if tried - len(explained) > allowed:
            return 0.0
    # NaN that was never written, or a few cases that any mistake would explain
    unwritten = blank and any(case.is_unwritten for case in explained)
    unclear = unwritten or (len(explained) < len(small) and _say_little(explained))
    # To contradict a mistake, the largest right case of each family and dtype is enough.
    right = sorted(filter(_is_tried, right), key=_size)
    telling = {(case.drawn.case.family, case.drawn.case.dtype): case for case in right}.values()
    tried_on_right = (any(case.agrees(values) for values in _emulations(mistake, case)) for case in telling)
    return 0.0 if unclear or not all(tried_on_right) else len(explained) / len(small)


def _say_little(explained: Sequence[JudgedCase]) -> bool:
    """Return whether no wrong value is a number other than 0.

    Many mistakes end in NaN or a division by infinity. In that case one must explain every case.
    """
    return not any(case.is_number(number) for case in explained for number in case.wrong)


def _is_tried(case: JudgedCase) -> bool:
    return not case.drawn.is_empty and _size(case) > 0 and shows_why(case.drawn)


def _emulations(mistake: Mistake, case: JudgedCase) -> Iterator[tuple[Tensor, ...]]:
    """Yield the mistake's results for each tile that the kernel may have used."""
    return emulations(mistake, case.drawn, tiles(case))


def tiles(case: JudgedCase) -> list[Tile]:
    """Return the tiles that a case's launches may have used, from their constants and largest block."""
    fitting: dict[Tile, None] = {}
    for launch in case.evidence.launches:
        made = partial(Tile, dtype=case.drawn.dtype, constants=launch.constants)
        sizes = [size for size in launch.constants.values() if 0 < size <= LARGEST]
        largest = launch.largest_tile or 0
        if not largest:
            fitting |= dict.fromkeys(made(rows, cols) for cols in sizes for rows in (1, *sizes))
            continue
        explained = largest in sizes or any(a * b == largest for a in sizes for b in sizes)
        for cols in sizes if explained else [*sizes, largest]:
            rows = [max(1, largest // cols), *(size for size in sizes if size * cols <= largest)]
            fitting |= dict.fromkeys(made(size, cols) for size in rows)
    width = case.drawn.shape[-1]
    likely = [tile for tile in fitting if tile.cols * MAX_STEPS >= width]  # a number of splits is a constant, too
    programs = max((launch.programs for launch in case.evidence.launches), default=0)
    found = likely[:MAX_TILES] or [Tile(1, max(1, width), case.drawn.dtype)]
    return [replace(tile, programs=max(1, programs)) for tile in found]
