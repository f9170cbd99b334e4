"""`tritonpuzzles.verify`: what a user gives, read and checked, and the report."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tritonpuzzles
from tritonpuzzles.curriculum.limits import Limits
from tritonpuzzles.curriculum.tables import RECORDS
from tritonpuzzles.decoding.marks import DecodeError, nearest
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.verifying.report import VerifyReport
from tritonpuzzles.judge.environment import environment
from tritonpuzzles.judge.options import CheckOptions, Progress, seed_of
from tritonpuzzles.results.submission import Submission

if TYPE_CHECKING:
    from tritonpuzzles.judge.tolerances import Rule

HOSTS = ("record", "eager")


def verified(
    function: Callable[..., Any],
    reference: Callable[..., Any] | None,
    cases: Any,
    *,
    tolerance: Any = "close",
    mutates: Sequence[str] = (),
    limits: Mapping[str, Any] | None = None,
    host: str = "record",
    vary: bool | Iterable[str] = True,
    options: CheckOptions,
    progress: Progress = lambda sentence: None,
) -> VerifyReport:
    """Verify a function; see `tritonpuzzles.verify`."""
    from tritonpuzzles.judge.workers.parent import warm_parent

    warm_parent()  # its imports and those of this process take the same seconds
    from tritonpuzzles.judge.workers.process import Worker
    from tritonpuzzles.verify.calls import Callee, Parameters, VerifyError, given_calls
    from tritonpuzzles.verify.drawn import Asked
    from tritonpuzzles.verify.local import LocalRecorder
    from tritonpuzzles.verify.run import Verification
    from tritonpuzzles.verify.truth import Reference
    from tritonpuzzles.wire.authored import AuthorError

    seed = seed_of(options.seed)
    name = re.sub(r"\W+", "_", getattr(function, "__name__", type(function).__name__)).strip("_") or "function"
    try:
        objects: list[Any] = []
        calls = given_calls(Callee(name, Parameters.of(function), objects), cases, seed)
        known = None if reference is None else Reference(reference, tuple(mutates), objects)
        asked = Asked(name, limits_of(limits or {}), tolerance_of(tolerance), tuple(mutates), known)
        recorder = partial(LocalRecorder, function, objects)

        def start(part: str, device: str, **how: Any) -> Any:
            return recorder(how.get("stop")) if part == "recorder" else Worker(part, device, **how)

        run = Verification(
            Submission.of(file_of(function)), asked, calls, kinds_of(vary), start, options, seed, progress
        )
        result = run.run()
    except (VerifyError, AuthorError) as error:
        raise FrontError(str(error)) from error
    return VerifyReport(tritonpuzzles.__version__, environment(), (result,))


def limits_of(limits: Mapping[str, Any]) -> Limits:
    """Return limits, given as a record has them.

    Raises:
        FrontError: for one that there is not.
    """
    try:
        return RECORDS.read(Limits, dict(limits))
    except DecodeError as error:
        raise FrontError(f"limits: {error}") from error


def tolerance_of(tolerance: Any) -> str | Rule:
    """Return the rule that a tolerance stands for: a name, a number, a dict of rtol and atol, or a rule itself.

    Raises:
        FrontError: if it stands for none.
    """
    from tritonpuzzles.judge.tolerances import RULES, Tolerance

    if isinstance(tolerance, str):
        if tolerance not in RULES:
            raise FrontError(f"There is no tolerance {tolerance!r}.{nearest(tolerance, RULES)}")
        return tolerance
    if callable(tolerance):
        rule: Rule = tolerance
        return rule
    if isinstance(tolerance, (int, float)) and not isinstance(tolerance, bool):
        tolerance = {"rtol": tolerance, "atol": tolerance}
    if isinstance(tolerance, Mapping) and set(tolerance) <= {"rtol", "atol"}:
        found = Tolerance(float(tolerance.get("rtol", 0.0)), float(tolerance.get("atol", 0.0)))
        return lambda case, output: found
    raise FrontError(f"The tolerance {tolerance!r} is none: give a name, a number, or dict(rtol=1e-3, atol=1e-5).")


def kinds_of(vary: bool | Iterable[str]) -> Collection[str]:
    """Return the kinds of change that calls are made by.

    Raises:
        FrontError: for one that there is not.
    """
    from tritonpuzzles.verify.vary import KINDS

    if isinstance(vary, bool):
        return KINDS if vary else ()
    kinds = (vary,) if isinstance(vary, str) else tuple(vary)
    for kind in kinds:
        if kind not in KINDS:
            raise FrontError(f"Nothing is varied by {kind!r}.{nearest(kind, KINDS)}")
    return kinds


def file_of(function: Callable[..., Any]) -> Path:
    """Return the file that a function stands in; that of what it wraps, if it wraps something."""
    inner = inspect.unwrap(function)
    while isinstance(inner, partial):
        inner = inner.func
    try:
        return Path(inspect.getsourcefile(inner) or inspect.getfile(inner))
    except TypeError:
        return Path(inspect.getfile(type(inner)))
