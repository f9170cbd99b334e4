"""`tritonpuzzles inspect` and `trace`: what the kernels of a file become on GPUs, and what each line of them moves.

Of `inspect` a table per kernel, targets side by side as far as they have room, then what was found; the GPUs need not
be there. Of `trace` the memory ledger beside the code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.console import status_line
from tritonpuzzles.front.errors import ExitCode
from tritonpuzzles.front.grading import Source, select_one
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.options import PATH, dark_option, example, one_file_options, predicted_gpu, with_case
from tritonpuzzles.front.page.model import Block, Blocks, Column, Gap, Heading, Paragraph, Table, Title, View
from tritonpuzzles.front.page.terminal import Lines, rendered
from tritonpuzzles.front.pictures import refuse_bad_plot, save
from tritonpuzzles.front.report.findings import every_finding
from tritonpuzzles.front.report.trace import trace_data, trace_lines
from tritonpuzzles.front.text import dimensions, one_line, percent, significant
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.hardware.gpus import DEFAULT_TARGETS, TARGETS
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import named, plain
from tritonpuzzles.results.inspect import Inspection, KernelResources, OnTarget, Prediction
from tritonpuzzles.results.words import plural

VERSION = 1
LABEL_WIDTH, COLUMN_WIDTH = 16, 26  # columns of the terminal
UNKNOWN = "-"
ALL = 0.995  # of the bytes: what is told of as such
LABELS = (
    "registers", "spills", "shared memory", "programs per multiprocessor", "warps per multiprocessor", "limited by",
    "tensor cores", "widest load", "widest store",
)  # fmt: skip


@click.command(epilog=example("inspect 3", "inspect 5 --solution --target sm_90 --target gfx942"))
@one_file_options
@click.option(
    "--target", "targets", type=click.Choice(tuple(TARGETS)), multiple=True, default=DEFAULT_TARGETS, show_default=True,
    help="Compile for this GPU; may be repeated.",
)  # fmt: skip
def inspect_command(
    name: str | None,
    solution: bool,
    file: Path | None,
    seed: int | None,
    timeout: float | None,
    as_json: bool,
    targets: tuple[str, ...],
) -> int:
    """Compile kernels for GPUs that need not be there.

    Shows registers, spills, shared memory and occupancy. Runs the file on the CPU, on one input per dtype, and compiles
    what it launches. Results are not judged. What DRAM moves is predicted for the GPU that `check --gpu` keeps.

    Exit codes: 0 all compiles and can be launched, 1 something does not, 2 usage, 3 a fault of the grader or its
    environment.
    """
    selection, puzzle, submission = select_one("inspect", name, Source.of(solution=solution, file=file))
    from tritonpuzzles.judge.inspect import inspect

    wanted = tuple(dict.fromkeys(targets))
    with status_line() as say:
        options = CheckOptions("cpu", seed, timeout, gpu=predicted_gpu())
        found = judged(inspect, puzzle, submission, wanted, options, progress=say, cache=selection.cache)
    if as_json:
        console.show_json(inspect_data(found))
    else:
        console.show(lambda width: inspect_lines(found, View(width)))
    return ExitCode.PASS if found.ok else ExitCode.FAIL


def inspect_data(found: Inspection) -> dict[str, Any]:
    """Return the object that `inspect --json` prints.

    `{"version": 1, "puzzle", "slug", "file", "seed", "ok", "kernels", "prediction", "findings"}`, where

    - a kernel is `{"kernel", "dtypes", "constants", "targets"}`, and each of its targets
      `{"target", "gpu", "ok", "resources"}`; the fields of `resources` are those of
      `tritonpuzzles.results.inspect.Resources`, it is null for what does not compile, and so is a number that is not
      known;
    - the prediction is `{"shape", "dtype", "minimum_bytes", "ledger_bytes", "memory_bound", "gpu", "dram_bytes",
      "l2_over_copy", "unmodelled", "copy_share"}`, or null if nothing was moved; `dram_bytes` is what the L2 cache of
      that GPU leaves to DRAM, with as many programs at once as on the timed shape, and null where it is not modelled:
      `unmodelled` says why; `l2_over_copy` is its speed over a copy's; `copy_share` is null for a puzzle that is bound
      by arithmetic;
    - a finding is as in the report of `check`.
    """
    data = plain(found)
    for kernel in data["kernels"]:
        kernel["targets"] = [{"gpu": TARGETS[there["target"]].gpu, **there} for there in kernel["targets"]]
    if found.prediction is not None:
        data["prediction"]["copy_share"] = found.prediction.copy_share
    return {"version": VERSION, "ok": found.ok, **data}


def inspect_lines(found: Inspection, view: View) -> Lines:
    """Return the whole inspection in order, as a terminal shows it."""
    title = Title(Text(one_line(named(found.puzzle, found.slug)), style="bold"))
    blocks: list[Block] = [title, Paragraph(f"{shown(one_line(str(found.file)))}, seed {found.seed}", "dim")]
    for kernel in found.kernels:
        blocks += kernel_blocks(kernel, view)
    if found.prediction is not None:
        blocks += [Heading("The ledger predicts"), Paragraph(sentence(found.prediction))]
    return rendered([*blocks, *every_finding(found.findings, found.file)], view)


def kernel_blocks(kernel: KernelResources, view: View) -> Blocks:
    """Return one variant of a kernel: a table of as many targets as there is room for, then the next ones."""
    room = max(1, (view.width - 2 - LABEL_WIDTH) // COLUMN_WIDTH)
    blocks: list[Block] = [Heading(one_line(kernel.kernel), variant(kernel))]
    for start in range(0, len(kernel.targets), room):
        blocks += [*([Gap()] if start else []), _table(kernel.targets[start : start + room])]
    notes = dict.fromkeys(note for there in kernel.targets for note in notes_on(there))
    return [*blocks, *(Paragraph(note, "dim") for note in notes)]


def variant(kernel: KernelResources) -> str:
    """Return what a kernel was compiled for: `float32, BLOCK_SIZE=4096, 16 warps, 3 stages`."""
    words = [one_line(" and ".join(kernel.dtypes))] if kernel.dtypes else []
    words += [f"{one_line(name)}={value}" for name, value in kernel.constants.items()]
    used = next((there.resources for there in kernel.targets if there.resources is not None), None)
    return ", ".join([*words, plural(used.num_warps, "warp")] if used is not None else words)


def sentence(prediction: Prediction) -> str:
    """Return what the bytes say of the speed."""
    of = f"{dimensions(prediction.shape)} {one_line(prediction.dtype)}"
    times = significant(prediction.ledger_bytes / prediction.minimum_bytes) if prediction.minimum_bytes else UNKNOWN
    moved = f"{prediction.ledger_bytes:,} bytes move for {of}, {times} times the least possible"
    if prediction.copy_share is None:
        return f"No share of a copy: this puzzle is bound by arithmetic. {moved}."
    if prediction.dram_bytes is None or prediction.gpu is None:
        why = f" {one_line(prediction.unmodelled)}" if prediction.unmodelled else ""
        return f"At most {percent(prediction.copy_share)} of a copy's bandwidth if DRAM moves every byte: {moved}.{why}"
    share = f"At most {percent(prediction.copy_share)} of a copy's bandwidth on an {prediction.gpu}"
    return f"{share}, by its bytes alone: {moved}{served(prediction)}."


def served(prediction: Prediction) -> str:
    """Return how many of the bytes reach DRAM, as the end of a sentence."""
    dram, least = prediction.dram_bytes or 0, prediction.minimum_bytes
    if dram >= ALL * prediction.ledger_bytes:
        return ", and DRAM moves all of them" if prediction.ledger_bytes > least else ""
    return f"; {significant(dram / least)} times go through DRAM, and the L2 cache serves the rest"


def notes_on(there: OnTarget) -> Iterator[str]:
    """Yield what a reader must know about a target's dashes."""
    if there.resources is None:
        yield f"{there.target}: {UNKNOWN} stands for what is not known of a kernel that cannot be launched."
        return
    yield from (f"{there.target}: {one_line(note)}." for note in there.resources.notes)
    if UNKNOWN in told_of(there).values():
        yield f"{there.target}: {UNKNOWN} stands for what the compiler does not tell."


