"""Load the submission, or report in one sentence why it does not load."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import sys
import tokenize
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from tritonpuzzles.insides import Autotuner, JITFunction
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.results.words import without_addresses
from tritonpuzzles.sandbox import NotRegularError, TooLargeError, read_regular


class SubmissionError(Exception):
    """The submission cannot be run; `finding` says why, for the learner."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


_DEFINING = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)  # statements that define names
IMPORTS = {"torch": "import torch", "triton": "import triton", "tl": "import triton.language as tl"}
LAUNCHED = "a kernel is launched while the file is imported"
NOT_AT_IMPORT = "The check calls {host} itself. Put your own calls below `if __name__ == '__main__':`."


def load_host(path: Path, host: str) -> tuple[Callable[..., Any], list[Finding]]:
    """Import a submission and return its host function, and a note if a statement was left out of the import.

    Raises SubmissionError for any failure, including `sys.exit` at import.
    """
    source = read_source(path)
    check_syntax(path, source)
    module, left_out = import_file(path, host, source)
    function = getattr(module, host, None)
    if not callable(function):
        known = {name: getattr(value, "__module__", None) for name, value in vars(module).items() if callable(value)}
        defined = ", ".join(name for name, home in known.items() if home == module.__name__) or "nothing"
        text = f"{path.name} defines no function {host}(...); it defines {defined}."
        step = f"Keep the name {host}; `tritonpuzzles reset` puts the stub back and keeps your file."
        raise _refused(path, "missing-host-function", text, step=step)
    checked: Callable[..., Any] = function
    return checked, left_out


def read_source(path: Path) -> bytes:
    """Return a file's bytes; raises SubmissionError if it cannot be read, is not UTF-8 or larger than 1 MiB."""
    try:
        source = read_regular(path, MAX_SOURCE_BYTES)
    except NotRegularError as error:
        raise _refused(path, "missing-file", f"{path} is not a file.") from error
    except TooLargeError as error:
        text = f"{path.name} has {error.size:,} bytes; at most {MAX_SOURCE_BYTES:,} are read."
        raise _refused(path, "file-too-large", text) from error
    except OSError as error:
        raise _refused(path, "missing-file", f"{path} cannot be read: {error.strerror}.") from error
    try:
        source.decode("utf-8-sig")
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        if encoding not in ("utf-8", "utf-8-sig"):
            text = f"{path.name} says in its first lines that it is {encoding}; it is read as UTF-8."
            raise _refused(path, "not-utf8", text, 1, "Leave the comment with `coding` out.")
    except SyntaxError:  # an unknown encoding: Python will report it
        pass
    except UnicodeDecodeError as error:
        if b"\0" in source:
            raise _refused(path, "not-utf8", f"{path.name} is not a text file.") from error
        line = source[: error.start].count(b"\n") + 1
        text = f"{path.name} is not UTF-8: line {line} has the byte 0x{source[error.start]:02x}."
        raise _refused(path, "not-utf8", text, line, "Save the file as UTF-8.") from error
    return source


def check_syntax(path: Path, source: bytes) -> None:
    """Compile the source without running it; raises SubmissionError with the line of a syntax error, and a caret."""
    try:
        compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        where = f" at line {error.lineno}" if error.lineno else ""
        text = f"{path.name} does not parse{where}: {error.msg}.{caret(error)}"
        raise _refused(path, "syntax-error", text, error.lineno, _indentation(error)) from error
    except ValueError as error:  # null bytes, before Python 3.12
        raise _refused(path, "syntax-error", f"{path.name} does not parse: {error}.") from error
    except (RecursionError, MemoryError) as error:
        line = _longest_statement(source)
        text = f"{path.name} does not parse: Python cannot follow expressions that stand so deep in each other."
        step = f"The longest statement begins in line {line}: give parts of it names."
        raise _refused(path, "syntax-error", text, line, step) from error


def _longest_statement(source: bytes) -> int:
    """Return the first line of the statement with the most tokens."""
    sizes, first = {1: 0}, 1
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            sizes[first] = sizes.get(first, 0) + 1
            if token.type == tokenize.NEWLINE:
                first = token.end[0] + 1
    return max(sizes, key=lambda line: sizes[line])


def caret(error: SyntaxError) -> str:
    """Return two further lines: the source line of a syntax error, and a caret under the place.

    The indentation is kept only for an IndentationError.
    """
    if not error.text or not error.offset:
        return ""
    line = error.text.rstrip("\n").expandtabs()
    indent = len(line) - len(line.lstrip())
    if isinstance(error, IndentationError):
        return f"\n{line}\n{' ' * indent}^"
    return f"\n    {line.lstrip()}\n    {' ' * max(0, error.offset - 1 - indent)}^"


