"""`tritonpuzzles check`: grade files, and say what is wrong with them; `mcp`: the same for programs that write kernels.

Those get the checks as tools of the Model Context Protocol.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import click

from tritonpuzzles.front import console
from tritonpuzzles.front.check import next_step
from tritonpuzzles.front.console import bare, status_line
from tritonpuzzles.front.errors import ExitCode, FrontError, refuse_elsewhere
from tritonpuzzles.front.grading import Graded, Request, Source, grade
from tritonpuzzles.front.html import refuse_bad_place, write_page
from tritonpuzzles.front.options import check_options, example, predicted_gpu
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.report import problems, render, without_fixes, without_values
from tritonpuzzles.front.report.problems import log_of
from tritonpuzzles.front.report.several import finish_lines
from tritonpuzzles.front.workspace.files import write_file
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Report, Verdict

STDOUT = Path("-")


@click.command(epilog=example("check 3", "check 1-5 --solution", "check 3 --file ~/attempt.py", "check all --json"))
@check_options
def check_command(
    names: tuple[str, ...],
    solution: bool,
    file: Path | None,
    solutions: Path | None,
    device: str,
    gpu: str | None,
    seed: int | None,
    timeout: float | None,
    case: str | None,
    values: bool,
    as_json: bool,
    github: bool,
    editor: bool,
    sarif: Path | None,
    no_fix: bool,
    html: Path | None,
    name: str,
    verbose: bool,
) -> int:
    """Grade puzzles: your files, or others'. With no N, the next unsolved puzzle.

    The page of --html holds the report, pictures of what each program reads and writes, and the code with its memory
    traffic line by line.

    Exit codes: 0 all pass, 1 at least one does not, 2 usage, 3 a fault of the grader or its environment.
    """
    outputs = Outputs(as_json, github, editor, sarif, html)
    outputs.refuse()
    if name and html is None:
        raise FrontError("--name says whose page it is, and none is written.", "add --html report.html")
    source, told = Source.of(solution=solution, file=file, folder=solutions), values or html is not None
    options = CheckOptions(device, seed, timeout, verbose, case=case, values=told, gpu=predicted_gpu(gpu))
    watched = problems.between(" ".join(names) or "the next puzzle", click.echo) if editor else nullcontext()
    with watched, status_line(verbose) as say:
        graded = grade(Request(names, source, options), say)
        if html is not None:
            write_page(graded, html, timeout, say, name)
            graded = graded if values else replace(graded, report=without_values(graded.report))
    graded = replace(graded, report=without_fixes(graded.report)) if no_fix else graded
    code = outputs.tell(graded.report, lambda: print_graded(graded, verbose))
    if html is not None:
        console.tell_written(shown(html))
    return code


@dataclass(frozen=True)
class Outputs:
    """What a report is printed as, on stdout, and the files that it is written to."""

    as_json: bool
    github: bool
    editor: bool
    sarif: Path | None
    html: Path | None

    @property
    def sarif_file(self) -> Path | None:
        """Where SARIF is written, unless it is printed."""
        return None if self.sarif == STDOUT else self.sarif

    def refuse(self) -> None:
        """Refuse two forms of a report that cannot stand on one stream, and places where no file can be written.

        Raises:
            FrontError: with which they are.
        """
        if (self.as_json, self.github, self.editor, self.sarif == STDOUT).count(True) > 1:
            raise FrontError("--json, --github, --editor and --sarif - exclude each other.", "give one of them")
        for path in filter(None, (self.html, self.sarif_file)):
            refuse_bad_place(path)

    def tell(self, report: Report, show: Callable[[], None]) -> int:
        """Show a report, or print it for a program, and tell what was found to those other programs asked for.

        Returns:
            The exit code: 0 if everything passed, 3 if the grader failed, else 1.
        """
        if self.as_json:
            console.show_json(report.to_dict())
        elif self.sarif == STDOUT:
            console.show_json(log_of(report))
        else:
            show()
        for line in problems.github(report) if self.github else ():
            click.echo(line, bare(sys.stdout))
        for line in ("", *problems.editor(report), problems.ended(report)) if self.editor else ():
            click.echo(line)
        if self.sarif_file is not None:
            write_file(self.sarif_file, json.dumps(log_of(report), indent=2) + "\n")
            console.tell_written(shown(self.sarif_file))
        if any(result.verdict is Verdict.INFRA_ERROR for result in report.results):
            return ExitCode.FAULT
        return ExitCode.PASS if report.passed else ExitCode.FAIL


def print_graded(graded: Graded, verbose: bool = False) -> None:
    """Print a report, and after the last pass the summary."""
    render(graded.report, console.stdout(), verbose, lambda result: next_step(graded, result))
    if graded.completed:
        console.show(lambda width: finish_lines(graded.curriculum, graded.progress, View(width)))


@click.command(epilog=example("mcp"))
def mcp_command() -> None:
    """Serve check, verify, hint and words to a program.

    It speaks on stdin and stdout. The tools read files of this folder alone, or texts that come with a call, and write
    none: not your files, and not your progress. What to do about a finding is left out unless a call asks for it.
    """
    refuse_elsewhere()
    if importlib.util.find_spec("mcp") is None:
        text = "The server needs the package mcp, which is not installed."
        raise FrontError(text, "pip install 'tritonpuzzles[mcp]'", ExitCode.FAULT)
    from tritonpuzzles.front.programs import served

    served().run("stdio")
