"""Registers, instructions and occupancy of compiled kernels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonpuzzles.compiler import TARGETS, Launch, compile_launch, resources
from tritonpuzzles.compiler.answers import Answers
from tritonpuzzles.compiler.build import Build
from tritonpuzzles.compiler.resources import (
    RegisterUse,
    amd_instructions,
    nvidia_instructions,
    occupancy,
    register_use,
)

from .test_fit import matmul

MakeLaunch = Callable[..., Launch]
NO_ANSWERS = Answers({}, {}, {})

SASS = """
/*0010*/ LDG.E.128.CONSTANT R4, [R2.64] ;
/*0020*/ LDGSTS.E.BYPASS.LTC128B.64 [R5], [R2.64] ;
/*0030*/ LDG.E.U16 R4, [R2.64] ;
/*0040*/ @P0 STG.E.64 [R2.64], R4 ;
/*0050*/ HMMA.16816.F32 R4, R8, R12, RZ ;
/*0060*/ HMMA.16816.F32 R4, R8, R12, RZ ;
/*0070*/ STL.64 [R1], R4 ;
/*0080*/ LDL.LU R4, [R1] ;
"""


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_every_target_compiles_and_reports(scale: MakeLaunch, target: str) -> None:
    outcome = compile_launch(scale(), TARGETS[target], resources=True)
    assert outcome.result.ok
    used = outcome.resources
    assert used is not None
    assert (used.notes, used.tensor_core, used.local_accesses, used.spill_bytes) == ((), {}, 0, 0)
    assert 0 < (used.registers or 0) <= 64
    assert (used.load_bits, used.store_bits) == (128, 128)
    assert used.occupancy is not None
    assert used.occupancy.fraction == 1.0
    assert outcome.result.registers == used.registers


@pytest.mark.parametrize(
    ("target", "mnemonic"), [("sm_80", "HMMA"), ("sm_90", "HGMMA"), ("gfx942", "v_mfma"), ("gfx1100", "v_wmma")]
)
def test_tensor_cores_are_found(target: str, mnemonic: str) -> None:
    outcome = compile_launch(matmul(block=32), TARGETS[target], resources=True)
    assert outcome.resources is not None
    assert any(name.startswith(mnemonic) for name in outcome.resources.tensor_core or {})


def test_sass_is_read() -> None:
    seen = nvidia_instructions(SASS)
    assert (seen.load_bits, seen.store_bits, seen.local_accesses) == (128, 64, 2)
    assert seen.tensor_core == {"HMMA.16816.F32": 2}
    assert seen.notes == ()
    assert "tensor memory accelerator" in nvidia_instructions("UTMALDG.2D [UR8], [UR6] ;").notes[0]


def test_amd_assembly_is_read() -> None:
    text = (
        "global_load_dwordx4 v[0:3], v0\nbuffer_load_ushort v1, v2\nbuffer_store_b64 v[0:1], v2\nscratch_load_b32 v1\n"
    )
    seen = amd_instructions(text + "v_mfma_f32_32x32x8_f16 v[0:15], v[68:69], v[82:83], v[0:15]\n")
    assert (seen.load_bits, seen.store_bits, seen.local_accesses) == (128, 64, 1)
    assert seen.tensor_core == {"v_mfma_f32_32x32x8_f16": 1}


def test_spills_of_both_vendors_are_counted_in_bytes() -> None:
    log = "  32 bytes stack frame, 24 bytes spill stores, 40 bytes spill loads\nptxas info : Used 255 registers, used 1"
    assert register_use(Build(None, {}, log, NO_ANSWERS), TARGETS["sm_80"]) == RegisterUse(255, 32, 64)
    text = ".private_segment_fixed_size: 16\n.sgpr_spill_count: 9\n.vgpr_count:     136\n.vgpr_spill_count: 4\n"
    assert register_use(Build(None, {"amdgcn": text}, "", NO_ANSWERS), TARGETS["gfx942"]) == RegisterUse(136, 16, 32)
    assert register_use(Build(None, {}, "", NO_ANSWERS), TARGETS["sm_80"]) == RegisterUse(None, None, None)


def test_without_cuobjdump_the_rest_is_there(scale: MakeLaunch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "find_cuobjdump", lambda: None)
    outcome = compile_launch(scale(), TARGETS["sm_80"], resources=True)
    assert outcome.resources is not None
    assert "cuobjdump is missing" in outcome.resources.notes[0]
    assert outcome.resources.load_bits is None
    assert (outcome.resources.registers or 0) > 0
    assert outcome.resources.occupancy is not None


@pytest.mark.parametrize(
    ("target", "num_warps", "registers", "shared", "blocks", "limited_by"),
    [
        ("sm_80", 4, 32, 0, 16, "warps"),
        ("sm_80", 4, 64, 0, 8, "registers"),  # 65,536 / (64 * 128)
        ("sm_80", 4, 255, 0, 2, "registers"),
        ("sm_80", 8, 168, 0, 1, "registers"),  # 168 registers: 3 warps in each of 4 partitions
        ("sm_80", 4, 32, 40_000, 4, "shared memory"),  # 167,936 / (40,000 + 1,024)
        ("sm_80", 1, 16, 0, 32, "blocks"),
        ("sm_86", 4, 32, 0, 12, "warps"),
        ("gfx942", 4, 128, 0, 4, "registers"),  # 512 / 128 waves in each of 4 SIMDs
        ("gfx942", 4, 64, 32_768, 2, "shared memory"),
    ],
)
def test_occupancy(target: str, num_warps: int, registers: int, shared: int, blocks: int, limited_by: str) -> None:
    found = occupancy(TARGETS[target], num_warps, registers, shared)
    assert (found.blocks_per_sm, found.limited_by) == (blocks, limited_by)
    assert found.warps_per_sm == blocks * num_warps
    assert found.fraction == found.warps_per_sm / TARGETS[target].max_warps_per_sm


def test_limits_are_consistent() -> None:
    for target in TARGETS.values():
        assert target.shared_bytes_per_block + target.reserved_shared_bytes <= target.shared_bytes_per_sm
        assert target.registers_per_sm % target.partitions == 0
        assert target.max_num_warps * target.warp_size == target.max_threads_per_block
