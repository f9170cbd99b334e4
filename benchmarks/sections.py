"""The sections of `RESULTS.md`: tables and sentences made from records, nothing typed."""

from __future__ import annotations

import json
import statistics
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.bench import table as tables
from tritonpuzzles.front.bench.ladder import names_of, rungs_of
from tritonpuzzles.front.text import percent, significant
from tritonpuzzles.hardware.l2 import USABLE, l2_named
from tritonpuzzles.results.bench import Bench, BenchPoint, Contender, Speed, bench_from_dict
from tritonpuzzles.results.words import listed

FITS_REGISTERS = 32_768  # columns of a row that one program can hold
LEAST_COLUMNS = 4096  # from here on the kernel counts more than its launch
SOFTMAXES = "softmax", "persistent"
WHOLE_ROWS = "1", "1 tuned", "6"  # solutions that take a row as one tile, however long
NAMES = {
    "addition": "Vector addition",
    "softmax": "Softmax",
    "persistent": "Persistent softmax",
    "attention": "Attention",
    "matmul": "Matrix product",
    "autograd": "Matrix product with its gradients",
}
RIVALS = {
    "attention": ("PyTorch's FlashAttention-2 and cuDNN", "FlashAttention-2", "cuDNN"),
    "matmul": ("cuBLAS", "cuBLAS"),
    "autograd": ("cuBLAS", "cuBLAS"),
}
VERSIONS = {"CUDA": "cuda", "PyTorch": "torch", "Triton": "triton", "Python": "python"}
HEAD = """\
<!-- Made by `python benchmarks/page.py` from benchmarks/results/*.json: do not edit. -->

# Results on record

What the shipped solutions reach on a real GPU, beside PyTorch and beside what the hardware allows. Nothing here was
typed: `python benchmarks/record.py` makes the records on a machine with a GPU, `python benchmarks/page.py` this page.

**How it is timed.** Events around one call, the L2 cache overwritten before each, 150 ms of warm-up, at least 50
samples; a rate is that of the median. PyTorch and a copy are timed in a process that has loaded no solution, each
solution in its own. The output of the last timed call, on numbers that it had not seen, is checked against float64.
GB/s count one read of each input and one write of the output, however often a kernel really reads it. What the host
function does before the launch counts where the GPU has to wait for it. `~` marks a kernel of less than 20
microseconds, where the launch counts more than the kernel.
"""

BYTES = (
    "`tritonpuzzles trace`, `inspect` and `bench` count a kernel's bytes without a GPU, and a model of the GPU's L2 "
    "cache says which of them DRAM moves. They predict a rate: DRAM's bytes move as fast as a copy of the same size, "
    "and all of them no faster than the cache serves{rate}. The table says by how many percent the measured rate "
    'is above or below that. The row "bytes" says how many times the least possible the kernels ask for; beside each '
    "error stands how many times DRAM moves it."
)
MODEL = (
    "**The model.** Programs start in launch order, as many at once as the multiprocessors have room for, and take "
    "turns, one load or store each. Sectors of 32 bytes go through a cache that gives up what was not used for "
    "longest. {gpu} has {mib:.0f} MiB of cache; the model's holds {usable} of that, for real programs drift apart: "
    "this share is taken from the record itself (puzzle 3 at 16,384 columns). What is stored goes to DRAM once. "
    "Size and rate of the cache are measured by `python benchmarks/l2_cache.py`, with a kernel that does nothing "
    "but read again, and nothing was fitted to a kernel. `python benchmarks/predict.py` works the predictions out "
    "anew, without a GPU, and `--errors` prints them in microseconds."
)


@dataclass(frozen=True)
class Record:
    """One file of `benchmarks/results/`."""

    stem: str
    command: str
    recorded: str
    benches: tuple[Bench, ...]

    @property
    def kind(self) -> str:
        """What it was recorded as: `softmax`."""
        return self.stem.rpartition("_")[2]

    @property
    def memory_bound(self) -> bool:
        """Whether its benches are told in GB/s."""
        return self.benches[0].memory_bound


def read_records(folder: Path) -> list[Record]:
    """Read every record, those in GB/s first.

    Raises:
        SystemExit: if there is none.
    """
    found = [_record(path) for path in sorted(folder.glob("*.json"))]
    if not found:
        raise SystemExit(f"There are no records in {folder}; python benchmarks/record.py makes them.")
    return sorted(found, key=lambda record: not record.memory_bound)


def _record(path: Path) -> Record:
    data = json.loads(path.read_text(encoding="utf-8"))
    benches = tuple(bench_from_dict(bench) for bench in data["results"])
    return Record(path.stem, data["command"], data["recorded"], benches)


