"""A launch is specialised as the JIT would: types by dtype and value, divisibility, constants."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from tritonpuzzles.compiler import TARGETS, Launch, compile_launch, distinct
from tritonpuzzles.compiler.launch import Specialised, specialise
from tritonpuzzles.compiler.source import source_key

from . import kernels, rejected

MakeLaunch = Callable[..., Launch]
SM_80 = TARGETS["sm_80"]
DIVISIBLE = [["tt.divisibility", 16]]

POINTERS = {
    torch.float16: "*fp16", torch.bfloat16: "*bf16", torch.float32: "*fp32", torch.float64: "*fp64",
    torch.int8: "*i8", torch.int16: "*i16", torch.int32: "*i32", torch.int64: "*i64", torch.uint8: "*u8",
    torch.uint16: "*u16", torch.uint32: "*u32", torch.uint64: "*u64", torch.float8_e5m2: "*fp8e5",
    torch.float8_e4m3fn: "*fp8e4nv",
}  # fmt: skip


def variant(launch: Launch) -> Specialised:
    """Specialise a launch twice, with its tensors and without their memory: both must agree."""
    first, second = specialise(launch, SM_80), specialise(launch.without_data(), SM_80)
    assert (first.signature, first.attributes) == (second.signature, second.attributes)
    return first


@pytest.mark.parametrize("dtype", POINTERS, ids=str)
def test_pointer_types(scale: MakeLaunch, dtype: torch.dtype) -> None:
    assert variant(scale(x_ptr=torch.zeros(8, dtype=dtype))).signature["x_ptr"] == POINTERS[dtype]


@pytest.mark.parametrize(
    ("value", "kind"),
    [(2, "i32"), (0, "i32"), (-1, "i32"), (2**31 - 1, "i32"), (2**31, "i64"), (-(2**31) - 1, "i64"), (2**63, "u64"),
     (1, "constexpr"), (None, "constexpr"), (True, "u1"), (1.0, "fp32")],
)  # fmt: skip
def test_scalar_types(scale: MakeLaunch, value: object, kind: str) -> None:
    assert variant(scale(n_elements=value)).signature["n_elements"] == kind


@pytest.mark.parametrize(("value", "divisible"), [(4096, True), (0, True), (781, False), (8, False)])
def test_divisible_integers(scale: MakeLaunch, value: int, divisible: bool) -> None:
    assert (variant(scale(n_elements=value)).attributes[(2,)] == DIVISIBLE) is divisible


@pytest.mark.parametrize(("offset", "divisible"), [(0, True), (4, True), (1, False), (3, False)])
def test_divisible_addresses(scale: MakeLaunch, offset: int, divisible: bool) -> None:
    assert (variant(scale(x_ptr=torch.zeros(64)[offset:])).attributes[(0,)] == DIVISIBLE) is divisible


def test_constants_carry_their_values(scale: MakeLaunch) -> None:
    found = variant(scale(n_elements=1, BLOCK_SIZE=tl.constexpr(512)))
    assert found.constants[(2,)] == 1
    assert found.constexprs == {"n_elements": 1, "BLOCK_SIZE": 512}


def test_tuples_none_and_descriptors() -> None:
    x = torch.zeros(64, 64)
    found = variant(Launch(kernels.pair, {"tensors": (x, 3), "y_ptr": x, "bias_ptr": None, "BLOCK_SIZE": 64}))
    assert (found.signature["tensors"], found.signature["bias_ptr"]) == (("*fp32", "i32"), "constexpr")
    desc = TensorDescriptor.from_tensor(x, [32, 32])
    found = variant(Launch(kernels.described, {"x_desc": desc, "y_desc": desc, "BLOCK_M": 32}))
    assert found.signature["x_desc"].replace(" ", "") == "tensordesc<fp32[32,32]>"


def test_target_decides_the_defaults(scale: MakeLaunch) -> None:
    assert specialise(scale(), SM_80).options["num_stages"] == 3
    assert specialise(scale(), TARGETS["gfx942"]).options["num_stages"] == 2
    assert specialise(scale(num_stages=5), SM_80).options["num_stages"] == 5


@pytest.mark.parametrize(
    ("changes", "bits"),
    [({}, 128), ({"x_ptr": torch.zeros(4097)[1:]}, 32), ({"x_row_stride": 1023}, 32), ({"x_row_stride": 1024}, 128)],
    ids=["aligned", "odd address", "odd stride", "even stride"],
)
def test_alignment_decides_the_widest_load(changes: dict[str, object], bits: int) -> None:
    arguments = {"x_ptr": torch.zeros(4096), "y_ptr": torch.empty(4096), "x_row_stride": 1008, "BLOCK_SIZE": 1024}
    outcome = compile_launch(Launch(kernels.copy_row, {**arguments, **changes}), SM_80, resources=True)
    assert outcome.resources is not None
    assert (outcome.resources.load_bits, outcome.resources.store_bits) == (bits, 128)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"num_warp": 4}, "num_warp is neither a parameter of the kernel nor a launch option"),
        ({"x_ptr": "text"}, "the launch passes x_ptr = str"),
    ],
)
def test_refused_launches_are_findings(scale: MakeLaunch, changes: dict[str, object], words: str) -> None:
    outcome = compile_launch(scale(**changes), SM_80)
    assert not outcome.result.ok
    assert words in outcome.findings[0].message


def test_missing_argument_is_named() -> None:
    outcome = compile_launch(Launch(kernels.scale, {"x_ptr": torch.zeros(8), "factor": 2.0, "BLOCK_SIZE": 8}), SM_80)
    assert "leaves out 'y_ptr' and 'n_elements'" in outcome.findings[0].message


def test_autotuner_and_heuristics_are_looked_through(scale: MakeLaunch) -> None:
    tuned = triton.autotune([triton.Config({}, num_warps=4)], key=[])(triton.heuristics({})(kernels.scale))
    assert scale(function=tuned).kernel is kernels.scale
    with pytest.raises(TypeError, match=r"not a @triton\.jit function"):
        _ = scale(function=print).kernel


def test_launches_of_one_variant_are_compiled_once(scale: MakeLaunch) -> None:
    launches = [scale(n_elements=n) for n in (4096, 2048, 781, 33, 1)]
    assert distinct(launches, SM_80) == [launches[0], launches[2], launches[4]]


def test_key_follows_what_a_name_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    before = source_key(rejected.math_exp)
    monkeypatch.setitem(rejected.math_exp.fn.__globals__, "math", torch)
    assert source_key(rejected.math_exp) != before
