"""The command line: which commands there are, and the one place where errors become sentences and exit codes.

Each command's grammar and work stand together in a file of `front/commands/`, as `<name>_command`; `COMMANDS` says in
which. They are imported only when asked for.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from tritonpuzzles import __version__
from tritonpuzzles.curriculum.registry import UnknownPuzzleError
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.decoding.marks import close_to
from tritonpuzzles.front import judge_process
from tritonpuzzles.front.console import fitting, is_terminal, open_missing, plain_lines, prepare_streams, stderr
from tritonpuzzles.front.errors import ExitCode, FrontError, grades_here
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.folder import find_workspace, open_for, why
from tritonpuzzles.results.words import sentence
from tritonpuzzles.sandbox import not_dumpable

COMMANDS = {
    "init": "init", "list": "list", "show": "list", "words": "list", "docs": "list", "check": "check",
    "verify": "verify", "watch": "watch", "bench": "bench", "trace": "inspect", "inspect": "inspect",
    "roofline": "roofline", "hint": "hint", "solution": "hint", "swap": "restore", "reset": "restore",
    "restore": "restore", "notebook": "notebook", "doctor": "doctor", "completion": "init", "dev": "dev",
    "class": "classroom", "mcp": "check",
}  # fmt: skip
WITHOUT_ARGUMENTS = "list"  # where nobody can watch
GRADING = frozenset({"check", "watch", "bench", "trace", "inspect", "roofline"})  # these have a judge run files,
GRADING_CLASS = (["class", "grade"], ["class", "report"])  # and so do these of their group
HELP = frozenset({"-h", "--help"})
GITHUB = "GITHUB_ACTIONS"  # set where a runner of GitHub's reads what is printed


class Commands(click.Group):
    """The commands of `COMMANDS`, in that order, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the help text."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line; of a name that is none, say which is near."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = close_to(args[0], COMMANDS)
            if near is None:
                raise
            raise click.UsageError(f"{error.message} Did you mean {near!r}?", ctx) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or return `None` for a name that is none."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"tritonpuzzles.front.commands.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExamples:\n  tritonpuzzles check 3\n  tritonpuzzles hint 3",
)
@click.version_option(__version__, message="tritonpuzzles %(version)s")
@click.option("--pack", metavar="DIR", help="Another curriculum: a folder with a curriculum.toml, or an installed one.")
@click.pass_context
def cli(ctx: click.Context, pack: str | None) -> int | None:
    """Triton puzzles, from naive softmax to FlashAttention-2.

    Edit a file in puzzles/, check it, ask for a hint. N is a puzzle's number, or a name such as online_softmax.
    """
    open_for(pack)
    if ctx.invoked_subcommand is not None:
        return None
    watches = grades_here() and is_terminal() and find_workspace()
    command = cli.get_command(ctx, "watch" if watches else WITHOUT_ARGUMENTS)
    assert command is not None
    code: int | None = ctx.invoke(command)
    return code


def run() -> NoReturn:
    """Run this process's command and end the process there and then.

    An interpreter that ends in the ordinary way takes torch apart, and a GPU's context: up to 0.6 s in which nothing
    is left to do.
    """
    open_missing()
    _begin(sys.argv[1:])
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def _begin(words: Sequence[str]) -> None:
    """Start the judge, if a command line will need it.

    It imports for seconds, and what the command itself imports takes a good half of one.
    """
    if HELP.intersection(words) or not grades_here():
        return
    named = words[2:3] if words[:1] == ["--pack"] else words[1:2] if words and words[0].startswith("--pack=") else words
    if GRADING.intersection(named[:1]) or [*named[:2]] in GRADING_CLASS:
        with contextlib.suppress(OSError):  # no process is to be had: the command itself will say so
            judge_process.begin()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; no error of ours leaves it as a traceback."""
    prepare_streams()
    with contextlib.suppress(OSError):  # a system that has no such thing
        not_dumpable()  # what this process knows is nobody else's, also not of other processes of its user
    for name in ("SIGTERM", "SIGHUP"):  # end as on Ctrl-C, which ends the workers too; Windows has no SIGHUP
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    words = list(sys.argv[1:] if arguments is None else arguments)
    with plain_lines() if "--github" in words or GITHUB in os.environ else contextlib.nullcontext():
        return _main(words)


def _main(words: list[str]) -> int:
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # as `__main__` leaves it
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = cli.main(words, prog_name="tritonpuzzles", standalone_mode=False)
        sys.stdout.flush()
        return int(code or ExitCode.PASS)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what follows has nobody to read it
        return int(ExitCode.FAULT)
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", None, ExitCode.INTERRUPTED)
    except Exception as error:
        if "--verbose" in words and not isinstance(error, (click.ClickException, FrontError, UnknownPuzzleError)):
            traceback.print_exc()
        return report_error(error)


def report_error(error: Exception) -> int:
    """Say on stderr what stopped a command and what to do about it; return its exit code."""
    return _say(*explained(error))


def explained(error: Exception) -> tuple[str, str | None, ExitCode]:
    """Return an error's sentence, next step and exit code."""
    match error:
        case FrontError():
            return error.message, error.next_step, error.code
        case UnknownPuzzleError():
            return str(error), "tritonpuzzles list", ExitCode.USAGE
        case click.NoSuchOption(option_name="--pack"):
            command = error.ctx.info_name if error.ctx else "check"
            step = f"tritonpuzzles --pack DIR {command} ..."
            return "--pack stands before the command, not after it.", step, ExitCode.USAGE
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "tritonpuzzles"
            return error.format_message(), f"{command} --help", ExitCode.USAGE
        case click.ClickException():
            return error.format_message(), None, ExitCode.USAGE
        case RecordError():
            return sentence(f"The curriculum cannot be read: {error}"), None, ExitCode.FAULT
    name = "" if isinstance(error, (RuntimeError, OSError)) else f"{type(error).__name__}: "
    return f"The grader cannot work here: {name}{why(error)}", "tritonpuzzles doctor", ExitCode.FAULT


def _say(message: str, next_step: str | None, code: ExitCode) -> int:
    for text in (f"tritonpuzzles: {message}", *([] if next_step is None else [f"Next: {next_step}"])):
        click.echo(fitting(harmless(text), stderr()), err=True)
    return int(code)
