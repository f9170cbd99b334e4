"""Describe wrong values that no named mistake explains: where they are, by how much they are off, in which cases.

If the pattern proves a cause, the finding gets a code of its own; otherwise the cause is left open.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import torch
from torch import Tensor

from tritonpuzzles.judge.tolerances import wrong_elements
from tritonpuzzles.judge.verdict.advice import chained_comparison, suggest_line
from tritonpuzzles.judge.verdict.judged import FEW_BITS, UNKNOWN, Cases, JudgedCase, Pattern, have_wrong_values, seen_in
from tritonpuzzles.judge.verdict.layouts import far_rows, strides
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.drawing import dtype_of

SEEN = "seen"  # in details: where values are off, and by how much
FIXED_SIZE = "hard-coded-size"
CONVERT = "Convert with .to(tl.float32) right after the load; round once, at the store."
KEEP_FLOAT32 = "Leave that conversion out: compute in float32 to the end, and let the store round, once."
OUTSIDE_CTX = "kept-outside-ctx"
OUTSIDE_CTX_STEP = "Keep what backward needs in ctx, a new object in every call: ctx.transpose_a = transpose_a."
ATTRIBUTES = (r"^\s*(?!ctx\b)\w+\.\w+(?:\s*,\s*\w+\.\w+)*\s*=(?!=)", r"^\s*global\b")  # Dot.flag = flag
NAN_HIDDEN = "nan-hidden"
NAN_STEP = "Remove what puts a number there: NaN in, NaN out. Of all comparisons with NaN, only != is true."
PUTS_A_NUMBER = (  # where(x == x, x, 0), where(l > 0, acc / l, 0), where(isnan(x), 0, x), maximum(x, 0)
    r"tl\.where\(\s*(\w+)\s*[!=]=\s*\1\b|isnan|nan_to_num",
    r"tl\.where\((?:[^,]|,\s*None)*[<>=]=?\s*-?\d",
    r"tl\.(?:maximum|minimum|clamp)\([^,]*,\s*-?\d",
)
CHAINED = "comparison-chained"
CHAINED_STEP = "Put brackets around each comparison: (rows < n_rows) & (cols < n_cols)."
NEARLY, HALF = 0.1, 0.5  # relative to each truth, and share of the elements: the same numbers with fewer bits
FEWER_BITS = (("float32", torch.float16), ("float32", torch.bfloat16), ("float16", torch.bfloat16))


def pattern_finding(wrong: Cases, compared: Cases, file: Submission) -> Finding:
    """Return one finding for all wrong cases."""
    still = any(loop.staying("store") for loop in file.source.loops)
    names = [case.drawn.name for case in wrong]
    right = [case for case in compared if not case.is_wrong and not case.drawn.is_empty]
    told = partial(Finding, file=str(file), case=names[0], details={"cases": names})
    for rule in (rule for rule in RULES if rule is not _fixed_size or not still):
        if (found := rule(wrong, right)) is not None:
            line = suggest_line(file.source, found.slips)
            line = line or suggest_line(file.source, found.slips, host=found.code == FIXED_SIZE)
            if found.code != NAN_HIDDEN or line is not None:
                step = found.step_there if line and found.step_there else found.step
                return told(found.code, found.text, line=line, next_step=step)
    if (chained := chained_comparison(file.source)) is not None:
        line, text = chained
        return told(CHAINED, f"{text} {have_wrong_values(wrong)}.", line=line, next_step=CHAINED_STEP)
    columns = {case.drawn.name: (1, *case.drawn.golden[case.worst].shape)[-1] for case in wrong}
    first = min(wrong, key=lambda case: (bool(case.drawn.far_apart), columns[case.drawn.name] <= 1))  # the plainest
    seen = seen_in(first, wrong)
    text = f"{seen} The grader does not know which mistake it is."
    step = (
        "Follow its first wrong element through the kernel. "
        f'--case "{first.drawn.name}" --values prints its row, and the right values.'
    )
    return Finding(UNKNOWN, text, file=str(file), case=first.drawn.name, next_step=step, details={SEEN: seen})


def outside_ctx(wrong: Cases, file: Submission) -> Finding | None:
    """Return a finding if only calls with another call in between are wrong; else `None`."""
    if not all(case.drawn.case.between for case in wrong):
        return None
    text = (
        f'Only "{wrong[0].drawn.name}" goes wrong: the forward pass of another call runs before this backward pass, '
        "and what it keeps is used here."
    )
    line = suggest_line(file.source, ATTRIBUTES, host=True)
    return Finding(OUTSIDE_CTX, text, file=str(file), line=line, case=wrong[0].drawn.name, next_step=OUTSIDE_CTX_STEP)


Rule = Callable[[Cases, Cases], Pattern | None]


def _kept_answer(wrong: Cases, right: Cases) -> Pattern | None:
    """The values are those of an earlier call."""
    by_name = {case.drawn.name: case for case in (*wrong, *right)}
    for case in wrong:
        earlier = by_name.get(case.drawn.case.after or "")
        if earlier is None or case.drawn.case.same_numbers:
            continue
        if _is_alike(case.values[case.worst], earlier.drawn.golden[case.worst]):
            text = f'"{case.drawn.name}" returns the answer of "{earlier.drawn.name}": it was kept from that call.'
            return Pattern("cached-answer", text, "Compute every call from its own inputs.")
    return None


def _is_alike(values: Tensor, other: Tensor) -> bool:
    """Return whether two outputs have the same numbers: within a percent, or exactly if they are whole."""
    if values.dtype.is_floating_point or other.dtype.is_floating_point:
        return torch.allclose(values.double(), other.double(), rtol=1e-2, atol=1e-6)
    return torch.equal(values, other)


def _few_bits(wrong: Cases, right: Cases) -> Pattern | None:
    """Some output has no more bits than a shorter type, or only the 16-bit types are wrong."""
    names = dict.fromkeys(output.name for case in wrong for output in case.drawn.outputs)
    for name, (wide, dtype) in product(names, FEWER_BITS):
        outputs = [(case, n, output) for case in wrong for n, output in enumerate(case.drawn.outputs)]
        asked = [(case, n) for case, n, output in outputs if output.name == name and output.dtype == wide]
        full = [(case, n) for case, n in asked if n in case.wrong]
        if len(full) > HALF * len(asked) and all(_fits(case, n, dtype) for case, n in full):
            where = f" in {name}" if len(names) > 1 else ""
            held = str(dtype).removeprefix("torch.")
            text = f"Every {wide} result{where} has no more bits than {held} holds."
            return Pattern(FEW_BITS, text, f"Compute in float32, and store {wide} in {wide}.", _roundings(wrong, held))
    short = all(case.drawn.case.dtype != "float32" for case in wrong)
    # After a bad load, wrong values may come from memory beside the tensors.
    astray = any(finding.kind is Kind.SAFETY for case in wrong for finding in case.findings)
    if short and not astray and any(case.drawn.case.dtype == "float32" for case in right):
        text = "Right in float32, wrong in 16 bits: a step between load and store is computed in the inputs' dtype."
        return Pattern(FEW_BITS, text, CONVERT, _roundings(wrong), KEEP_FLOAT32)
    return None


def _roundings(wrong: Cases, dtype: str = "") -> list[str]:
    """Return patterns of lines that round to a dtype; to the inputs' own if none is named."""
    if all(case.drawn.case.dtype == "bfloat16" for case in wrong):  # it is rounded to float16 on the way
        dtype = "float16"
    if dtype:
        return [rf"(?:\.to\(|dtype\s*=\s*|,\s*)tl\.{dtype}\b"]
    return [r"^(?!.*tl\.(?:dot|store)\().*\.to\(\s*\w+\.(?:dtype|type)\b"]


