"""The recording of one call of a host function."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.recorder import tensors
from tritonpuzzles.recorder.call import in_autograd, line_in
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.recorder.steps import StepError, Steps
from tritonpuzzles.recorder.tensors import CPU, GPU, Recorded, mapped, storage_identity, tensors_in
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.trace import HostOperation
from tritonpuzzles.wire.program import MAX_RESULTS, Add, Allocate, Copy, Fill, Other, Program, Step, View
from tritonpuzzles.wire.reading import Written
from tritonpuzzles.wire.values import Constant

AUTOGRAD = frozenset({"add", "add_"})  # operations of autograd itself when a tensor has several gradients


class ForbiddenError(RuntimeError):
    """A host function did something forbidden, such as work in PyTorch; the recording keeps the finding."""


class NumbersError(ForbiddenError):
    """A host function tried to read values of a tensor; the message says how."""


class Recording:
    """Records allocations, fills, copies and launches; refuses other work by PyTorch.

    Args:
        path: the submission, for line numbers.
        call: the host function, for messages.
        kernels: the table that launches refer to.
        backward: whether what the call returns is differentiated.

    Attributes:
        written: the steps of the call.
        asked: the device that the current operation names, if any.
    """

    def __init__(self, path: str, call: str, kernels: KernelTable, backward: bool = False) -> None:
        self.path, self.call, self.kernels, self._backward = path, call, kernels, backward
        self._inputs = 0
        self.written = Steps(backward)
        self.asked: torch.device | None = None
        self._numbers: dict[int, int] = {}
        self._kept: list[Tensor] = []  # so that no storage's identity is used twice
        self._made: list[weakref.ref[Recorded]] = []  # all tensors that the call made
        self._findings: dict[tuple[str, str, int | None], Finding] = {}
        self._calls: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    @property
    def steps(self) -> list[Step]:
        """The recorded steps."""
        return self.written.taken

    # Memory

    def input(self, meta: Tensor, requires_grad: bool = False) -> Recorded:
        """Return an argument of the call; the inputs' storages are numbered in this order."""
        self._number_input(meta)
        return Recorded(meta, GPU, self, requires_grad)

    def again(self, tensor: Recorded) -> Recorded:
        """Reuse an argument of an earlier call in this call: the same tensor, perhaps with other values."""
        tensor.recording = self
        self._number_input(tensor.meta)
        return tensor

    def _number_input(self, meta: Tensor) -> None:
        self._numbers[storage_identity(meta)] = self._inputs
        self._inputs += 1
        self._kept.append(meta)
        self.written.input(meta.untyped_storage().nbytes())

    def number(self, tensor: Recorded) -> int:
        """Return the number of a tensor's storage; -1 for one that is not of this call."""
        return self._numbers.get(storage_identity(tensor.meta), -1)

    def view(self, tensor: Any) -> View:
        """Describe a tensor of this call, and note one on the CPU; raises ForbiddenError for one of an earlier call."""
        if not self.is_own(tensor):
            text = f"{self.call} uses a tensor that it neither was given nor allocated in this call."
            raise self.refused("foreign-tensor", text, "Allocate in every call what it uses.")
        if not tensor.is_cuda:
            text = f"{self.call} makes a tensor on the CPU; its inputs are on {GPU}, and so must be all that it uses."
            self.note("wrong-device", text, self.line(), "Allocate with torch.empty_like(x) or device=x.device.")
        meta = tensor.meta
        dtype = str(meta.dtype).removeprefix("torch.")
        return View(self.number(tensor), dtype, tuple(meta.shape), tuple(meta.stride()), int(meta.storage_offset()))

    def is_own(self, tensor: Any) -> bool:
        """Return whether a tensor is an input, or memory that was allocated in this call."""
        return isinstance(tensor, Recorded) and self.number(tensor) >= 0

    # Operations

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Record one of PyTorch's operations and return its result; raises ForbiddenError if it is not allowed."""
        name = function.overloadpacket.__name__
        if function.namespace not in ("aten", "prim"):
            return self._forbidden(f"{function.namespace}::{name}")
        recorded = [item for item in tensors_in((args, kwargs)) if isinstance(item, Recorded)]
        if name in AUTOGRAD and self._backward and in_autograd():
            return self._sum(*args[:2])
        if not recorded and name in tensors.VIEWS:
            return function(*args, **kwargs)  # a constant made by the host function: torch.tensor(3)
        args = tuple(tensors.number_in(item) for item in args)
        if name not in tensors.KNOWN or any(not isinstance(item, Recorded) for item in tensors_in(args)):
            return self._forbidden(name)
        if name in tensors.FILLS:
            self._count(name, args[0].meta)
            self.add(Fill(self.view(args[0]), self._number_of(name, args, kwargs), self.line(), name))
            return args[0]
        result = self._on_meta(function, args, kwargs)
        if name == "as_strided":
            tensors.look_inside(result)
        if name in tensors.VIEWS:
            place = recorded[0].place
            return mapped(lambda item: self._tensor(item, place) if isinstance(item, Tensor) else item, result)
        self._count(name, result)
        return self._fresh(name, result, self._place(recorded, kwargs), args, kwargs)

    def _place(self, recorded: list[Recorded], kwargs: Mapping[str, Any]) -> torch.device:
        """Return the device of fresh memory: the requested one (in a backward pass `asked` is not set) or a default."""
        named = kwargs.get("device")
        if self.asked is None and named is not None and torch.device(named).type == "cuda":
            return GPU
        return self.asked or (recorded[0].place if recorded else CPU)

    def _fresh(self, name: str, meta: Tensor, place: torch.device, args: Any, kwargs: Any) -> Recorded:
        """Record an allocation, and the fill or copy that initialises it."""
        made = self._allocated(meta, place)
        if name in tensors.COPIES:
            self.add(Copy(self.view(args[0]), self.view(made), self.line()))
        elif name not in tensors.UNINITIALISED:
            self.add(Fill(self.view(made), self._number_of(name, args, kwargs), self.line(), name))
        return made

    def _allocated(self, meta: Tensor, place: torch.device) -> Recorded:
        self._numbers[storage_identity(meta)] = len(self._numbers)
        self._kept.append(meta)
        dtype = str(meta.dtype).removeprefix("torch.")
        self.add(Allocate(meta.untyped_storage().nbytes(), dtype, self.line()))
        return self._tensor(meta, place)

    def _tensor(self, meta: Tensor, place: torch.device) -> Recorded:
        made = Recorded(meta, place, self)
        self._made.append(weakref.ref(made))
        return made

    def is_held(self, tensor: Recorded) -> bool:
        """Return whether another tensor in the same memory is still referenced, beside the one that it is a view of."""
        memory, known = storage_identity(tensor.meta), (tensor, tensor._base, None)
        others = [one for made in self._made if all((one := made()) is not other for other in known)]
        return any(one is not None and storage_identity(one.meta) == memory for one in others)

    def made_in(self, tensor: Recorded) -> int | None:
        """Return the line that allocated the memory of a tensor of this call; `None` for an input's."""
        number = self.number(tensor) - self._inputs
        made = [step.line for step in self.steps if isinstance(step, Allocate)]
        return made[number] if 0 <= number < len(made) else None

    def _sum(self, left: Any, right: Any) -> Any:
        """Record the sum of two gradients that autograd computes for a tensor that is used twice.

        Raises ForbiddenError if no kernel wrote one of them.
        """
        written = Written(self._inputs)
        for step in self.steps:
            written.take(step)
        if not all(isinstance(item, Recorded) and self.view(item) in written for item in (left, right)):
            return self._forbidden("add")
        made = self._allocated(tensors.alike(left.meta, None, None), left.place)
        self.add(Add(self.view(left), self.view(right), self.view(made)))
        self._count("add", made.meta)
        return made

    def _number_of(self, name: str, args: Any, kwargs: Any) -> Constant:
        value = tensors.filling(name, args, kwargs)
        if isinstance(value, (Tensor, complex)):
            self._forbidden(name)
        return Constant(value)

    def _on_meta(self, function: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
        if function.overloadpacket.__name__.endswith("_like"):
            return tensors.alike(args[0].meta, kwargs.get("dtype"), kwargs.get("memory_format"))
        options = {name: value for name, value in kwargs.items() if name != "pin_memory"}
        if "device" in options:
            options["device"] = "meta"
        args, options = mapped(lambda item: item.meta if isinstance(item, Recorded) else item, (args, options))
        return function(*args, **options)

    def _count(self, name: str, result: Any) -> None:
        self._calls[name] += 1
        self._bytes[name] += result.numel() * result.element_size() if isinstance(result, Tensor) else 0

    # Steps

    def add(self, step: Step) -> None:
        """Record a step; raises ForbiddenError if there are too many, or the engine would not accept it."""
        try:
            self.written.add(step)
        except StepError as error:
            raise self.refused(error.code, f"{self.call} {error}.", error.next_step) from error

    # Refusals

    def refused(
        self, code: str, text: str, step: str | None = None, details: dict[str, Any] | None = None
    ) -> ForbiddenError:
        """Keep a finding at the current line, and return the error that ends the call."""
        self.note(code, text, self.line(), step, details)
        return ForbiddenError(text)

    def _forbidden(self, name: str) -> Any:
        text = (
            f"{self.call} runs torch's {name}: the host function may only allocate, reshape, compute sizes and launch."
        )
        raise self.refused("torch-compute", text, f"Do the work of {name} in the kernel.", {"operation": name})

    def refuse(self, name: str, words: str) -> Any:
        """Refuse access to a tensor's values; always raises."""
        text = (
            f"{self.call} reads numbers of a tensor ({words}): the host function sees shapes and strides, no numbers."
        )
        step = "Let the kernel look at them; tl.device_print shows a value there."
        self.note("torch-compute", text, self.line(), step, {"operation": name})
        raise NumbersError(text)

    def subclassed(self, name: str) -> Any:
        """Refuse to convert a tensor to a subclass; always raises."""
        text = f"{self.call} makes a tensor of the class {name}; a plain torch.Tensor is expected."
        raise self.refused("wrong-type", text, "Return what torch.empty_like(...) gave.")

    def note(
        self, code: str, text: str, line: int | None, step: str | None = None, details: dict[str, Any] | None = None
    ) -> None:
        """Keep a finding, equal ones only once."""
        finding = Finding(code, text, file=self.path, line=line, next_step=step, details=details or {})
        self._findings.setdefault((code, text, line), finding)

    @property
    def findings(self) -> list[Finding]:
        """The findings about the host function."""
        return list(self._findings.values())

    @property
    def operations(self) -> list[HostOperation]:
        """PyTorch's operations in the host function, without views, with the bytes of the results."""
        return [HostOperation(name, calls, self._bytes[name]) for name, calls in self._calls.items()]

    def line(self) -> int | None:
        """Return the submission's line in its innermost stack frame."""
        return line_in(self.path)

    def program(self, results: Any) -> Program:
        """Return the recorded program of a call that returned these results."""
        if len(results) > MAX_RESULTS:
            text = f"{self.call} returns {len(results):,} values; plain tensors are expected, at most {MAX_RESULTS}."
            raise self.refused("wrong-type", text, "Return the tensor that the kernel writes to.")
        returned = tuple(self._result(item) for item in results)  # which may add steps
        return Program(tuple(self.steps), returned)

    def _result(self, item: Any) -> View | Other:
        """Describe a returned value; raises ForbiddenError for a tensor that is not of this call."""
        if type(item) is Recorded and self.is_own(item):
            return self.view(item)
        if type(item) is Recorded:
            who = f"{self.call}, or its backward pass," if self._backward else self.call
            text = f"{who} returns a tensor of an earlier call: the answer was kept."
            self.note("cached-answer", text, item.recording.made_in(item), "Compute every call from its own inputs.")
            raise ForbiddenError(text)
        if type(item) is Tensor:
            text = f"{self.call} returns memory that no kernel was launched on."
            raise self.refused("wrong-memory", text, "Return the tensor that you pass to the kernel.")
        return Other(type(item).__name__)
