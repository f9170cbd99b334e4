"""Find and call the functions that a record names as "module:function", and report their errors in a sentence.

A pack's own folder is searched first, then Python's module path. Used by both sides: the judge calls references,
tolerances and emulations, judge and worker call families, and the worker calls the baselines that it times.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from tritonpuzzles.results.words import article

MOST_LETTERS = 300  # of an exception's message


class UnknownNameError(LookupError):
    """There is no such module, or no such function in it; the message says which.

    Attributes:
        wanted: the missing function.
        known: the functions of the module.
    """

    def __init__(self, message: str, wanted: str = "", known: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.wanted, self.known = wanted, tuple(known)


def named(dotted: str, folder: Path | str | None = None) -> Callable[..., Any]:
    """Return the function that "module:function" names; raises UnknownNameError if there is none."""
    module, colon, name = dotted.partition(":")
    if not colon:
        raise UnknownNameError(f"{dotted!r} is not of the form module:function")
    holder = module_named(module, folder)
    found = getattr(holder, name, None)
    if not callable(found):
        raise UnknownNameError(f"{module} has no function {name!r}", name, _functions(holder))
    function: Callable[..., Any] = found
    return function


def _functions(module: ModuleType) -> list[str]:
    """Return the public functions that a module defines or, if there are none, all that it contains."""
    public = {name: value for name, value in vars(module).items() if callable(value) and not name.startswith("_")}
    own = [name for name, value in public.items() if getattr(value, "__module__", None) == module.__name__]
    return own or list(public)


def module_named(name: str, folder: Path | str | None) -> ModuleType:
    """Return a module of a pack's folder, or an installed one; raises UnknownNameError if it cannot be imported."""
    own = own_module(name, folder)
    try:
        return _loaded(name, own) if own is not None else importlib.import_module(name)
    except Exception as error:
        where = f" or {name.replace('.', '/')}.py in {folder}" if folder is not None else ""
        raise UnknownNameError(f"the module {name}{where} cannot be imported: {error}{_known(error)}") from error


def own_module(name: str, folder: Path | str | None) -> Path | None:
    """Return the file of a module in a pack's folder, or `None` if the pack has none of that name."""
    own = None if folder is None else Path(folder or ".", *name.split(".")).with_suffix(".py")
    return own if own is not None and own.is_file() else None


def _loaded(name: str, path: Path) -> ModuleType:
    """Return a module of a pack, under a name that no other pack's module has."""
    unique = f"tritonpuzzles_pack_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}_{path.stem}"
    if unique not in sys.modules:
        spec = importlib.util.spec_from_file_location(unique, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[unique] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[unique]
            raise
    return sys.modules[unique]


class AuthorError(ValueError):
    """A function of a pack raises, or returns a wrong type or shape.

    The message names function and error; callers that know the record and the case add these.
    """


def called(what: str, folder: Path | str | None, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of an author's function.

    `what` names it in the message: "the reference answers:square"; a line in the message is from the pack's folder.

    Raises AuthorError if it raises.
    """
    try:
        return function(*arguments)
    except Exception as error:
        raise AuthorError(f"{what} raises {described(error, folder)}{_known(error)}") from error


def _known(error: Exception) -> str:
    """Return the names that an object of the grader has, where an author asks it for another; else an empty string."""
    if not isinstance(error, AttributeError) or not type(error.obj).__module__.startswith("tritonpuzzles."):
        return ""
    return f". Known: {', '.join(name for name in dir(error.obj) if not name.startswith('_'))}."


def described(error: Exception, folder: Path | str | None) -> str:
    """Return `ValueError: too few rows (answers.py, line 12)`, with the line only if one of the pack is known."""
    text = " ".join(traceback.format_exception_only(type(error), error)[-1].split())[:MOST_LETTERS].rstrip(".")
    within = None if folder is None else Path(folder).resolve()
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if within in Path(frame.filename).resolve().parents]
    return f"{text} ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else text


def kind(value: object) -> str:
    """Return the name of a value's type with its article: "a list"."""
    return article(type(value).__name__)