def _fits(case: JudgedCase, number: int, dtype: torch.dtype) -> bool:
    """Return whether an output is the truth, reduced to the bits or the range of a dtype.

    Zeros, and whole numbers unrelated to the truth, have few bits too.
    """
    values, golden = case.values[number], case.drawn.golden[number].double()
    held = torch.isfinite(golden) & (golden.abs() <= torch.finfo(dtype).max)
    values, golden = values[held], golden[held]
    fit = (torch.equal(numbers.to(dtype).double(), numbers) for numbers in (values, golden))
    if not values.numel() or list(fit) != [True, False]:  # if the truth has few bits itself, this proves nothing
        return False
    step = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps  # spacing of its smallest numbers
    return float(((values - golden).abs() <= NEARLY * golden.abs() + step).double().mean()) > HALF


def _fixed_size(wrong: Cases, right: Cases) -> Pattern | None:
    """In every wrong case, writing stops at the same column.

    If only one case has more columns than that, a constant of that size in every launch proves the same.
    """
    starts = {_first_gap(case.values[case.worst]) for case in wrong}
    start = starts.pop() if len(starts) == 1 else None
    output, cases = wrong[0].drawn.outputs[wrong[0].worst].name, (*wrong, *right)
    if start and _is_constant(start, wrong) and not _is_constant(start, cases):
        return None  # it is the width of a tile, which depends on the rows' length
    columns = [(case.drawn.dims, _columns(case, output)) for case in cases]
    if not start or (len({count for _, count in columns[: len(wrong)]}) == 1 and not _is_constant(start, cases)):
        return None
    text = f"Nothing is written from column {start} on, whatever the number of columns: a size is fixed in the code."
    names = [name for name in wrong[0].drawn.dims if all(count in (None, dims[name]) for dims, count in columns)]
    source = names[0] if len(names) == 1 else "the tensors' shapes"
    return Pattern(FIXED_SIZE, text, f"Derive sizes and trip counts from {source}.", [rf"\b{start}\b"])


