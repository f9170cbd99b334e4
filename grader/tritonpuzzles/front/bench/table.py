"""A bench on a terminal: a row per size, a column per contender, or lists for want of room; and means in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from tritonpuzzles.front.page.model import Block, Blocks, Column, Gap, Item, Next, Paragraph, Table, Title, View
from tritonpuzzles.front.page.terminal import Lines, rendered
from tritonpuzzles.front.text import one_line, percent, significant
from tritonpuzzles.results.bench import WRONG, Bench, BenchPoint, Speed
from tritonpuzzles.results.words import plural

NONE = "-"
MARKS = {"launch-bound": "~", "suspicious": "?"}
LABELS = {
    "launch-bound": "below 20 microseconds: the launch counts more than the kernel",
    "suspicious": "faster than this GPU can do the work: not counted",
}
UNMODELLED = "*"
WITHOUT_L2 = "as if DRAM moved every byte: there is no model of the L2 cache for this call"
ABSENT = "not-available"
PADDING = 2
MOST_FAILURES = 3  # of one contender
LARGE_BYTES = 128 << 20  # read and written: tensors of 64 MiB, which no L2 cache holds


@dataclass(frozen=True)
class Series:
    """One column: a heading, and a cell per size."""

    name: str
    cells: tuple[str, ...]
    style: str = ""

    @property
    def heading(self) -> str:
        """The name, with line breaks wherever they are allowed."""
        return self.name.replace(" ", "\n").replace(".", ".\n")

    @property
    def width(self) -> int:
        """Columns of the terminal that it takes."""
        return max(len(word) for word in (*self.heading.split("\n"), *self.cells))


def bench_lines(bench: Bench, best: Sequence[float | None], view: View) -> Lines:
    """Return title, table and what its signs mean."""
    blocks = [*_title(bench), Gap(), *table(columns(bench, best), view), *_signs(bench), *_failures(bench)]
    return rendered(blocks, view)


def table(found: Sequence[Series], view: View) -> Blocks:
    """Return columns side by side, or a list per row where they have no room."""
    wide = sum(column.width for column in found) + PADDING * len(found) <= view.width
    if not wide:
        return _stacked(found)
    rows = [
        [Text(cell, style=column.style) for cell, column in zip(row, found, strict=True)]
        for row in zip(*(column.cells for column in found), strict=True)
    ]
    return [Table([Column(column.heading, right=True, whole=True) for column in found], rows, heads_low=True)]


def columns(bench: Bench, best: Sequence[float | None]) -> list[Series]:
    """Return the columns: size, files, PyTorch's own, the hardware's limit, what the first file's bytes predict."""
    made = [Series(bench.axis, tuple(f"{point.size:,}" for point in bench.points), "bold")]
    for number, contender in enumerate(bench.contenders):
        cells = tuple(_cell(speed) for speed in contender.speeds)
        made.append(Series(one_line(contender.name), cells, "bold green" if number == 0 else ""))
        if number == 0 and any(rate is not None for rate in best):
            made.append(Series("best before", tuple(_rate(rate) for rate in best)))
    ceilings = tuple(_rate(bench.ceiling_at(index)) for index in range(len(bench.points)))
    made.append(Series("copy" if bench.memory_bound else "matrix product", ceilings, "dim"))
    if bench.memory_bound and bench.contenders:
        made.append(Series("bytes predict", tuple(map(_predicted, bench.contenders[0].speeds))))
    return made


def _title(bench: Bench) -> Blocks:
    title = Title(Text.assemble((f"p{bench.puzzle:02d} {one_line(bench.slug)}", "bold"), f"  {bench.unit}"))
    inputs = f"{shape_words(bench)} {one_line(bench.dtype)}, seed {bench.seed}"
    return [title, Paragraph(machine(bench), "dim"), Paragraph(inputs, "dim")]


def machine(bench: Bench) -> str:
    """Return GPU, driver, the clock after the timing, versions."""
    environment = bench.environment
    words = [one_line(str(environment.get("gpu")))]
    words += [f"driver {one_line(str(environment['driver']))}"] if "driver" in environment else []
    words += [f"{environment['sm_mhz']:.0f} MHz"] if "sm_mhz" in environment else []
    words += [f"PyTorch {environment.get('torch')}", f"Triton {environment.get('triton')}"]
    return ", ".join(words)


def shape_words(bench: Bench) -> str:
    """Return the shape, varying dimensions by name: `4,096 x n_cols`, `n x n x n`, `n_rows x n_cols of 2^28`."""
    sizes = tuple(point.size for point in bench.points)
    columns = zip(bench.dims, zip(*(point.shape for point in bench.points), strict=True), strict=True)
    shape = " x ".join(
        bench.axis if column == sizes else f"{column[0]:,}" if len(set(column)) == 1 else name
        for name, column in columns
    )
    elements = {math.prod(point.shape) for point in bench.points}
    if len(elements) > 1 or len(sizes) < 2:
        return shape
    count = elements.pop()
    power = count.bit_length() - 1
    return f"{shape} of {f'2^{power}' if count == 1 << power else f'{count:,}'} elements"


