"""Record the launches of a host function: kernel, arguments and grid; nothing is run, and only a warm-up compiles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any
from unittest import mock

from torch import Tensor

from tritonpuzzles.compiler.launch import known_options
from tritonpuzzles.insides import Autotuner, JITFunction, TensorDescriptor, TensorWrapper, allocation, knobs
from tritonpuzzles.recorder.call import calls_in, outside
from tritonpuzzles.recorder.names import dtype_name
from tritonpuzzles.recorder.recording import ForbiddenError, Recording
from tritonpuzzles.recorder.tensors import Recorded
from tritonpuzzles.recorder.warmed import Warmed
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import SIZES
from tritonpuzzles.results.words import without_addresses
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.launching import LaunchError, bind, check_parameters, check_registers, launch_grid, options_of
from tritonpuzzles.wire.program import (
    MAX_CHOICES,
    Argument,
    Choose,
    Descriptor,
    Fill,
    Launch,
    Reinterpreted,
    Several,
    Step,
    View,
)
from tritonpuzzles.wire.values import Constant

MAKES = "make_tensor_descriptor("
KEEP_NONE = "Keep no tensor between calls: allocate it in every call. What backward needs belongs in ctx."


class LaunchRefusedError(Exception):
    """A launch that Triton would refuse; `finding` says why, with its file and line."""

    def __init__(self, kernel: str, error: LaunchError | TypeError, file: str, line: int) -> None:
        super().__init__(f"{kernel}: {error}")
        text = f"The kernel stops: {without_addresses(str(self)).rstrip('.')}."
        known = error if isinstance(error, LaunchError) else LaunchError(text)
        about = {SIZES: dict(known.sizes)} if known.sizes else {}
        self.finding = Finding(known.code, text, file=file, line=line, next_step=known.next_step, details=about)


class Launches:
    """Passes launches to a recording while it is active.

    The result of a warm-up is compiled for the GPU when the host function reads it.
    """

    def __init__(self, recording: Recording, gpu: Device) -> None:
        self._recording, self._gpu, self._thread = recording, gpu, get_ident()
        self._tuned: list[tuple[Any, str]] = []

    def forget(self) -> None:
        """Make every autotuner that has chosen here choose again."""
        for tuner, key in self._tuned:
            tuner.cache.pop(key, None)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Replace Triton's launcher and autotuner inside a `with` block."""
        with (
            mock.patch.object(JITFunction, "run", lambda kernel, *args, **named: self._launch(kernel, args, named)),
            mock.patch.object(Autotuner, "run", lambda tuner, *args, **named: self._tune(tuner, args, named)),
        ):
            yield

    def _launch(self, kernel: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Warmed | None:
        """Record a launch; for a warm-up, return a stand-in for the compiled kernel."""
        named = dict(named)
        grid, warmup = named.pop("grid", None), named.pop("warmup", False)
        file, line = outside()
        if get_ident() != self._thread:
            text = f"{self._recording.call} launches {kernel.__name__} in another thread: nothing waits for it there."
            self._recording.note("unsupported-operation", text, line, "Launch it in the thread of the call.")
            raise ForbiddenError(text)
        if getattr(kernel, "is_gluon", lambda: False)():
            text = f"{kernel.__name__} is a Gluon kernel (@gluon.jit), and this course takes Triton kernels."
            self._recording.note("unsupported-operation", text, line, "Write it with @triton.jit and triton.language.")
            raise ForbiddenError(text)
        try:
            bound, rest = bind(kernel, args, named)
            check_parameters(kernel.signature.parameters, known_options())
            options = options_of(rest, known_options())
            check_registers(bound, options)
            if warmup:
                return Warmed(kernel, bound, options, self._gpu)
            sizes = launch_grid(grid, bound)
        except (LaunchError, TypeError) as error:
            raise LaunchRefusedError(kernel.__name__, error, file, line) from error
        for hook in kernel.pre_run_hooks:
            hook(*args, **named)
        hooks = (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook)
        if any(getattr(hook, "calls", hook) for hook in hooks):
            text = f"A hook runs around every launch, also that of {kernel.__name__}, and may change what it gets."
            self._recording.note("unsupported-operation", text, line, "Leave knobs.runtime's launch hooks alone.")
            raise ForbiddenError(text)
        given = kernel.signature.bind(*args, **{n: v for n, v in named.items() if n not in rest}).arguments
        arguments = {name: self._argument(name, value) for name, value in given.items()}
        index = self._recording.kernels.add(kernel)
        self._recording.add(Launch(index, arguments, sizes, options, file, line, calls_in(self._recording.path)))
        self._look_for_an_allocator(kernel, line)
        return None

    def _look_for_an_allocator(self, kernel: Any, line: int | None) -> None:
        """Note a kernel that makes descriptors where no allocator is set: newer GPUs keep these in memory."""
        functions = self._recording.kernels.functions
        called = [getattr(one, "src", "") for one in functions if f"{one.__name__}(" in kernel.src]
        has_none = isinstance(allocation._allocator.get(), allocation.NullAllocator)
        if has_none and any(MAKES in text for text in (kernel.src, *called)):
            why = "which an H100 or newer GPU keeps in memory of the launch, and no allocator is set"
            step = "Call triton.set_allocator(...) with a function that returns such memory, before the launch."
            self._recording.note("no-allocator", f"{kernel.__name__} makes tensor descriptors, {why}.", line, step)

    def _argument(self, name: str, value: Any) -> Argument:
        """Describe an argument of a launch; raises ForbiddenError for a tensor that is not of this call."""
        if isinstance(value, Tensor):
            return self._own(name, value)
        if isinstance(value, TensorDescriptor):
            base, form = self._own(name, value.base), (value.shape, value.strides, value.block_shape)
            shape, strides, block = (tuple(int(n) for n in item) for item in form)
            rounds = bool(getattr(value, "round_f32_to_tf32", False))
            return Descriptor(base, shape, strides, block, value.padding, rounds)
        if isinstance(value, TensorWrapper):
            kind = dtype_name(value.dtype) or str(value.dtype).removeprefix("torch.")
            return Reinterpreted(self._own(name, value.base), kind)
        if isinstance(value, tuple) and any(_holds_tensors(item) for item in value):
            items = tuple(self._argument(f"{name}[{i}]", item) for i, item in enumerate(value))
            return Several(items, getattr(value, "_fields", None))
        return self._recording.kernels.value(value)

    def _own(self, name: str, tensor: Any) -> View:
        if self._recording.is_own(tensor):
            return self._recording.view(tensor)
        call = self._recording.call
        text = f"The kernel's argument {name} is neither an input nor memory that {call} allocated."
        step = "Pass the host function's own arguments and what torch.empty gives."
        if isinstance(tensor, Recorded):
            text = f"The kernel's argument {name} is a tensor of another call: {call} keeps it."
            self._recording.note("foreign-tensor", text, tensor.recording.made_in(tensor) or outside()[1], KEEP_NONE)
            raise ForbiddenError(text)
        raise self._recording.refused("foreign-tensor", text, step)

    def _tune(self, tuner: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Record the steps of each configuration of an autotuner: nothing can be timed here."""
        given = tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
        key, choices, kernel = self._key(tuner, {**given, **named}), [], tuner.base_fn.__name__
        tunes = False
        try:
            configurations = self._recording.kernels.tuned.get((id(tuner), key), list(tuner.configs))
            if tuner.early_config_prune and (id(tuner), key) not in self._recording.kernels.tuned:  # the file's own
                configurations = list(tuner.early_config_prune(tuner.configs, tuner.nargs, **named) or configurations)
            self._recording.kernels.tuned[id(tuner), key] = configurations
            if len(configurations) > MAX_CHOICES:
                count = f"{len(configurations):,} configurations; each one is tried, and {MAX_CHOICES} are the most"
                text, step = f"{kernel} is tuned over {count}.", "Keep the configurations that differ most."
                raise self._recording.refused("too-many-configurations", text, step)
            is_new = key not in tuner.cache
            self._tuned += [(tuner, key)] * is_new
            tunes = len(configurations) > 1 and is_new
            for configuration in configurations:
                if names := ", ".join(name for name in configuration.all_kwargs() if name in named):
                    text = f"@triton.autotune sets {names}, and the launch passes the same."
                    step = f"Leave {names} out of the launch: the configuration that is chosen sets it."
                    raise LaunchRefusedError(kernel, LaunchError(text, next_step=step), *outside())
                tuner.best_config = tuner.cache[key] = configuration
                chosen = {**named, **configuration.all_kwargs()}
                with self._recording.written.collecting() as steps:
                    if tunes:
                        self._reset(tuner, {**given, **named})
                    if configuration.pre_hook is not None:
                        configuration.pre_hook({**given, **chosen})
                    tuner.fn.run(*args, **chosen)
                choices.append(tuple(map(self._may_be_chosen, steps)))
        finally:
            tuner.nargs = None
        if named.get("warmup") or not choices:
            return
        self._recording.add(Choose(tuple(choices), key, tunes))

    def _may_be_chosen(self, step: Step) -> Fill | Launch:
        """Return a step of a configuration; raises ForbiddenError for one that is neither a fill nor a launch."""
        if isinstance(step, (Fill, Launch)):
            return step
        text = f"{self._recording.call} has an autotuner's hook allocate or copy memory; it may fill memory and launch."
        raise self._recording.refused("not-recordable", text, "Allocate before the launch, and pass the tensor.")

    def _reset(self, tuner: Any, given: dict[str, Any]) -> None:
        """Record that an autotuner clears some tensors: it does so only when it tunes, not in later calls."""
        for name in getattr(tuner, "reset_to_zero", None) or ():
            tensor = given.get(name)
            if self._recording.is_own(tensor):
                self._recording.add(Fill(self._recording.view(tensor), Constant(0), self._recording.line()))

    def _key(self, tuner: Any, given: dict[str, Any]) -> str:
        """Return the key for which an autotuner chooses once: the values of its key arguments, and the dtypes."""
        values = [given[name] for name in getattr(tuner, "keys", ()) if name in given]
        dtypes = [str(value.dtype) for value in given.values() if hasattr(value, "dtype")]
        return repr(([value if isinstance(value, (int, float, str)) else None for value in values], dtypes))[:400]


def _holds_tensors(value: Any) -> bool:
    return isinstance(value, (Tensor, TensorDescriptor, TensorWrapper)) or (
        isinstance(value, tuple) and any(_holds_tensors(item) for item in value)
    )