def _table(targets: Sequence[OnTarget]) -> Table:
    heads = (Text(f"{there.target} ({TARGETS[there.target].gpu})", style="bold") for there in targets)
    launchable = (Text("✓ yes", style="green") if there.ok else Text("✗ no", style="bold red") for there in targets)
    told = [told_of(there) for there in targets]
    rows: list[Sequence[Text]] = [
        [Text(), *heads],
        [Text("launchable", style="dim"), *launchable],
        *([Text(label, style="dim"), *(Text(values[label]) for values in told)] for label in LABELS),
    ]
    return Table([Column(width=LABEL_WIDTH - 2), *[Column(width=COLUMN_WIDTH - 2)] * len(targets)], rows)


def told_of(there: OnTarget) -> dict[str, str]:
    """Return what is told of a kernel on a target, by label; a dash where it is not known."""
    found, gpu, used = dict.fromkeys(LABELS, UNKNOWN), TARGETS[there.target], there.resources
    if used is None:
        return found
    found["shared memory"] = f"{used.shared_bytes:,} of {gpu.shared_bytes_per_block:,} B"
    if used.registers is not None:
        found["registers"] = f"{used.registers} of {gpu.max_registers_per_thread}"
    if used.spill_bytes is not None:
        found["spills"] = plural(used.spill_bytes, "byte") if used.spill_bytes else "none"
    if (room := used.occupancy) is not None:
        found["programs per multiprocessor"] = str(room.blocks_per_sm)
        share = f"{room.warps_per_sm} of {gpu.max_warps_per_sm} ({percent(room.fraction)})"
        found["warps per multiprocessor"], found["limited by"] = share, one_line(room.limited_by)
    if used.tensor_core is not None:
        instructions = (f"{count} {one_line(name)}" for name, count in used.tensor_core.items())
        found["tensor cores"] = ", ".join(instructions) or "none"
    for label, bits in (("widest load", used.load_bits), ("widest store", used.store_bits)):
        if bits is not None:
            found[label] = f"{bits} bits"
    return found


