"""What a person would forget to try: from one call of a function, others that it should get right as well.

Nothing here knows what the function computes. Equal sizes in several tensors are taken for one size, and integers
equal to it change with it. If the reference refuses a variation, it is not tried.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from tritonpuzzles.judge.drawn import BEYOND, lay_out
from tritonpuzzles.verifier.calls import GivenCall
from tritonpuzzles.wire.job import Value

KINDS = ("numbers", "magnitudes", "layouts", "sizes", "dtypes", "infinities", "nan", "large")
NEVER_REFUSED = ("numbers",)  # a function that accepts a call accepts it with other numbers, and twice
USUAL_DTYPES = (torch.float16, torch.bfloat16, torch.float32)
LAYOUTS = {  # as `lay_out` calls them, with what they find
    "padded": "Finds a row stride that is taken for the number of columns.",
    "transposed": "Finds a stride of the last axis that is taken for 1.",
    "broadcast": "Finds strides that are computed from the shape: here all rows are one.",
}
FIRST, LAST = 0, -1
TIMES_LARGER = 50
MOST_VARIED = 3
BEYOND_TIMES = 1.1  # factor over 2^31 elements


@dataclass(frozen=True)
class Varying:
    """Makes variations of one call."""

    call: GivenCall  # as the user gave it
    mutates: Collection[str]  # names of arguments that the function changes: they are not broadcast
    rng: random.Random  # draws positions and sizes

    def of(self, kinds: Collection[str]) -> Iterator[GivenCall]:
        """Yield the calls of some kinds of change."""
        makers: Mapping[str, Callable[[], Iterator[GivenCall]]] = {
            "numbers": self.numbers,
            "magnitudes": self.magnitudes,
            "layouts": self.layouts,
            "sizes": self.sizes,
            "dtypes": self.dtypes,
            "infinities": partial(
                self._with, "-inf in some elements", "Finds inf - inf and 0 times inf.", -torch.inf, 3
            ),
            "nan": partial(self._with, "NaN in one element", "Finds a NaN that spreads.", torch.nan, 1),
            "large": self.large,
        }
        which = "" if self.call.name == "your case" else f", of {self.call.name}"  # of several
        for kind in KINDS:
            if kind in kinds:
                for made in makers[kind]():
                    yield replace(made, kind=kind, name=f"{made.name}{which}")

    @property
    def _floating(self) -> dict[str, Tensor]:
        tensors = self.call.tensors.items()
        return {name: tensor for name, tensor in tensors if tensor.is_floating_point() and tensor.numel()}

    def _made(self, name: str, why: str, tensors: Mapping[str, Tensor]) -> GivenCall:
        made = {argument: tensors.get(argument, tensor) for argument, tensor in self.call.tensors.items()}
        return replace(self.call, tensors=made, name=name, why=why)

    def numbers(self) -> Iterator[GivenCall]:
        """Yield a call with other numbers in the same memory, and the same call once more.

        Integers may be indices, whose order has a meaning: they stay, unless there are no other tensors.
        """
        changed = self._floating or self.call.tensors
        shuffled = {name: _shuffled(tensor, self.rng) for name, tensor in changed.items()}
        if any(not torch.equal(shuffled[name], tensor) for name, tensor in changed.items()):
            other = self._made("other numbers in the same memory", "Finds an answer that was kept.", shuffled)
            yield replace(other, after=self.call.name)
        again = self._made("the same call again", "Finds what a first call leaves behind.", {})
        yield replace(again, after=self.call.name, same_numbers=True)

    def magnitudes(self) -> Iterator[GivenCall]:
        """Yield a call with larger numbers."""
        larger = {name: (tensor.float() * TIMES_LARGER).to(tensor.dtype) for name, tensor in self._floating.items()}
        if larger:
            name, why = f"numbers {TIMES_LARGER} times larger", "Finds an exp that overflows: a maximum not subtracted."
            yield self._made(name, why, larger)

    def layouts(self) -> Iterator[GivenCall]:
        """Yield calls whose matrices lie otherwise in memory."""
        for layout, why in LAYOUTS.items():
            laid_out = {}
            for name, tensor in self.call.tensors.items():
                alike = layout != "broadcast" or (name not in self.mutates and name in self._floating)
                if tensor.ndim >= 2 and min(tensor.shape[-2:]) > 1 and alike:
                    laid_out[name] = lay_out(tensor.contiguous(), layout, self.rng).tensor()
            if laid_out:
                yield replace(self._made(f"{layout} tensors", why, laid_out), layout=layout)

    def sizes(self) -> Iterator[GivenCall]:
        """Yield calls with other sizes, all smaller."""
        first = next((tensor.shape for tensor in self.call.tensors.values() if tensor.ndim), torch.Size())
        if not first:
            return
        # the largest smaller odd number: no tile size that is a power of 2 divides it
        sizes = {size for tensor in self.call.tensors.values() for size in tensor.shape if size > 2}
        odd = {size: size - 1 if size % 2 == 0 else size - 2 for size in sizes}
        yield from self._resized("odd sizes", "Finds a mask that is missing: no tile fits.", odd)
        if len(first) > 1:
            yield from self._resized("one row", "Finds a size that is taken from the wrong axis.", {first[0]: 1}, FIRST)
        yield from self._resized("one column", "Finds a tile that is wider than the tensor.", {first[-1]: 1}, LAST)
        yield from self._resized("nothing to do", "Finds a size of 0 that nobody thought of.", {first[0]: 0}, FIRST)

    def _resized(self, name: str, why: str, sizes: Mapping[int, int], axis: int | None = None) -> Iterator[GivenCall]:
        """Yield a call with other sizes along one axis of its tensors, or along all."""
        changed = {size: other for size, other in sizes.items() if size != other}
        tensors = {n: _cut(tensor, changed, axis) for n, tensor in self.call.tensors.items()}
        if any(tensor.shape != self.call.tensors[n].shape for n, tensor in tensors.items()):
            values = {n: _other(value, changed) for n, value in self.call.values.items()}
            yield replace(self._made(name, why, tensors), values=values)

    def dtypes(self) -> Iterator[GivenCall]:
        """Yield calls in the other usual dtypes."""
        own = self.call.dtype
        if own not in USUAL_DTYPES:
            return
        for dtype in USUAL_DTYPES:
            cast = {n: tensor.to(dtype) for n, tensor in self._floating.items() if tensor.dtype == own}
            if dtype != own and cast:
                name = str(dtype).removeprefix("torch.")
                yield self._made(name, "Finds sums in 16 bits, and a dtype that is assumed.", cast)

    def _with(self, name: str, why: str, number: float, count: int) -> Iterator[GivenCall]:
        """Yield a call with a number in one element or more."""
        for argument, tensor in list(self._floating.items())[:1]:  # of two they meet, and the truth is often NaN
            copy = tensor.clone(memory_format=torch.contiguous_format)
            for _ in range(min(count, max(1, tensor.numel() // 4))):
                copy.view(-1)[self.rng.randrange(tensor.numel())] = number
            yield self._made(name, why, {argument: copy})

    def large(self) -> Iterator[GivenCall]:
        """Yield calls beyond 2^31 elements, for which only existing numbers, if any, have memory."""
        matrices = [tensor for tensor in self._floating.values() if tensor.ndim == 2 and tensor.shape[0] > 1]
        if matrices and not self.mutates:  # changed arguments are returned, and there is no memory for that
            why = "Finds offsets that do not fit into 32 bits."
            yield replace(self._made("rows far apart", why, {}), far=True, layout="apart")
        largest = max(self._floating.values(), key=lambda tensor: tensor.numel(), default=None)
        if largest is None or len(self._floating) < len(self.call.tensors) or not largest.ndim:
            return
        rows = largest.shape[0]
        many = int(BEYOND_TIMES * BEYOND * rows / largest.numel()) + 1
        tensors = {}
        for name, tensor in self.call.tensors.items():
            shape = (many, *tensor.shape[1:]) if tensor.ndim and len(tensor) == rows else tensor.shape
            tensors[name] = torch.empty(shape, dtype=tensor.dtype, device="meta")
        values = {n: _other(value, {rows: many}) for n, value in self.call.values.items()}
        made = self._made("more than 2^31 elements", "Finds offsets that do not fit into 32 bits.", tensors)
        yield replace(made, values=values)


def _shuffled(tensor: Tensor, rng: random.Random) -> Tensor:
    """Return a tensor with its numbers in another order, and with its strides."""
    generator = torch.Generator().manual_seed(rng.getrandbits(63))
    memory = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage()).clone()
    shape, stride, offset = tensor.shape, tensor.stride(), int(tensor.storage_offset())
    is_own = torch.zeros(memory.numel(), dtype=torch.bool)
    is_own[torch.arange(memory.numel()).as_strided(shape, stride, offset)] = True
    own = is_own.nonzero().flatten()
    memory[own] = memory[own[torch.randperm(own.numel(), generator=generator)]]
    return memory.as_strided(shape, stride, offset)


def _cut(tensor: Tensor, sizes: Mapping[int, int], only: int | None) -> Tensor:
    """Return the beginning of a tensor along the axes whose size changes, or along one axis, as a copy."""
    for axis, size in enumerate(tensor.shape):
        if only is None or axis == only % tensor.ndim:
            tensor = tensor.narrow(axis, 0, sizes.get(size, size))
    return tensor.clone(memory_format=torch.contiguous_format)


def _other(value: Value, sizes: Mapping[int, int]) -> Value:
    return sizes.get(value, value) if type(value) is int else value


def varied(
    calls: Collection[GivenCall], kinds: Collection[str], mutates: Collection[str], seed: int
) -> Iterator[GivenCall]:
    """Yield variations of a user's calls: all kinds for the first calls, for the others only those never refused."""
    for number, call in enumerate(calls):
        kinds = kinds if number < MOST_VARIED else set(kinds) & set(NEVER_REFUSED)
        yield from Varying(call, mutates, random.Random(f"{seed}/{call.name}")).of(kinds)
