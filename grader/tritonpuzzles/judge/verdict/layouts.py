"""Wrong values only for tensors that are not contiguous: assumed strides, offsets past 32 bits."""

from __future__ import annotations

import re

from tritonpuzzles.judge.drawn import BEYOND, DrawnCase, Layout
from tritonpuzzles.judge.tolerances import difference
from tritonpuzzles.judge.verdict.judged import STRIDES, Cases, JudgedCase, Pattern
from tritonpuzzles.results.cover import INT32_OVERFLOW
from tritonpuzzles.results.words import listed

HALF, PART = 0.5, 0.25  # of rows (the first one is right) and of their elements (some are equal by chance)
FAR_ROWS_STEP = "Make the row 64 bits wide before the product: row = tl.program_id(0).to(tl.int64)."


def strides(wrong: Cases, right: Cases) -> Pattern | None:
    """All cases with gaps between rows of inputs are wrong, and some cases without gaps are right."""
    if not all(map(_are_rows_of_others, wrong)):
        return None
    gaps = next(filter(None, (with_gaps(case.drawn) for case in wrong)), None)
    uneven = all(any(map(_is_uneven, case.drawn.inputs)) for case in wrong)
    even = not all(any(map(_is_uneven, case.drawn.inputs)) for case in right)
    if gaps and uneven and even and not any(with_gaps(case.drawn) for case in right):
        text = f"Right where rows follow each other without gaps, wrong where those of {listed(gaps)} have gaps."
        step = "Step from row to row by each tensor's own stride(0), which the host function passes on."
        return Pattern(STRIDES, text, step, _slips(wrong))
    cases = (*wrong, *right)  # a second backward pass has other tensors
    names = [name for name in wrong[0].drawn.tensors if all(name in case.drawn.tensors for case in cases)]
    return next(filter(None, (_strides_of(name, wrong, right) for name in names)), None)


def _are_rows_of_others(case: JudgedCase) -> bool:
    """Return whether wrong values may be those of other rows: most rows are wrong, in many elements.

    If only single numbers are off, as by rounding, the rows were read from the right place.
    """
    given, golden, limit = case.output(case.worst)
    off = ~(difference(given, golden) <= limit)
    rows = off.reshape(-1, off.shape[-1] if off.ndim else 1)
    wrong = rows.any(dim=1)
    return bool(wrong.double().mean() >= HALF) and bool(rows[wrong].double().mean() >= PART)


def _strides_of(name: str, wrong: Cases, right: Cases) -> Pattern | None:
    """One tensor is not contiguous in all wrong cases, and contiguous in all right ones."""
    here, elsewhere = ([case.drawn.tensors[name] for case in cases] for cases in (wrong, right))
    along = f"Step along a row of {name} by its stride(1)."
    across = f"Step from row to row of {name} by its stride(0), and along a row by its stride(1)."
    for differs, usual, step in (
        (_is_turned, f"the elements of a row of {name} are neighbours", along),
        (_is_uneven, f"{name} is contiguous", across),
    ):
        if elsewhere and all(map(differs, here)) and not any(map(differs, elsewhere)):
            turned = any(_is_turned(made) and made.stride[-2] == 1 for made in here)
            gaps = any(name in with_gaps(case.drawn) for case in wrong)
            lies = " or ".join(["transposed"] * turned + ["a part of a wider matrix"] * gaps)
            return Pattern(STRIDES, f"Right where {usual}, wrong where {name} is {lies}.", step, _slips(wrong))
    return None


def _slips(wrong: Cases) -> list[str]:
    """Return patterns of lines that step by a size of the puzzle, or by 1, in place of a stride."""
    sizes = "|".join(dict.fromkeys(name for case in wrong for name in case.drawn.dims))
    rows = [(row, case.drawn) for case in wrong for row in case.evidence.traffic]
    pointers = sorted({re.escape(row.argument) for row, drawn in rows if row.tensor in with_gaps(drawn)})
    turned = sorted({re.escape(row.argument) for row, drawn in rows if row.tensor in _turned(drawn)})
    steps = (rf"\*\s*(?i:{sizes})\b", rf"\b(?i:{sizes})\s*\*")  # x_ptr + row * n_cols, or x_ptr += n_cols * row
    slips = [rf"\b{name}\s*(?:\+=|\+)[^,=]*{step}" for name in pointers for step in steps]
    moved = (rf"\b{name}\w*\s*\+=\s*[A-Z0-9_]+\s*$" for name in turned)  # a_ptrs += BLOCK_K
    return [*slips, *moved, *(rf"\b{name}\s*\+" for name in turned)]


def _is_turned(made: Layout) -> bool:
    """Return whether the elements of a tensor's rows are not adjacent in memory."""
    return len(made.shape) > 1 and made.shape[-1] > 1 and made.stride[-1] != 1


def _is_uneven(made: Layout) -> bool:
    """Return whether a tensor is not contiguous."""
    return made.far_stride is not None or not made.tensor().is_contiguous()


def with_gaps(drawn: DrawnCase) -> list[str]:
    """Return the tensors with several rows and gaps between them."""
    return [
        name
        for name, made in drawn.tensors.items()
        if len(made.shape) > 1 and made.shape[-2] > 1 and (made.far_stride or made.stride[-2]) > made.shape[-1]
    ]


def _turned(drawn: DrawnCase) -> list[str]:
    """Return the tensors whose rows' elements are not adjacent in memory."""
    return [name for name, made in drawn.tensors.items() if _is_turned(made)]


def far_rows(wrong: Cases, right: Cases) -> Pattern | None:
    """On a GPU only the case with rows beyond 32-bit offsets is wrong; the CPU engine reports such offsets itself."""
    on_gpu = all(case.comparison is not None and case.comparison.result.device == "cuda" for case in wrong)
    far = right and on_gpu and all(case.drawn.far_apart for case in wrong)
    return Pattern(INT32_OVERFLOW, far_rows_text(wrong[0].drawn), FAR_ROWS_STEP) if far else None


def far_rows_text(drawn: DrawnCase) -> str:
    """Return a sentence on the first row or column that a 32-bit offset cannot reach."""
    tensor = drawn.far_apart[0]
    made = drawn.tensors[tensor]
    called, size = ("row", made.shape[0]) if made.stride[-1] == 1 else ("column", made.shape[1])
    step = made.far_stride or 0
    number = next(number for number in range(size) if number * step >= BEYOND)
    return (
        f'Only "{drawn.name}" goes wrong: {called} {number} begins {number * step:,} elements into {tensor}, and the '
        f"largest 32-bit number is {(1 << 31) - 1:,}. A product of {called} and stride in 32 bits is negative there."
    )
