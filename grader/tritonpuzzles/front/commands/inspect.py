"""`tritonpuzzles inspect`: what the kernels of a file become on GPUs that need not be there."""

from __future__ import annotations

from pathlib import Path

import click

from tritonpuzzles.front import console
from tritonpuzzles.front.console import status_line
from tritonpuzzles.front.errors import ExitCode
from tritonpuzzles.front.grading import Source, select_one
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.options import example, one_file_options
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.report.inspect import inspect_data, inspect_lines
from tritonpuzzles.hardware.targets import DEFAULT_TARGETS, TARGETS
from tritonpuzzles.judge.options import CheckOptions


@click.command(epilog=example("inspect 3", "inspect 5 --solution --target sm_90 --target gfx942"))
@one_file_options
@click.option(
    "--target", "targets", type=click.Choice(tuple(TARGETS)), multiple=True, default=DEFAULT_TARGETS, show_default=True,
    help="Compile for this GPU; may be repeated.",
)  # fmt: skip
def command(
    name: str | None,
    solution: bool,
    file: Path | None,
    seed: int | None,
    timeout: float | None,
    as_json: bool,
    targets: tuple[str, ...],
) -> int:
    """Compile kernels for GPUs that need not be there: registers, spills, shared memory, occupancy.

    Runs the file on the CPU, on one input per dtype, and compiles what it launches. Results are not judged.

    Exit codes: 0 all compiles and can be launched, 1 something does not, 2 usage, 3 a fault of the grader or its
    environment.
    """
    selection, puzzle, submission = select_one("inspect", name, Source.of(solution=solution, file=file))
    from tritonpuzzles.judge.inspect import inspect

    wanted = tuple(dict.fromkeys(targets))
    with status_line() as say:
        options = CheckOptions("cpu", seed, timeout)
        found = judged(inspect, puzzle, submission, wanted, options, progress=say, cache=selection.cache)
    if as_json:
        console.show_json(inspect_data(found))
    else:
        console.show(lambda width: inspect_lines(found, View(width)))
    return ExitCode.PASS if found.ok else ExitCode.FAIL
