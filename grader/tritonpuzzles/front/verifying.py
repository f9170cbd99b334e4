"""`tritonpuzzles.verify`: what a user gives, in Python or on a command line, read and checked, and the report."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import tritonpuzzles
from tritonpuzzles.curriculum.limits import Limits
from tritonpuzzles.curriculum.tables import RECORDS
from tritonpuzzles.decoding.marks import DecodeError, nearest
from tritonpuzzles.front.check import CheckReport
from tritonpuzzles.front.errors import FrontError, refuse_elsewhere
from tritonpuzzles.judge.environment import environment
from tritonpuzzles.judge.options import CheckOptions, Progress, seed_of
from tritonpuzzles.verifier.written import Call, NotReadError, Written, argument

if TYPE_CHECKING:
    from tritonpuzzles.judge.tolerances import Rule

HOSTS = ("record", "eager")
DEVICES = ("auto", "cpu", "cuda")
INTERPRET = "TRITON_INTERPRET"
ONE_AT_A_TIME = Lock()  # a fake GPU is active in the whole process while a function is recorded
EXAMPLE = "--arg a=5x700:bf16 --arg n=3"


def verified(
    function: Callable[..., Any] | str,
    reference: Callable[..., Any] | str | None,
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

    refuse_elsewhere()
    warm_parent()  # it imports in parallel with this process
    from tritonpuzzles.verifier.calls import VerifyError, given_calls, imported
    from tritonpuzzles.verifier.drawn import Asked
    from tritonpuzzles.verifier.run import Verification
    from tritonpuzzles.verifier.subject import subject_of
    from tritonpuzzles.verifier.truth import Reference

    if options.device not in DEVICES:
        raise FrontError(f"There is no device {options.device!r}.{nearest(options.device, DEVICES)}")
    if not isinstance(function, str) and os.environ.get(INTERPRET, "0") not in ("", "0"):
        said = f"{INTERPRET} is set: Triton's own interpreter has taken the kernels of this process."
        raise FrontError(said, f"unset {INTERPRET} before Triton is imported")
    if host not in HOSTS:
        raise FrontError(f"There is no host {host!r}.{nearest(host, HOSTS)}")
    seed, eager, changed = seed_of(options.seed), host == HOSTS[1], tuple(mutates)
    try:
        subject = subject_of(function, options, eager)
        calls = given_calls(subject.callee, cases, seed)
        right = imported(reference) if isinstance(reference, str) else reference
        known = None if right is None else Reference(right, changed, subject.objects)
        asked = Asked(subject.name, limits_of(limits or {}), tolerance_of(tolerance), changed, known, eager)
        kinds = [kind for kind in kinds_of(vary) if not (eager and kind == "large")]  # PyTorch needs the memory
        options = replace(options, mend=known is not None and not eager)  # otherwise no truth is known
        run = Verification(
            subject.file,
            asked,
            calls,
            kinds,
            subject.start,
            options,
            seed,
            progress,
            confined=isinstance(function, str),
            recorded=subject.recorded,
        )
        with ONE_AT_A_TIME:
            result = (run if eager or run.confined else run.at_kernels()).run()
    except VerifyError as error:
        raise FrontError(str(error)) from error
    return VerifyReport(tritonpuzzles.__version__, environment(), (result,))


def limits_of(limits: Mapping[str, Any]) -> Limits:
    """Return limits, given as a record has them.

    Raises:
        FrontError: for an unknown limit, or a wrong type.
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
    """Return the kinds of variation to add calls by.

    Raises:
        FrontError: for an unknown kind.
    """
    from tritonpuzzles.verifier.vary import KINDS

    if isinstance(vary, bool):
        return KINDS if vary else ()
    kinds = (vary,) if isinstance(vary, str) else tuple(vary)
    for kind in kinds:
        if kind not in KINDS:
            raise FrontError(f"Nothing is varied by {kind!r}.{nearest(kind, KINDS)}")
    return kinds


@dataclass(frozen=True, repr=False)
class VerifyReport(CheckReport):
    """The report on one function; true if it passes: `assert report, report`."""

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return self.text


def read_calls(arguments: Sequence[str], calls: Sequence[str]) -> list[Call]:
    """Return the calls that are asked for.

    Args:
        arguments: `NAME=VALUE`, common to all calls.
        calls: one text per call with several `NAME=VALUE`; without any, `arguments` are one call, if there are any.

    Raises:
        FrontError: for what cannot be read.
    """
    common = _call(arguments)
    if not calls:
        return [common] if common else []
    found: list[Call] = []
    for text in calls:
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise FrontError(f"{text!r} cannot be read: {error}.", '--args "a=5x700 mode=str:relu"') from error
        found.append({**common, **_call(words)})
    return found


def _call(arguments: Sequence[str]) -> dict[str, Written]:
    found: dict[str, Written] = {}
    for text in arguments:
        try:
            name, value = argument(text)
        except NotReadError as error:
            raise FrontError(str(error), EXAMPLE) from error
        if name in found:
            raise FrontError(f"{name} is given twice in one case.", '--args "a=5x700" --args "a=1x64" are two cases')
        found[name] = value
    return found


def read_limits(limits: Sequence[str]) -> dict[str, Any]:
    """Return limits as a record has them: `loads.a=1` is `{"loads": {"a": 1.0}}`.

    Raises:
        FrontError: for what is not of the form KEY=N.
    """
    found: dict[str, Any] = {}
    for text in limits:
        key, equals, value = text.partition("=")
        if not equals or not value:
            raise FrontError(f"{text!r} is not of the form KEY=N.", "--limit loads.a=1 --limit tile=4096")
        of, dot, name = key.partition(".")
        if dot and isinstance(found.setdefault(of, {}), dict):
            found[of][name] = number(value)
        else:
            found[key] = number(value)
    return found


def number(text: str) -> int | float | str:
    """Return a number, an int if possible; other text, such as a name or an expression, is returned unchanged."""
    for read in (int, float):
        try:
            found: int | float = read(text)
        except ValueError:
            continue
        return found
    return text