def _indentation(error: SyntaxError) -> str | None:
    """Return advice on a line's indentation, if that is the error."""
    if not isinstance(error, IndentationError) or not error.text:
        return None
    spaces = len(error.text) - len(error.text.lstrip())
    if "\t" in error.text[:spaces]:
        return f"Line {error.lineno} begins with a tab: write spaces, as many as the lines have that it belongs to."
    begins = f"Line {error.lineno} begins with {spaces} space{'s' * (spaces != 1)}"
    return f"{begins}: give it as many as the lines that it belongs to."


def import_file(path: Path, host: str, source: bytes) -> tuple[ModuleType, list[Finding]]:
    """Import a file as a module of its own name; its folder is importable too.

    After the host function is defined, a statement that defines nothing and raises is left out: often it is a call of
    that function. Raises SubmissionError for any other exception.
    """
    with contextlib.suppress(ValueError):
        sys.path.remove("")
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise _refused(path, "import-error", f"{path.name} is not a Python file: its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    left_out: list[Finding] = []
    try:
        with (
            mock.patch.object(JITFunction, "run", _refusing(JITFunction.run)),
            mock.patch.object(Autotuner, "run", _refusing(Autotuner.run)),
        ):
            try:
                spec.loader.exec_module(module)
            except Exception as error:
                left_out = [_go_on(error, path, host, module, ast.parse(source))]
    except BaseException as error:
        code = "exit" if isinstance(error, (SystemExit, KeyboardInterrupt)) else "import-error"
        code = "out-of-memory" if isinstance(error, MemoryError) else code
        text = f"{path.name} cannot be imported: {describe(error)}."
        raise _refused(path, code, text, learner_line(error, path), _import_step(error)) from error
    return module, left_out


def _import_step(error: BaseException) -> str:
    """Return advice on an import that raised; for an undefined name or module, on that name."""
    if isinstance(error, ImportError):
        return "Check the name: a puzzle needs torch, triton and the standard library alone."
    if not isinstance(error, NameError) or error.name is None:
        return "A puzzle file only defines functions and kernels: nothing runs at import."
    known = IMPORTS.get(error.name)
    return f"Write `{known}` at the top of the file." if known else f"Import or define {error.name} before that line."


def _refusing(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a replacement for launches that refuses them; warm-ups are allowed, as they only compile."""

    def launch(kernel: Any, *args: Any, **named: Any) -> Any:
        if named.get("warmup"):
            return run(kernel, *args, **named)
        raise RuntimeError(LAUNCHED)

    return launch


def _go_on(error: Exception, path: Path, host: str, module: ModuleType, tree: ast.Module) -> Finding:
    """Run the statements after the one that raised, skipping others that raise too; return a note on the first.

    Raises:
        Exception: the original one, if the statement cannot be left out, or that of a later definition.
    """
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    line = next((frame.lineno or 0 for frame in frames if frame.name == "<module>"), 0)
    found = [i for i, node in enumerate(tree.body) if node.lineno <= line <= (node.end_lineno or 0)]
    forgiven = callable(getattr(module, host, None)) and not isinstance(error, MemoryError)
    if not found or not forgiven or isinstance(tree.body[found[-1]], _DEFINING):
        raise error
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    for node in tree.body[found[-1] + 1 :]:
        try:
            exec(compile(ast.Module([*future, node], []), str(path), "exec", dont_inherit=True), vars(module))
        except Exception:
            if isinstance(node, _DEFINING):
                raise
    why = "there is no GPU while a file is imported" if "cuda" in str(error).lower() else f"it raises {describe(error)}"
    text = f"Line {line} is left out of the import, and the check goes on: "
    text += f"{LAUNCHED if str(error) == LAUNCHED else why}."
    return Finding("left-out", text, file=str(path), line=line, next_step=NOT_AT_IMPORT.format(host=host))


def describe(error: BaseException) -> str:
    """Return an exception as one short line: `NameError: name 'tll' is not defined`."""
    text = " ".join(traceback.format_exception_only(type(error), error)[-1].split())
    text = text.replace("'Recorded' object", "'Tensor' object")  # for which it stands in
    return without_addresses(text)[:300].rstrip(".")


def learner_line(error: BaseException, path: Path) -> int | None:
    """Return the innermost line of the learner's file that an exception passed through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return lines[-1] if lines else None


def _refused(path: Path, code: str, text: str, line: int | None = None, step: str | None = None) -> SubmissionError:
    return SubmissionError(Finding(code, text, file=str(path), line=line, next_step=step))