def _cell(speed: Speed) -> str:
    if speed.failure is not None:  # its sentence stands under the table
        return {WRONG: "wrong", ABSENT: NONE, "timeout": "timeout"}.get(speed.failure.code, "failed")
    return _rate(speed.rate) + "".join(MARKS.get(label, "") for label in speed.labels)


def _predicted(speed: Speed) -> str:
    return _rate(speed.predicted) + (UNMODELLED if _is_unmodelled(speed) else "")


def _is_unmodelled(speed: Speed) -> bool:
    return speed.predicted is not None and speed.dram_bytes is None


def _rate(rate: float | None) -> str:
    return NONE if rate is None else significant(rate)


def _stacked(found: Sequence[Series]) -> Blocks:
    """Return a list per size, where a table has no room."""
    first, *others = found
    names = max(len(column.name) for column in others)
    cells = max(len(cell) for column in others for cell in column.cells)
    blocks: list[Block] = []
    for index, size in enumerate(first.cells):
        blocks.append(Paragraph(f"{first.name} {size}".strip(), "bold", 0))
        for column in others:
            text = f"{column.name:<{names}}  {column.cells[index]:>{cells}}"
            blocks.append(Paragraph(text, column.style))
    return blocks


def _signs(bench: Bench) -> Blocks:
    seen = {label for contender in bench.contenders for speed in contender.speeds for label in speed.labels}
    texts = [f"{MARKS[label]} {LABELS[label]}." for label in MARKS if label in seen]
    if bench.memory_bound and any(map(_is_unmodelled, bench.contenders[0].speeds if bench.contenders else ())):
        texts.append(f"{UNMODELLED} {WITHOUT_L2}.")
    return [Gap(), *(Paragraph(text, "yellow") for text in texts)] if texts else []


def _failures(bench: Bench) -> Blocks:
    """Return why files have no speed, each reason once; for PyTorch's own, if not available, the dash is enough."""
    items: list[Item] = []
    for contender in bench.contenders:
        failures = [speed.failure for speed in contender.speeds if speed.failure is not None]
        alike = {failure.message: failure for failure in failures if failure.code != ABSENT}
        for failure in list(alike.values())[:MOST_FAILURES]:
            text = Text(f"{one_line(contender.name)}: {one_line(failure.message)}")
            if failure.line is not None:
                text.append(f" (line {failure.line})", style="dim")
            step = [] if failure.next_step is None else [Next(one_line(failure.next_step))]
            items.append(Item("✗", "bold red", [Paragraph(text, indent=0), *step]))
    return [Gap(), *items] if items else []


def sentences(bench: Bench, best: Sequence[float | None]) -> Iterator[str]:
    """Yield how the first file's speeds compare with the others', with its bytes, and with the learner's best."""
    first, *others = bench.contenders
    wanted = _large(bench)
    speeds, points = [first.speeds[index] for index in wanted], [bench.points[index] for index in wanted]
    theirs = {one_line(other.name): [other.speeds[index].counted_rate for index in wanted] for other in others}
    parts = [f"{significant(mean)}x {name}" for name, mean in _means(speeds, theirs)]
    if parts:
        yield f"{_over(bench, points)}, {one_line(first.name)} runs at {', '.join(parts)} (geometric mean)."
    limits = {
        "a copy": [point.copy_gb_per_s for point in points],
        "what this puzzle's traffic allows": [point.limit_gb_per_s for point in points],
        "what its own bytes predict": [speed.predicted for speed in speeds],
    }
    shares = [f"{percent(mean)} of {what}" for what, mean in _means(speeds, limits)]
    if bench.memory_bound and shares:
        yield f"That is {', '.join(shares)}."
    ratios = _ratios(first.speeds, best)
    if mean := geometric_mean(ratios):
        faster = sum(ratio > 1 for ratio in ratios)
        yield (
            f"Beside your best so far: faster at {faster} of {plural(len(ratios), 'size')}, "
            f"{100 * (mean - 1):+.1f} % in the mean."
        )


def _means(speeds: Sequence[Speed], others: Mapping[str, Sequence[float | None]]) -> Iterator[tuple[str, float]]:
    """Yield the geometric mean of a file's rates over those of each other, where a size has both."""
    for name, rates in others.items():
        if mean := geometric_mean(_ratios(speeds, rates)):
            yield name, mean


def _ratios(speeds: Sequence[Speed], rates: Sequence[float | None]) -> list[float]:
    pairs = zip(speeds, rates, strict=True)
    return [speed.counted_rate / rate for speed, rate in pairs if speed.counted_rate and rate]


def geometric_mean(ratios: Sequence[float]) -> float | None:
    """Return the mean of ratios that treats 2 and 1/2 alike; `None` of nothing."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def _large(bench: Bench) -> list[int]:
    """Return the points that are too large for the caches; all points if there are none, or if not memory-bound."""
    everything = list(range(len(bench.points)))
    large = [index for index in everything if bench.points[index].minimum_bytes >= LARGE_BYTES]
    return large if bench.memory_bound and large else everything


def _over(bench: Bench, points: Sequence[BenchPoint]) -> str:
    low, high = points[0].size, points[-1].size
    return f"At {bench.axis} = {low:,}" if low == high else f"Over {bench.axis} = {low:,} to {high:,}"