def _columns(case: JudgedCase, output: str) -> int | None:
    """Return the length of an output's row; 1 for a single number, `None` if the case does not have that output."""
    return next(((1, *made.shape)[-1] for made in case.drawn.outputs if made.name == output), None)


def _is_constant(size: int, cases: Cases) -> bool:
    """Return whether each case's launches have a constant of this value, whatever the case's shape."""
    launched = [case.evidence.launches for case in cases if not case.drawn.is_empty]
    return all(any(size in launch.constants.values() for launch in launches) for launches in launched)


def _first_gap(values: Tensor) -> int | None:
    """Return the first column of those at the end that are NaN in every row; `None` if there are none, or all are."""
    empty = torch.isnan(values).all(dim=0) if values.ndim == 2 else torch.zeros(1, dtype=torch.bool)
    if not empty[-1] or bool(empty.all()):
        return None
    filled = torch.nonzero(~empty)
    return int(filled[-1]) + 1


def _nan_hidden(wrong: Cases, right: Cases) -> Pattern | None:
    """Only elements that must be NaN are wrong, and they are numbers."""
    for case, number in [(one, number) for one in wrong for number in one.wrong]:
        golden, dtype = case.drawn.golden[number], dtype_of(case.drawn.outputs[number].dtype)
        values = case.values[number].to(dtype)  # in which a truth may be infinite
        off, is_nan = wrong_elements(values, golden, case.tolerances[number]), torch.isnan(golden)
        if not is_nan.any() or bool(off[~is_nan].any()) or bool(torch.isnan(values[is_nan]).all()):
            return None
    number = wrong[0].worst
    got = set(wrong[0].values[number][torch.isnan(wrong[0].drawn.golden[number])].nan_to_num(0.0).tolist())
    what = f"{got.pop():g}" if len(got) == 1 else "numbers"
    name = wrong[0].drawn.outputs[number].name
    text = f'In "{wrong[0].drawn.name}" all else is right, and elements of {name} that must be NaN are {what}.'
    return Pattern(NAN_HIDDEN, text, NAN_STEP, PUTS_A_NUMBER)


RULES: tuple[Rule, ...] = (far_rows, _kept_answer, strides, _fixed_size, _nan_hidden, _few_bits)