@click.command(epilog=example("trace 3", "trace 3 --plot picture.png --dark", 'trace 3 --case "late maximum"'))
@one_file_options
@click.option("--case", metavar="NAME", help="Run this case alone, and show it.")
@click.option("--plot", type=PATH, metavar="FILE", help="Draw it too: a .png or .svg file.")
@dark_option
def trace_command(
    name: str | None,
    solution: bool,
    file: Path | None,
    seed: int | None,
    timeout: float | None,
    as_json: bool,
    case: str | None,
    plot: Path | None,
    dark: bool,
) -> int:
    """Show what each line of a kernel reads and writes.

    Counts in multiples of the tensors' sizes. Runs every CPU case, and shows the one that `check` names. If the kernel
    passes, it shows the largest case, or with --plot one of few programs and tiles. The picture shows which program
    reads and writes which element, the tiles of one program in order of time, where wrong elements lie, and the traffic
    beside its limits.

    Exit codes: 0 the traffic was counted, 1 the file does not run or there is nothing to draw, 2 usage, 3 a fault of
    the grader or its environment.
    """
    refuse_bad_plot(plot, dark)
    _, puzzle, submission = select_one("trace", name, Source.of(solution=solution, file=file))
    from tritonpuzzles.judge.trace import trace

    with status_line() as say:
        puzzle = puzzle if case is None else with_case(puzzle, case, "cpu")
        options = CheckOptions("cpu", seed, timeout, case=case)
        found = judged(trace, puzzle, submission, options, progress=say, picture=plot is not None)
    drawn = plot is None or save(found, plot, dark=dark)
    if as_json:
        console.show_json(trace_data(found))
    else:
        console.show(lambda width: trace_lines(found, View(width)))
    if found.instead is not None:
        console.warn(found.instead)
    if found.no_picture is not None:
        console.warn(found.no_picture)
    elif plot is not None and drawn:
        console.tell_written(shown(plot))
    return ExitCode.PASS if found.case is not None and drawn else ExitCode.FAIL
