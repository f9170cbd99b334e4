"""A launch and its target, and the compiler's input for them: signature, constants, attributes, as the JIT infers them.

Triton's own binder does the inference: it needs a backend, but neither a driver nor a device, and its three calls are
the same in Triton 3.6 to 3.9.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import warnings
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from types import SimpleNamespace
from typing import Any

import torch
import triton

from tritonpuzzles import __version__
from tritonpuzzles.compiler.source import source_key
from tritonpuzzles.compiler.wording import clean
from tritonpuzzles.hardware.gpus import TARGETS, Target
from tritonpuzzles.insides import (
    GPUTarget,
    JITFunction,
    TensorDescriptor,
    create_function_from_signature,
    driver,
    make_backend,
)
from tritonpuzzles.results.words import plural
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.launching import TAKEN

NEAREST = TARGETS["sm_90"]  # its limits stand in for those that the driver of an unlisted GPU does not report


class SpecialiseError(Exception):
    """A launch that Triton would refuse before it compiles; the text is a plain sentence."""


@dataclass(frozen=True)
class Launch:
    """One kernel launch."""

    function: Any  # the `JITFunction`, or an autotuner or heuristics around it
    arguments: Mapping[str, Any]  # parameter name -> value as launched; parameters with a default may be missing
    # launch options: `num_warps`, `num_stages`, `num_ctas`, `maxnreg`, ...
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kernel(self) -> Any:
        """The innermost `JITFunction`; raises TypeError where there is none."""
        function = self.function
        while not isinstance(function, JITFunction):
            inner = getattr(function, "fn", None)
            if inner is None or inspect.isfunction(inner):
                raise TypeError(f"{function!r} is not a @triton.jit function (was TRITON_INTERPRET set at import?)")
            function = inner
        return function

    @property
    def constants(self) -> list[str]:
        """The names of its kernel's constexprs, in order."""
        return [parameter.name for parameter in self.kernel.params if parameter.is_constexpr]

    @property
    def kind(self) -> Hashable:
        """A key of the program that it becomes; cheap, while `specialise` takes a millisecond.

        Triton makes a constant of a number that is 1. The kernel enters by its id: hashing a kernel makes Triton parse
        it, which fails if it calls a Python function.
        """
        constexprs = self.constants
        arguments = [(name, repr(v) if name in constexprs else kind_of(v)) for name, v in self.arguments.items()]
        return id(self.kernel), tuple(arguments), repr(sorted(self.options.items()))

    def without_data(self) -> Launch:
        """Return the launch with each tensor replaced by its dtype, address and size, to keep no data alive."""
        return replace(self, arguments={name: _light(value) for name, value in self.arguments.items()})


class _Pointer:
    """Stands in for a tensor: has only what Triton reads when it specialises a launch."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.dtype = tensor.dtype
        self._address, self._range = tensor.data_ptr(), tensor.untyped_storage().size()

    def data_ptr(self) -> int:
        return self._address

    def ptr_range(self) -> int:
        return self._range


def described(launch: Launch) -> str:
    """Return a launch in words: "softmax_kernel (BLOCK_SIZE=1024, 4 warps)"."""
    values = {name: launch.arguments[name] for name in launch.constants if type(launch.arguments.get(name)) is int}
    warps = launch.options.get("num_warps", launch.arguments.get("num_warps"))
    words = [f"{name}={value}" for name, value in values.items() if name not in TAKEN]
    words += [plural(warps, "warp")] if isinstance(warps, int) else []
    name: str = launch.kernel.__name__
    return f"{name} ({', '.join(words)})" if words else name


def kind_of(value: Any) -> Hashable:
    """Return what decides the program about an argument: its type, and its value if Triton makes it a constant."""
    if isinstance(value, tuple):
        return tuple(map(kind_of, value))
    if isinstance(value, TensorDescriptor):
        return kind_of(value.base), tuple(value.block_shape)
    if type(value) is int and value != 1:
        return value.bit_length() > 31, value.bit_length() > 63  # int32, int64 or uint64
    return repr(value) if value is None or type(value) in (bool, int) else str(getattr(value, "dtype", type(value)))


def _light(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return _Pointer(value)
    if isinstance(value, tuple):
        items = [_light(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, TensorDescriptor):
        return replace(value, base=_light(value.base))
    return value


@dataclass(frozen=True)
class Specialised:
    """One variant of a kernel for one target: the complete input of the compiler."""

    kernel: Any
    target: Target
    signature: dict[str, Any]  # parameter -> Triton's type: `*fp32`, `i32`, `constexpr`
    constants: dict[tuple[int, ...], Any]  # path of an argument -> its value
    attributes: dict[tuple[int, ...], Any]  # path of an argument -> attributes: `[["tt.divisibility", 16]]`
    options: dict[str, Any]  # the backend's options, defaults filled in

    @cached_property
    def key(self) -> str:
        """A digest of the source (also of the functions it calls), the variant, the target and the versions.

        Raises SourceError.
        """
        parts = (
            __version__, triton.__version__, self.target.name, source_key(self.kernel), self.signature, self.attributes,
            [(path, _name(value)) for path, value in self.constants.items()],
            sorted((name, _name(value)) for name, value in self.options.items()),
        )  # fmt: skip
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    @property
    def constexprs(self) -> dict[str, int]:
        """The integer constexprs by parameter name, BLOCK_SIZE for one."""
        names = [parameter.name for parameter in self.kernel.params]
        values = {names[path[0]]: getattr(value, "value", value) for path, value in self.constants.items()}
        return {name: value for name, value in values.items() if type(value) is int}


def _name(value: Any) -> str:
    return source_key(value) if isinstance(value, JITFunction) else repr(value)


@cache
def known_options() -> frozenset[str]:
    """Return the names of all launch options that Triton accepts, on any target GPU.

    A kernel's parameter with such a name also sets the option if it is passed by keyword.
    """
    backends = {target.backend: make_backend(gpu_target(target)) for target in TARGETS.values()}
    return frozenset(
        name for backend in backends.values() for name in vars(backend.parse_options({"enable_fp_fusion": True}))
    )


def gpu_target(target: Target) -> Any:
    """Return Triton's description of a target."""
    return GPUTarget(target.backend, target.arch, target.warp_size)


