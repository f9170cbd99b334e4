"""The tools of the MCP server: each grading runs in its own process, and cannot reach the files of others.

No tool writes files. Files to check are in the folder where the server was started, or are sent as texts, which are
written to a temporary folder for one call.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from tritonpuzzles import __version__
from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.curriculum.registry import UnknownPuzzleError, load_curriculum
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.glossary import glossary_of
from tritonpuzzles.front.options import puzzle_named
from tritonpuzzles.front.workspace.folder import find_workspace
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.sandbox import Scratch

INSTRUCTIONS = """\
Checks Triton kernels without a GPU: wrong values, accesses out of bounds, races, undefined lanes, 32-bit overflow,
compilation, memory traffic, each with its line. `verify` takes any kernel, `check` a puzzle of this course.
A result's `verdict` is "pass" only if every case passes; `findings` say why not, the cause first. README and the page
docs/json.md explain the fields."""


def served() -> MCPServer:
    """Return the server."""
    server = MCPServer("tritonpuzzles", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in (check, verify, hint, words):
        server.add_tool(tool, annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    return server


async def verify(
    function: str,
    reference: str | None = None,
    cases: Sequence[str] = (),
    sources: Mapping[str, str] | None = None,
    tolerance: str = "close",
    mutates: Sequence[str] = (),
    limits: Sequence[str] = (),
    vary: str = "",
    case: str = "",
    seed: int | None = None,
    fixes: bool = False,
) -> dict[str, Any]:
    """Check any Triton kernel through the function that launches it, and return the report.

    Args:
        function: "swiglu.py:swiglu": allocates outputs, launches kernels, returns tensors; PyTorch may not compute.
        reference: the same in PyTorch, "swiglu.py:reference"; without one no values are checked, but all else.
        cases: one or more, each "a=5x700 b=5x700:bf16 n=3 ids=128:int64:0..999 out=none".
        sources: texts by file name, {"swiglu.py": "import torch ..."}, where they are no files of the folder.
        tolerance: the name of a rule, or a number.
        mutates: names of the arguments that the function changes.
        limits: on traffic, in multiples of a tensor's size: "loads.a=1", "stores.out=1"; "tile=4096".
        vary: kinds of change to try alone: "sizes,dtypes"; "none" tries the cases as they are.
        case: run this case alone.
        seed: of what is drawn.
        fixes: whether the report may say what to do about a finding.
    """
    with laid(sources or {}) as files:
        asked = [files.function(function), *_option("--tolerance", tolerance), *_option("--case", case)]
        asked += [] if reference is None else ["--reference", files.function(reference)]
        asked += ["--no-vary"] if vary == "none" else _option("--vary", vary)
        for option, values in (("--args", cases), ("--mutates", mutates), ("--limit", limits)):
            asked += [word for value in values for word in _option(option, value)]
        return await _graded(files, "verify", asked, seed, fixes, "--confined")


async def check(
    puzzle: str, file: str = "", source: str = "", case: str = "", seed: int | None = None, fixes: bool = False
) -> dict[str, Any]:
    """Check a puzzle of the course, and return the report.

    Args:
        puzzle: its number or name.
        file: to check; without it and a source, that of the workspace.
        source: text of a file to check.
        case: run this case alone.
        seed: of shapes and inputs.
        fixes: whether the report may say what to do about a finding.
    """
    chosen = _known(puzzle)
    name = f"{chosen.stem}.py"
    workspace = find_workspace()
    if not file and not source and workspace is None:
        raise ToolError("This folder is no workspace: give a file or a source.")
    own = workspace.file(chosen) if workspace is not None else Path(name)
    with laid({name: source} if source else {}) as files:
        path = files.path(name if source else file) if file or source else own
        asked = [str(chosen.number), "--file", str(path), "--gpu=none", *_option("--case", case)]
        return await _graded(files, "check", asked, seed, fixes)


def hint(puzzle: str, number: int = 1) -> str:
    """Return a hint to a puzzle of the course: 1 says least, 3 most."""
    if not 1 <= number <= HINTS:
        raise ToolError(f"There are {HINTS} hints.")
    return _known(puzzle).hints[number - 1]


def words(words: str = "") -> str:
    """Explain words of reports and stories, such as "lane, mask"; all of them without a word."""
    try:
        return glossary_of(words)
    except FrontError as error:
        raise ToolError(error.message) from error


def _known(name: str) -> Puzzle:
    try:
        return puzzle_named(name)
    except UnknownPuzzleError as error:
        raise ToolError(str(error)) from error


def _option(name: str, value: str) -> list[str]:
    """Return an option with its value as one word: a value is never read as another option."""
    return [f"{name}={value}"] if value else []


async def _graded(
    files: Files, command: str, asked: Sequence[str], seed: int | None, fixes: bool, *flags: str
) -> dict[str, Any]:
    """Return the report of a command; it ends with the call.

    Raises:
        ToolError: if there is no report, with the command's error message.
    """
    options = [*flags, "--json", *([] if fixes else ["--no-fix"]), *([] if seed is None else [f"--seed={seed}"])]
    scratch = Scratch()  # no workspace: nothing is remembered
    try:
        pack = ["--pack", str(load_curriculum().pack.folder)]
        words = [sys.executable, "-m", "tritonpuzzles", *pack, command, *options, *asked]
        here = {**os.environ, "TMPDIR": str(scratch.path)}
        done = await anyio.run_process(words, check=False, cwd=scratch.path, env=here)
    finally:
        scratch.remove()
    if done.returncode not in (0, 1):
        raise ToolError(files.named(done.stderr).strip() or f"exit code {done.returncode}")
    report: dict[str, Any] = json.loads(files.named(done.stdout))
    return report


@dataclass(frozen=True)
class Files:
    """The files of a call: those in the folder where the server was started, and the texts that were sent with it."""

    texts: frozenset[str]  # names of the texts
    laid: Path  # where these lie

    def path(self, name: str) -> Path:
        """Return where a file lies.

        Raises:
            ToolError: if that is outside the folder.
        """
        if name in self.texts:
            return self.laid / name
        folder = Path.cwd().resolve()
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise ToolError(f"{name} is outside the folder of this server.")
        return path

    def named(self, told: bytes) -> str:
        """Return output of a command, with the names of texts as they were sent."""
        return told.decode("utf-8", "replace").replace(f"{self.laid}/", "")

    def function(self, name: str) -> str:
        """Return FILE:FUNCTION with the place of the file."""
        file, colon, function = name.rpartition(":")
        if not colon:
            raise ToolError(f"{name!r} is not of the form FILE:FUNCTION, such as swiglu.py:swiglu.")
        return f"{self.path(file)}:{function}"


@contextmanager
def laid(texts: Mapping[str, str]) -> Iterator[Files]:
    """Write the texts of a call into a temporary folder, which is removed after it.

    Raises:
        ToolError: for an invalid file name, or a text that is too long.
    """
    for name, text in texts.items():
        if Path(name).name != name or not name.endswith(".py"):
            raise ToolError(f"{name!r} is not a file's name such as swiglu.py.")
        if len(text.encode()) > MAX_SOURCE_BYTES:
            raise ToolError(f"{name} has more than {MAX_SOURCE_BYTES:,} bytes.")
    scratch = Scratch()
    try:
        for name, text in texts.items():
            (scratch.path / name).write_text(text, encoding="utf-8")
        yield Files(frozenset(texts), scratch.path)
    finally:
        scratch.remove()
