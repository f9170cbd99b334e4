"""Functions that are named, "file.py:swiglu": one that is under test is never imported here, a reference is."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.verifier.calls import Parameters, VerifyError
from tritonpuzzles.wire.authored import UnknownNameError
from tritonpuzzles.wire.authored import named as module_function


def split(name: str) -> tuple[Path, str]:
    """Return the file and the function of "file.py:swiglu".

    Raises:
        VerifyError: if it is not of that form, or there is no such file.
    """
    file, colon, function = name.rpartition(":")
    if not colon or not function.isidentifier():
        raise VerifyError(f"{name!r} is not of the form FILE:FUNCTION, such as kernels.py:swiglu.")
    path = Path(file)
    if not path.is_file():
        raise VerifyError(f"There is no file {file}.")
    return path.absolute(), function


def parameters(path: Path, function: str) -> Parameters:
    """Return the parameters of a function, read from the text of its file, which is not run.

    Raises:
        VerifyError: if the text defines functions, and none of that name. A text that does not parse tells nothing.
    """
    try:
        tree = ast.parse(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, SyntaxError):
        return Parameters()  # who imports it says what is wrong
    found = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    if function not in found:
        if not {function, "*"}.isdisjoint(name for node in ast.walk(tree) for name in _named(node)):
            return Parameters()
        raise VerifyError(f"{path.name} defines no function {function!r}.{nearest(function, found)}")
    arguments = found[function].args
    by_place = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    known = None if arguments.kwarg is not None else (*by_place, *(one.arg for one in arguments.kwonlyargs))
    return Parameters(tuple(by_place), known)


def _named(node: ast.AST) -> list[str]:
    """Return the names that an assignment or an import gives."""
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    return (
        [target.id for target in node.targets if isinstance(target, ast.Name)] if isinstance(node, ast.Assign) else []
    )


def imported(name: str) -> Callable[..., Any]:
    """Import a file that is trusted, that of a reference for one, and return its function.

    Raises:
        VerifyError: if that fails.
    """
    path, function = split(name)
    try:
        return module_function(f"{path.stem}:{function}", path.parent)
    except SystemExit as error:
        raise VerifyError(f"{name}: importing it ends the program (SystemExit: {error}).") from error
    except UnknownNameError as error:
        raise VerifyError(f"{name}: {error}.{nearest(error.wanted, error.known)}") from error