def specialise(launch: Launch, target: Target) -> Specialised:
    """Infer the variant that the JIT would compile for a launch.

    Raises SpecialiseError if Triton refuses the launch (an unknown option, a missing argument, a value of no known
    type), TypeError if the function is not a `JITFunction`.
    """
    kernel = launch.kernel
    given = {"debug": bool(kernel.debug), **launch.options}
    options = {name: value for name, value in given.items() if value is not None}
    options |= {name: launch.arguments[name] for name in TAKEN if name in launch.arguments}
    try:
        with warnings.catch_warnings():  # what `JITFunction.run` does before it compiles
            warnings.simplefilter("ignore")
            backend = make_backend(gpu_target(target))
            positional, named = _arguments(kernel, launch.arguments)
            binder = create_function_from_signature(kernel.signature, kernel.params, backend)
            bound, specialisation, rest = binder(*positional, **named)
            parsed, signature, constants, attributes = kernel._pack_args(backend, options, bound, specialisation, rest)
    except Exception as error:
        raise SpecialiseError(_reason(error, launch)) from error
    return Specialised(kernel, target, signature, constants, attributes, dict(vars(parsed)))


def _arguments(kernel: Any, arguments: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Split arguments into positional and named: only those before or in a `*args` parameter have to be positional."""
    named = {name: value for name, value in arguments.items() if name in kernel.signature.parameters}
    kinds = {name: parameter.kind for name, parameter in kernel.signature.parameters.items()}
    star = next((name for name, kind in kinds.items() if kind is inspect.Parameter.VAR_POSITIONAL), None)
    if star is None:
        return [], named
    before = list(kinds)[: list(kinds).index(star)]
    return [named.pop(name) for name in before if name in named] + list(named.pop(star, ())), named


def _reason(error: Exception, launch: Launch) -> str:
    """Say why Triton refuses a launch."""
    text = str(error.args[0]) if error.args else type(error).__name__
    if isinstance(error, KeyError) and "unrecognised" in text:
        return f"{text.split()[2]} is neither a parameter of the kernel nor a launch option of this GPU"
    if isinstance(error, TypeError) and "missing" in text:
        return "the launch leaves out " + text.split("argument", 1)[1].lstrip("s: ")
    for name, value in launch.arguments.items() if isinstance(error, TypeError) else ():
        plain_value = value is None or isinstance(value, (bool, int, float, tuple)) or hasattr(value, "data_ptr")
        kind = type(value).__name__
        if name not in launch.constants and not plain_value and kind not in ("constexpr", "TensorDescriptor"):
            return f"the launch passes {name} = {kind}, a value of no type that a kernel can take"
    return clean(text.replace("dynamic_func", launch.kernel.__name__))


def make_current(target: Target) -> None:
    """Make Triton's driver report a target from now on: `tl.target_info` queries it, interpreted and compiled."""
    driver.set_active(SimpleNamespace(get_current_target=lambda: gpu_target(target)))


@contextlib.contextmanager
def current_target(target: Target) -> Iterator[None]:
    """Make Triton's driver report a target inside a `with` block."""
    before = dict(vars(driver))
    make_current(target)
    try:
        yield
    finally:
        vars(driver).update(before)


def target_of(gpu: Device) -> Target:
    """Return the target of a GPU: the listed one, else one with the limits that its driver reports."""
    listed = TARGETS.get(f"sm_{gpu.capability}")
    if listed is not None:
        return listed
    return replace(
        NEAREST,
        name=f"sm_{gpu.capability}",
        arch=gpu.capability,
        gpu=gpu.name,
        shared_bytes_per_block=gpu.shared_bytes_per_block,
        shared_bytes_per_sm=gpu.shared_bytes_per_multiprocessor,
        registers_per_sm=gpu.registers_per_multiprocessor,
        max_warps_per_sm=gpu.threads_per_multiprocessor // NEAREST.warp_size,
    )
