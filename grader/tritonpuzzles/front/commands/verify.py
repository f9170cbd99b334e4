"""`tritonpuzzles verify`: check any Triton kernel, without a puzzle."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from tritonpuzzles.front import console
from tritonpuzzles.front.commands.check import Outputs
from tritonpuzzles.front.console import status_line
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.html import Part, page_html
from tritonpuzzles.front.options import PATH, SEED, device_option, example, timeout_option
from tritonpuzzles.front.report import render, without_fixes
from tritonpuzzles.front.verifying import HOSTS, number, read_calls, read_limits, verified
from tritonpuzzles.front.workspace.files import write_file
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.judge.options import CheckOptions, seed_of
from tritonpuzzles.verifier.written import Call

EXAMPLES = (
    "verify swiglu.py:swiglu --reference swiglu.py:reference --arg a=5x700 --arg b=5x700",
    'verify norm.py:norm --args "x=5x700 eps=1e-5" --args "x=1x64:bf16 eps=0"',
    "verify embed.py:embed --arg table=1000x64 --arg ids=128:int64:0..999 --limit loads.ids=1 --json",
)


@click.command(epilog=example(*EXAMPLES))
@click.argument("function", metavar="FILE:FUNCTION")
@click.option("--reference", metavar="FILE:FUNCTION", help="The same function in PyTorch; it gets float64.")
@click.option("--arg", "arguments", multiple=True, metavar="NAME=VALUE", help="An argument of all cases: a=5x700:bf16.")
@click.option("--args", "calls", multiple=True, metavar='"A=... B=..."', help="One case; repeat it for others.")
@click.option("--cases", metavar="FILE:FUNCTION", help="A function that makes a case of a seed and a dtype.")
@click.option("--tolerance", default="close", show_default=True, help="A rule's name, or a number: 1e-3.")
@click.option("--mutates", multiple=True, metavar="NAME", help="An argument that the function changes.")
@click.option("--limit", "limits", multiple=True, metavar="KEY=N", help="Such as loads.a=1, stores.out=1, tile=4096.")
@click.option("--vary", metavar="KINDS", default="", help="Try these changes alone: sizes,dtypes.")
@click.option("--no-vary", is_flag=True, help="Try the cases as they are, and no others.")
@click.option(
    "--host",
    type=click.Choice(HOSTS),
    default="record",
    show_default=True,
    help="eager: PyTorch may compute in it; the file is imported and runs here, unconfined.",
)
@device_option
@click.option("--seed", type=SEED, help="Seed of what is drawn; a new one each time by default.")
@timeout_option
@click.option("--case", metavar="NAME", help="Run this case alone; a pass says nothing of the others.")
@click.option("--values", is_flag=True, help="Show a wrong row, and what variables held, with the right values.")
@click.option("--no-fix", is_flag=True, help="Leave out how to fix a finding.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option("--github", is_flag=True, help="Print the findings as annotations of GitHub too.")
@click.option("--editor", is_flag=True, help="Print the findings as file:line:column: lines too.")
@click.option("--sarif", type=PATH, metavar="FILE", help="Write the findings as SARIF 2.1.0 too; - prints them.")
@click.option("--html", type=PATH, metavar="FILE", help="Write a page too.")
@click.option("--confined", is_flag=True, help="Let reference and cases write no file either, and reach no network.")
@click.option("--verbose", is_flag=True, help="Show every case and all that was printed.")
def verify_command(
    function: str,
    reference: str | None,
    arguments: tuple[str, ...],
    calls: tuple[str, ...],
    cases: str | None,
    tolerance: str,
    mutates: tuple[str, ...],
    limits: tuple[str, ...],
    vary: str,
    no_vary: bool,
    host: str,
    device: str,
    seed: int | None,
    timeout: float | None,
    case: str | None,
    values: bool,
    no_fix: bool,
    as_json: bool,
    github: bool,
    editor: bool,
    sarif: Path | None,
    html: Path | None,
    confined: bool,
    verbose: bool,
) -> int:
    """Check any Triton kernel, without a puzzle or a GPU.

    Calls the function that launches it. VALUE is 5x700:bf16 for a tensor of normally distributed numbers, or
    128:int64:0..999 for one that holds something else: a range, zeros, ones or arange. A tensor of one axis needs its
    dtype: 700:f32. Other values are 3, 1e-5, true, none, bf16 (a dtype) and str:relu (a text).

    The function's file runs in a process of its own, confined. The files of the reference and the cases are imported
    here, and so is the function's with --host eager: name only files that you trust. Without a reference all but the
    values is checked.

    Exit codes: 0 it passes, 1 it does not, 2 usage, 3 a fault of the grader or its environment.
    """
    outputs = Outputs(as_json, github, editor, sarif, html)
    outputs.refuse()
    if no_vary and vary:
        raise FrontError("--vary and --no-vary exclude each other.", "give one of them")
    if confined and (host != HOSTS[0] or html or outputs.sarif_file):
        raise FrontError(f"--confined writes no file, and goes with --host {HOSTS[0]}.", "leave one of them out")
    given = read_calls(arguments, calls)
    if given and cases is not None:
        raise FrontError("--cases makes whole cases, and --arg and --args are others.", "give one of them")
    options = CheckOptions(device, seed_of(seed), timeout, verbose, case=case, values=values)
    with status_line(verbose) as say, contextlib.redirect_stdout(sys.stderr):  # what imported files print is no report
        if confined:
            named = filter(None, (function, reference, cases))
            confine_here(Path(name.rpartition(":")[0]).absolute().parent for name in named)
        under_test, made = _subject(function, given, cases, host, options)
        report = verified(
            under_test, reference, made, tolerance=number(tolerance), mutates=mutates, limits=read_limits(limits),
            host=host, vary=vary.split(",") if vary else not no_vary, options=options, progress=say,
        )  # fmt: skip
    report = without_fixes(report) if no_fix else report
    code = outputs.tell(report, lambda: render(report, console.stdout(), verbose))
    if html is not None:
        write_file(html, page_html(report, [Part(result) for result in report.results]))
        console.tell_written(shown(html))
    return code


def _subject(
    function: str, given: Sequence[Call], cases: str | None, host: str, options: CheckOptions
) -> tuple[Callable[..., Any] | str, Any]:
    """Return what is verified, and its cases.

    Raises:
        FrontError: if there are none, or something cannot be imported.
    """
    from tritonpuzzles.judge.workers.parent import warm_parent

    warm_parent()  # its imports and those of this process take the same seconds
    from tritonpuzzles.verifier.calls import VerifyError, imported, parameters, split
    from tritonpuzzles.verifier.drawn import drawn_calls

    assert options.seed is not None
    try:
        if not given and cases is None:
            named = parameters(*split(function)).positional
            example = " ".join(f"--arg {name}=5x700" for name in named) or "--arg a=5x700"
            raise FrontError(f"{function} is called with nothing.", f"say with what, such as {example}")
        made = drawn_calls(given, options.seed) if cases is None else imported(cases)
        return function if host == HOSTS[0] else imported(function), made
    except VerifyError as error:
        raise FrontError(str(error)) from error
    except (MemoryError, RuntimeError) as error:
        if "allocate memory" not in str(error) and not isinstance(error, MemoryError):
            raise
        step = "verify tries 2^31 elements by itself"
        raise FrontError("The tensors are larger than the memory here.", step) from error


def confine_here(folders: Iterable[Path]) -> None:
    """Let this process write no file but in a temporary folder of its own, and open no connection, for good.

    Workers are not held by this: they are forked by a process that was there before, and confined on their own. To be
    called before torch is imported, while there is one thread. It may read the given folders, beside this one.

    Raises:
        FrontError: where the system cannot do so.
    """
    from tritonpuzzles.judge.workers.parent import warm_parent
    from tritonpuzzles.sandbox import Scratch
    from tritonpuzzles.sandbox.landlock import READ, WRITE, Grant, around, python, restrict, system

    os.environ["TMPDIR"] = str(Scratch().path)
    tempfile.tempdir = None  # it is looked for anew
    warm_parent()
    readable = around([*python(), Path.cwd(), *folders], ())
    try:
        restrict([*system(), *readable, Grant(Path(tempfile.gettempdir()), READ | WRITE)])
    except OSError as error:
        why = f"This system has no Landlock ({error.strerror}), without which --confined holds nothing."
        raise FrontError(why, "leave --confined out where you trust the reference", ExitCode.FAULT) from error
