"""Functions of NVIDIA's device library give what PyTorch gives, however a kernel names them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.language.extra.libdevice import tanh

from tritonpuzzles.engine.interpreter import KernelError, Tracer

X = torch.linspace(-3, 3, 97)


@triton.jit
def one(x_ptr, y_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.5)
    if FUNCTION == "expm1":
        y = libdevice.expm1(x)
    elif FUNCTION == "fast_expf":
        y = libdevice.fast_expf(x)
    elif FUNCTION == "erf":
        y = cuda_libdevice.erf(x)
    elif FUNCTION == "round":
        y = libdevice.round(x)
    elif FUNCTION == "rint":
        y = tl.extra.libdevice.rint(x)
    elif FUNCTION == "cbrt":
        y = libdevice.cbrt(x)
    elif FUNCTION == "normcdf":
        y = tl.extra.cuda.libdevice.normcdf(x)
    elif FUNCTION == "abs":
        y = libdevice.abs(x)
    elif FUNCTION == "llrint":
        y = libdevice.llrint(x).to(tl.float32)
    elif FUNCTION == "float2int_rd":
        y = libdevice.float2int_rd(x).to(tl.float32)
    elif FUNCTION == "isnan":
        y = libdevice.isnan(x).to(tl.float32)
    else:
        y = tanh(x)
    tl.store(y_ptr + offsets, y, mask=offsets < n)


@triton.jit
def three(x_ptr, y_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK
    x = tl.load(x_ptr + row + tl.arange(0, BLOCK))
    top = libdevice.div_rn(tl.max(x, axis=0), 2.0)
    tl.store(y_ptr + row + tl.arange(0, BLOCK), libdevice.fma(x, top, 1.0))


@triton.jit
def unknown(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, libdevice.j0(tl.load(x_ptr + offsets)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("expm1", torch.expm1),
        ("erf", torch.erf),
        ("round", lambda x: torch.trunc(x + 0.5 * x.sign())),
        ("rint", torch.round),
        ("llrint", torch.round),
        ("cbrt", lambda x: x.sign() * x.abs().pow(1 / 3)),
        ("normcdf", torch.special.ndtr),
        ("abs", torch.abs),
        ("isnan", torch.zeros_like),
        ("tanh", torch.tanh),
    ],
)
def test_a_function_gives_what_torch_gives(name: str, truth: Callable[[Tensor], Tensor], dtype: torch.dtype) -> None:
    x = torch.cat([X, torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5])]).to(dtype)
    y = torch.zeros_like(x)
    with Tracer() as tracer:
        one[(4,)](x, y, len(x), FUNCTION=name, BLOCK=32)
    assert not tracer.facts
    torch.testing.assert_close(y, truth(x))


def test_a_fast_one_is_computed_exactly() -> None:
    y = torch.zeros_like(X)
    with Tracer():
        one[(4,)](X, y, len(X), FUNCTION="fast_expf", BLOCK=32)
    torch.testing.assert_close(y, torch.exp(X))


def test_a_whole_number_is_rounded_as_its_name_says() -> None:
    y = torch.zeros_like(X)
    with Tracer():
        one[(4,)](X, y, len(X), FUNCTION="float2int_rd", BLOCK=32)
    torch.testing.assert_close(y, torch.floor(X))


def test_scalars_differ_from_program_to_program() -> None:
    x = torch.randn(5, 16)
    y = torch.zeros_like(x)
    with Tracer():
        three[(5,)](x, y, BLOCK=16)
    torch.testing.assert_close(y, x * (x.amax(dim=1, keepdim=True) / 2) + 1)


def test_an_unknown_one_is_refused_by_name() -> None:
    with Tracer(), pytest.raises(KernelError, match="libdevice's __nv_j0f cannot be run on a CPU") as caught:
        unknown[(1,)](torch.ones(16), torch.zeros(16), BLOCK=16)
    assert caught.value.code == "unsupported-operation"


def test_nothing_stays_behind() -> None:
    before = libdevice.exp, cuda_libdevice.exp
    y = torch.zeros_like(X)
    with Tracer():
        one[(4,)](X, y, len(X), FUNCTION="tanh", BLOCK=32)
    assert (libdevice.exp, cuda_libdevice.exp) == before