def page(records: Sequence[Record]) -> str:
    """Return the page."""
    sections = [HEAD]
    for record in records:
        sections += [_speeds(record), *([_predictions(record)] if record.memory_bound else [_ratios(record)])]
        if record.kind == "softmax":
            sections.append(f"{_verdict([other for other in records if other.kind in SOFTMAXES])}\n")
    return "\n".join([*sections, *(_ladder(name, benches) for name, benches in ladders(records).items())])


def ladders(records: Sequence[Record]) -> dict[str, tuple[Bench, ...]]:
    """Return the benches of each machine, by the name that its records' files begin with: `nvidia_h200`."""
    found: dict[str, tuple[Bench, ...]] = {}
    for record in records:
        machine = record.stem.rpartition("_")[0]
        found[machine] = (*found.get(machine, ()), *record.benches)
    return {machine: tuple(sorted(benches, key=lambda bench: bench.puzzle)) for machine, benches in found.items()}


def _speeds(record: Record) -> str:
    first = record.benches[0]
    named = dict(columns(record.benches))
    rows = [[f"{point.size:,}", *(_cell(c.speeds[i]) for c in named.values())] for i, point in enumerate(first.points)]
    ceilings = [significant(first.ceiling_at(index) or 0) for index in range(len(first.points))]
    rows = [[*row, ceiling] for row, ceiling in zip(rows, ceilings, strict=True)]
    limit = "copy" if first.memory_bound else "matrix product"
    return "\n".join(
        [
            f"## {_title(record)}\n",
            f"{_about(record)}\n",
            f"![{first.unit} over {first.axis}](results/{record.stem}.svg)\n",
            f"{first.unit}; numbers are puzzles.\n",
            *markdown_table([first.axis, *named, limit], rows),
            "",
        ]
    )


def _title(record: Record) -> str:
    first = record.benches[0]
    return f"{NAMES[record.kind]}, {tables.shape_words(first)} {first.dtype}, {first.environment['gpu']}"


def _about(record: Record) -> str:
    clocks = sorted({bench.environment.get("sm_mhz") for bench in record.benches} - {None})
    environment = record.benches[0].environment
    span = " to ".join(f"{clock:.0f}" for clock in dict.fromkeys((clocks[0], clocks[-1]))) if clocks else ""
    clock = f"multiprocessors at {span} MHz" if clocks else "clocks not known"
    most = f" (of {environment['sm_max_mhz']:.0f})" if "sm_max_mhz" in environment else ""
    versions = ", ".join(f"{name} {environment[key]}" for name, key in VERSIONS.items() if environment.get(key))
    return wrapped(
        f"Recorded {record.recorded[:10]} by `{record.command}`: driver {environment.get('driver', 'unknown')}, "
        f"{clock}{most} after the timing, {versions}. A large copy: {_copy(record)} GB/s."
    )


def _copy(record: Record) -> str:
    return significant(statistics.mean(bench.copy_gb_per_s for bench in record.benches if bench.copy_gb_per_s))


def columns(benches: Sequence[Bench]) -> Iterator[tuple[str, Contender]]:
    """Yield every contender once: PyTorch's own, then the solutions as `3` and `3 tuned`."""
    for contender in benches[0].contenders:
        if contender.file is None:
            yield contender.name, contender
    yield from files(benches)


def files(benches: Sequence[Bench]) -> Iterator[tuple[str, Contender]]:
    """Yield the solutions: `3`, `3 tuned`."""
    for bench in benches:
        for contender in bench.contenders:
            if contender.file is not None:
                yield f"{bench.puzzle}{' tuned' if contender.name == 'tuned' else ''}", contender


def _cell(speed: Speed) -> str:
    if speed.rate is None:
        return "-"
    return significant(speed.rate) + "".join(tables.MARKS.get(label, "") for label in speed.labels)


def _predictions(record: Record) -> str:
    first = record.benches[0]
    named = dict(files(record.benches))
    errors = {name: [error(speed) for speed in contender.speeds] for name, contender in named.items()}
    rows = [
        [f"{point.size:,}", *(_cell_of(errors[name][index], named[name].speeds[index], point) for name in named)]
        for index, point in enumerate(first.points)
    ]
    moved = [["bytes", *(_multiples(contender, first) for contender in named.values())]]
    return "\n".join(
        [
            "### What the bytes predict\n",
            *(f"{wrapped(text)}\n" for text in _how(record)),
            *markdown_table([first.axis, *named], [*moved, *rows]),
            "",
        ]
    )


