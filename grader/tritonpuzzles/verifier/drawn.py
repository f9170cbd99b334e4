"""Calls as the judge knows cases: tensors laid out in memory, and the truth; tensors of calls in text, by a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.curriculum.limits import Limits
from tritonpuzzles.curriculum.record import Argument, Case, OutputSpec, Task
from tritonpuzzles.judge.drawn import ANY, DrawnCase, Expected, Layout, lay_out, widened
from tritonpuzzles.judge.tolerances import Rule, root_mean_square
from tritonpuzzles.verifier.calls import GivenCall, VerifyError
from tritonpuzzles.verifier.truth import Reference, names_of, within
from tritonpuzzles.verifier.written import Call, DtypeText, TensorText, Written
from tritonpuzzles.wire.observed import spanned

MOST_OUTPUTS = 16
MOST_UNUSED = 4  # factor over the bytes that a view spans: a larger storage is reduced to the span
COARSE = 1e-3
LONGEST = 10.0  # seconds that a reference may take for tensors without memory, in case it loops over them
TOLERANCE = "given tolerance"
REFERENCE = "reference"


def drawn_case(call: GivenCall, reference: Reference | None, mutates: Sequence[str], rng: random.Random) -> DrawnCase:
    """Return a call as a case of the judge's; raises AuthorError if the reference raises."""
    tensors = {name: _laid_out(tensor, call, rng) for name, tensor in call.tensors.items()}
    case = Case(
        call.name, call.why, "given", tuple(map(str, call.shape)), _name(call.dtype), call.layout,
        after=call.after, same_numbers=call.same_numbers,
    )  # fmt: skip
    dims = {f"{name}_{axis}": size for name, tensor in call.tensors.items() for axis, size in enumerate(tensor.shape)}
    drawn = DrawnCase(
        case, call.shape, dims, tensors, (), (), dict(call.values),
        phantom=call.is_phantom, given=call.described, open=reference is None, limited=not call.kind,
    )  # fmt: skip
    if reference is None:
        return drawn
    numbers = {name: layout.tensor() for name, layout in tensors.items()}
    if call.is_phantom:
        with within(LONGEST):
            answers = reference.shapes(call.described, numbers, call.values)
    else:
        answers = reference.answers(call.described, numbers, call.values)
    names = names_of(len(answers.exact), mutates)
    expected = tuple(
        Expected(name, tuple(output.shape), ANY if dtype is None else _name(dtype))
        for name, output, dtype in zip(names, answers.exact, answers.dtypes, strict=True)
    )
    golden = () if call.is_phantom else tuple(map(widened, answers.exact))
    rounding = answers.rounding
    if call.kind == "magnitudes":  # this case should find overflow, not the last bits of large numbers
        pairs = zip(rounding, golden, strict=True)
        rounding = tuple(max(one, COARSE * root_mean_square(output)) for one, output in pairs)
    return replace(drawn, outputs=expected, golden=golden, rounding=rounding)


def _laid_out(tensor: Tensor, call: GivenCall, rng: random.Random) -> Layout:
    """Return a tensor in its own storage, with its original strides, or as the call's layout requires."""
    if call.far and tensor.ndim == 2:
        return lay_out(tensor.contiguous(), "apart", rng)
    span = spanned(tensor.shape, tensor.stride())
    whole = tensor.untyped_storage().nbytes() // tensor.element_size()
    first = int(tensor.storage_offset())
    if whole > MOST_UNUSED * max(1, span):
        flat = tensor.as_strided((span,), (1,), first).clone()
        return Layout(flat, tuple(tensor.shape), tensor.stride(), 0)
    flat = tensor.as_strided((whole,), (1,), 0).clone()
    return Layout(flat, tuple(tensor.shape), tensor.stride(), first)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


@dataclass(frozen=True)
class Asked:
    """The requirements on a function, apart from its calls."""

    host: str  # its name
    limits: Limits  # on what it moves
    tolerance: str | Rule  # of every output, by the name of a rule, or a rule
    mutates: tuple[str, ...]  # names of the arguments that it changes
    reference: Reference | None  # `None` if the right values are unknown
    computes: bool = False  # whether PyTorch may do work in it

    def task(self, calls: Sequence[GivenCall], cases: Sequence[DrawnCase]) -> Task:
        """Return the task that the judge judges it by."""
        kinds: dict[str, Argument] = {}
        for call in calls:
            for name in call.tensors:
                kinds.setdefault(name, Argument(name))
            for name, value in call.values.items():
                kinds.setdefault(name, Argument(name, _kind(value)))
        given: dict[str, Callable[..., Any]] = {REFERENCE: self.reference or _unknown}
        if not isinstance(self.tolerance, str):
            given[TOLERANCE] = self.tolerance
        rule = self.tolerance if isinstance(self.tolerance, str) else TOLERANCE
        longest = max((drawn.outputs for drawn in cases), key=len, default=())
        names = [output.name for output in longest] or [f"out[{number}]" for number in range(MOST_OUTPUTS)]
        return Task(
            host=self.host,
            arguments=tuple(kinds.values()),
            outputs=tuple(OutputSpec(name, rule) for name in names),
            dims=(),
            reference=REFERENCE,
            limits=self.limits,
            cases=(),
            benchmark=None,
            given=given,
            mutates=self.mutates,
            computes=self.computes,
            shares=True,
            fills=True,
            slug=self.host,
        )


def _kind(value: object) -> str:
    return "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "scalar"


def _unknown(*asked: object) -> tuple[Tensor, ...]:
    raise LookupError("there is no reference")


def drawn_calls(calls: Sequence[Call], seed: int) -> list[dict[str, Any]]:
    """Return calls with their arguments; the same for the same seed.

    Raises VerifyError if a tensor's range does not fit its dtype.
    """
    return [
        {name: _drawn(name, value, random.Random(f"{seed}/{number}/{name}")) for name, value in call.items()}
        for number, call in enumerate(calls)
    ]


def _drawn(name: str, asked: Written, rng: random.Random) -> Any:
    if isinstance(asked, DtypeText):
        return getattr(torch, asked.name)
    if not isinstance(asked, TensorText):
        return asked
    dtype: torch.dtype = getattr(torch, asked.dtype)
    generator = torch.Generator().manual_seed(rng.getrandbits(63))
    count = torch.Size(asked.shape).numel()
    if isinstance(asked.fill, tuple):
        return _within(name, asked.fill, dtype, count, generator).reshape(asked.shape)
    made = {
        "randn": lambda: torch.randn(count, generator=generator, dtype=torch.float64),
        "zeros": lambda: torch.zeros(count),
        "ones": lambda: torch.ones(count),
        "arange": lambda: torch.arange(count),
    }[asked.fill]()
    return made.to(dtype).reshape(asked.shape)


def _within(
    name: str, bounds: tuple[float, float], dtype: torch.dtype, count: int, generator: torch.Generator
) -> Tensor:
    """Return numbers between two, both included; whole ones where the dtype has no others."""
    low, high = bounds
    if dtype.is_floating_point:
        return (low + (high - low) * torch.rand(count, generator=generator, dtype=torch.float64)).to(dtype)
    least, most = (0, 1) if dtype == torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    if low < least or high > most:
        raise VerifyError(f"{name} cannot hold {low:.0f} to {high:.0f}: {dtype} ends at {least} and {most}.")
    return torch.randint(int(low), int(high) + 1, (count,), generator=generator).to(dtype)
