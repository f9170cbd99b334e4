"""All that the grader uses of Triton's insides, by name: interpreter, compiler and recorder import it from here.

If a Triton release renames or moves one of these, only this file changes; `missing` lists those that no longer exist.
Each is imported only when it is used.
"""

from __future__ import annotations

import importlib
from typing import Any

JIT, INTERPRETER, COMPILER = "triton.runtime.jit", "triton.runtime.interpreter", "triton.compiler.compiler"
ERRORS, NATIVE = "triton.runtime.errors", "triton._C.libtriton"
PLACES = {
    # what a kernel is, and how it is launched
    **dict.fromkeys(("JITFunction", "JITCallable", "TensorWrapper", "ConstexprFunction", "mangle_type"), JIT),
    "create_function_from_signature": JIT,
    "Autotuner": "triton.runtime.autotuner",
    "TensorDescriptor": "triton.tools.tensor_descriptor",
    "driver": "triton.runtime",
    "knobs": "triton",
    "do_bench": "triton.testing",
    **dict.fromkeys(("OutOfResources", "PTXASError"), ERRORS),
    # the interpreter
    **dict.fromkeys(("InterpreterBuilder", "InterpreterOptions", "TensorHandle"), INTERPRETER),
    "TritonSemantic": "triton.language.semantic",
    "interpreter": NATIVE,  # atomics, as Triton's own interpreter computes them
    # the compiler
    **dict.fromkeys(("ASTSource", "make_backend"), COMPILER),
    "GPUTarget": "triton.backends.compiler",
    "CodeGenerator": "triton.compiler.code_generator",
    "CompilationError": "triton.compiler.errors",
    "FileCacheManager": "triton.runtime.cache",
    "ir": NATIVE,
}
MODULES = {
    "allocation": "triton.runtime._allocation",
    "jit": JIT,
    "triton_cache": "triton.runtime.cache",
    "code_generator": "triton.compiler.code_generator",
    "libdevice": "triton.language.extra.libdevice",
    "cuda_libdevice": "triton.language.extra.cuda.libdevice",
}
ATTRIBUTES = {  # of the objects above and of modules, by owner
    "JITFunction": ("run", "__call__", "get_capture_scope", "cache_key", "_pack_args"),
    "Autotuner": ("run",),
    "TritonSemantic": ("to_tensor", "make_tensor_descriptor"),
    "ASTSource": ("make_ir",),
    "CodeGenerator": ("visit", "builtin_namespace", "call_JitFunction"),
    "triton.compiler.code_generator": ("mangle_fn",),
    "knobs": ("runtime",),
    "allocation": ("_allocator", "NullAllocator"),
    "FileCacheManager": ("get_file", "get_group", "put", "_make_path"),
    "triton.language.core": ("is_builtin", "TRITON_BUILTIN", "tensor", "tuple", "tuple_type", "dtype", "constexpr"),
    "triton.language.standard": ("_sum_combine", "_elementwise_max", "_elementwise_min"),
}


def __getattr__(name: str) -> Any:
    """Return the object of a name; raises AttributeError if Triton no longer has it."""
    if name in PLACES:
        return getattr(importlib.import_module(PLACES[name]), name)
    if name in MODULES:
        return importlib.import_module(MODULES[name])
    raise AttributeError(f"nothing of Triton's is named {name}")


def missing() -> list[str]:
    """Return the full names that the installed Triton lacks; empty is good."""
    found = []
    for name, place in {**PLACES, **MODULES}.items():
        try:
            __getattr__(name)
        except (ImportError, AttributeError):
            found.append(place if name in MODULES else f"{place}.{name}")
    for owner, names in ATTRIBUTES.items():
        try:
            holder = __getattr__(owner) if owner in PLACES or owner in MODULES else importlib.import_module(owner)
        except (ImportError, AttributeError):
            continue
        found += [f"{PLACES.get(owner, owner)}.{name}" for name in names if not hasattr(holder, name)]
    return found