def _how(record: Record) -> list[str]:
    """Return how the predictions are made."""
    l2 = l2_named(record.benches[0].environment["gpu"])
    rate = f" ({significant(l2.gb_per_s)} GB/s)" if l2 is not None and l2.gb_per_s else ""
    told = BYTES.format(rate=rate)
    if l2 is None:
        return [told]
    model = MODEL.format(gpu=f"An {l2.gpu}", mib=l2.nbytes / (1 << 20), usable=percent(USABLE))
    return [told, model] if record.kind == "softmax" else [told]


def _cell_of(share: float | None, speed: Speed, point: BenchPoint) -> str:
    """Return an error, with how many times the least possible DRAM moves: `-3 % (1.38x)`."""
    if speed.dram_bytes is None:
        return _signed(share)
    return f"{_signed(share)} ({speed.dram_bytes / point.minimum_bytes:.2f}x)"


def error(speed: Speed) -> float | None:
    """Return by which share a measured rate is above what the bytes predict."""
    if speed.rate is None or speed.predicted is None:
        return None
    return speed.rate / speed.predicted - 1


def _signed(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:+.0f} %"


def _multiples(contender: Contender, bench: Bench) -> str:
    pairs = zip(contender.speeds, bench.points, strict=True)
    times = [speed.ledger_bytes / point.minimum_bytes for speed, point in pairs if speed.ledger_bytes]
    low, high = min(times), max(times)
    return f"{low:.2f}x" if high - low < 0.005 else f"{low:.2f}x to {high:.2f}x"


def _verdict(records: Sequence[Record]) -> str:
    """Return how far off the predictions of softmaxes are in the mean, with the cache and without it."""
    with_cache, without, spilled = [], [], []
    for record in records:
        for name, contender in files(record.benches):
            for point, speed in zip(record.benches[0].points, contender.speeds, strict=True):
                share, by_ledger = error(speed), point.rate_of(speed.ledger_bytes)
                if share is None or by_ledger is None or speed.rate is None or point.size < LEAST_COLUMNS:
                    continue
                with_cache.append(abs(share))
                without.append(abs(speed.rate / by_ledger - 1))
                if name in WHOLE_ROWS and point.size > FITS_REGISTERS:
                    spilled.append(abs(share))
    others = (sum(with_cache) - sum(spilled)) / (len(with_cache) - len(spilled))
    registers = (
        f"The {len(spilled)} times of whole rows in one tile past {FITS_REGISTERS:,} columns (puzzle "
        f"{listed(WHOLE_ROWS)}) are far below their bytes, for such a row does not fit into the registers, and the "
        f"model knows of no spills; the others are {100 * others:.1f} % off. "
    )
    return wrapped(
        f"**All softmaxes**, persistent ones too, from {LEAST_COLUMNS:,} columns on: over {len(with_cache)} times of "
        f"all solutions the prediction is {100 * statistics.mean(with_cache):.1f} % off in the mean; without the cache "
        f"it would be {100 * statistics.mean(without):.1f} %. {registers if spilled else ''}Below {LEAST_COLUMNS:,} "
        "columns launches count as much as bytes."
    )


def _ratios(record: Record) -> str:
    (bench,) = record.benches
    named = dict(files(record.benches))
    title, *names = RIVALS[record.kind]
    rivals = {name: found for name in names if (found := bench.contender(name)) is not None}
    heading = [bench.axis, *(f"{file} over {rival}" for rival in rivals for file in named)]
    rows = [
        [f"{point.size:,}", *(_ratio(c.speeds[i], r.speeds[i]) for r in rivals.values() for c in named.values())]
        for i, point in enumerate(bench.points)
    ]
    return "\n".join([f"### Beside {title}\n", *markdown_table(heading, rows), ""])


def _ratio(speed: Speed, other: Speed) -> str:
    return f"{speed.rate / other.rate:.2f}x" if speed.rate and other.rate else "-"


def _ladder(machine: str, benches: Sequence[Bench]) -> str:
    rungs = rungs_of(benches)
    names = names_of(rungs)
    rows = [
        [rung.name, *(percent(rung.shares[n]) if n in rung.shares else "-" for n in names), rung.whole]
        for rung in rungs
    ]
    return "\n".join(
        [
            f"## From naive to tuned, {benches[0].environment['gpu']}\n",
            "Every puzzle at its largest size, in percent of what the hardware does: a copy of the same size, or a",
            "large matrix product. `tritonpuzzles bench --ladder` draws it on your GPU.\n",
            f"![From naive to tuned](results/{machine}_ladder.svg)\n",
            *markdown_table(["", *names, "100 %"], rows),
            "",
        ]
    )


def wrapped(text: str) -> str:
    """Return a paragraph in lines of at most 120 characters."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def markdown_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table: names to the left, numbers to the right."""
    rule = ["---", *["---:"] * (len(heading) - 1)]
    return [f"| {' | '.join(row)} |" for row in (heading, rule, *rows)]
