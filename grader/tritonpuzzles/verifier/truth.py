"""The truth for a function: the results of its reference in float64, for the same arguments."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.wire.authored import AuthorError, kind
from tritonpuzzles.wire.authored import described as worded
from tritonpuzzles.wire.given import Described, Given, flat

OUT = "out"
HALF = 0.5


@dataclass(frozen=True)
class Answers:
    """A reference's results for one call."""

    exact: tuple[Tensor, ...]  # the outputs, in float64 if they are of a floating-point type
    dtypes: tuple[torch.dtype | None, ...]  # the required dtypes; `None` allows any floating-point dtype
    rounding: tuple[float, ...]  # PyTorch's largest error in each: in float32, or half of that in the call's dtypes


@dataclass(frozen=True)
class Reference:
    """A function in PyTorch that computes the right results."""

    function: Callable[..., Any]  # called as the function under test is, on copies of the arguments
    # names of the arguments that the function under test changes. If the reference changes them, too, their contents
    # are the truth; if it does not, it returns that truth after its results
    mutates: tuple[str, ...] = ()
    objects: Sequence[Any] = ()  # arguments that stay in this process
    _changed: set[str] = field(default_factory=set)  # that it changed in any call: it may skip an empty one

    def __call__(
        self, given: Described, tensors: Mapping[str, Tensor], values: Mapping[str, Any]
    ) -> tuple[Tensor, ...]:
        """Return the outputs, in order, and then the contents of the changed arguments; exceptions are passed on.

        Raises TypeError if the reference returns anything but tensors, or nothing.
        """
        copies = {name: tensor.clone() for name, tensor in tensors.items()}
        try:
            returned = flat(Given(copies, values, self.objects).call(self.function, given))
        except SystemExit as error:
            raise RuntimeError(f"SystemExit: {error}") from error
        for value in returned:
            if not isinstance(value, Tensor):
                raise TypeError(f"the reference returns {kind(value)}; tensors are expected")
        if not returned and not self.mutates:
            raise TypeError("it returns nothing; a tensor is expected")
        changed = [copies[name] for name in self.mutates]
        self._changed.update(name for name in self.mutates if copies[name]._version)
        if self._changed or len(returned) < len(changed):
            returned = (*(value for value in returned if all(value is not one for one in changed)), *changed)
        return tuple(value.detach() for value in returned)

    def answers(self, given: Described, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> Answers:
        """Return the outputs in float64, and PyTorch's rounding errors and dtypes.

        A reference that fails in float64, because it makes float32 tensors itself, is called in float32. Raises
        AuthorError with the reference's exception.
        """

        def asked(dtype: torch.dtype) -> tuple[Tensor, ...]:
            cast = {name: one.to(dtype) if one.is_floating_point() else one for name, one in tensors.items()}
            return self(given, cast, values)

        single = _attempt(partial(asked, torch.float32))
        try:
            exact = asked(torch.float64)
        except Exception as error:
            if single is None:
                raise AuthorError(f"the reference raises {worded(error, None)}") from error
            exact = single
        dtypes = {tensor.dtype for tensor in tensors.values() if tensor.is_floating_point()}
        own = single if dtypes == {torch.float32} else _attempt(partial(self, given, tensors, values))
        if own is None:
            return Answers(exact, tuple(self._dtypes(exact, single, dtypes)), _rounding(exact, single))
        pairs = zip(_rounding(exact, single), _rounding(exact, own), strict=True)
        rounding = tuple(max(one, HALF * two) for one, two in pairs)
        return Answers(exact, tuple(_free(output.dtype, dtypes) for output in own), rounding)

    def shapes(self, given: Described, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> Answers:
        """Return the outputs for tensors that have no memory: shapes and dtypes.

        Raises AuthorError with what the reference raises.
        """
        try:
            found = self(given, tensors, values)
        except Exception as error:
            raise AuthorError(f"the reference raises {worded(error, None)}") from error
        return Answers(found, tuple(output.dtype for output in found), ())

    @staticmethod
    def _dtypes(
        exact: Sequence[Tensor], single: Sequence[Tensor] | None, dtypes: Collection[torch.dtype]
    ) -> Iterator[torch.dtype]:
        """Yield the dtype of each output if PyTorch cannot compute in the call's dtypes, such as 8-bit ones.

        An output whose dtype does not depend on the arguments' keeps it; any other has that of an argument.
        """
        own = next(iter(dtypes), torch.float32)
        for output, other in zip(exact, single or exact, strict=True):
            yield output.dtype if output.dtype == other.dtype != torch.float64 else own


def _free(dtype: torch.dtype, dtypes: Collection[torch.dtype]) -> torch.dtype | None:
    """Return the dtype of an output; `None` for float64 that no argument has: the reference only wants precision."""
    return None if dtype == torch.float64 and dtype not in dtypes else dtype


def _attempt(asked: Callable[[], tuple[Tensor, ...]]) -> tuple[Tensor, ...] | None:
    """Return a reference's results, or `None` if it raises in a dtype that the user did not choose."""
    try:
        return asked()
    except Exception:
        return None


def _rounding(exact: Sequence[Tensor], single: Sequence[Tensor] | None) -> tuple[float, ...]:
    """Return how far PyTorch in float32 is from the truth at most, in each output."""
    if single is None:
        return tuple(0.0 for _ in exact)
    pairs = [(one.double(), other.double()) for one, other in zip(exact, single, strict=True)]
    errors = [(one - other).abs()[one.isfinite() & other.isfinite()] for one, other in pairs]
    return tuple(float(error.max()) if error.numel() else 0.0 for error in errors)


def names_of(count: int, mutates: Sequence[str]) -> tuple[str, ...]:
    """Return the outputs' names: "out", or "out[0]" if there are several, and the names of changed arguments."""
    returned = count - len(mutates)
    own = (OUT,) if returned == 1 else tuple(f"{OUT}[{number}]" for number in range(returned))
    return (*own, *mutates)


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Interrupt a `with` block that computes for too long; in the main thread only, as Python's signals require.

    Raises AuthorError if it does.
    """

    def late(number: int, frame: object) -> None:
        raise AuthorError(f"the reference takes longer than {seconds:g} s")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
