"""How many blocks of a kernel share one SM: the arithmetic of the vendors' occupancy calculators [1].

[1] NVIDIA, CUDA C++ Programming Guide, section "Occupancy Calculator"; allocation units from its appendix.
"""

from __future__ import annotations

from tritonpuzzles.hardware.targets import Target
from tritonpuzzles.results.inspect import Occupancy

SHARED_UNIT = 128  # bytes


def occupancy(target: Target, num_warps: int, registers: int, shared_bytes: int) -> Occupancy:
    """Return how many blocks of a kernel fit on an SM.

    Args:
        target: its limits.
        num_warps: per block.
        registers: per thread.
        shared_bytes: per block.
    """
    limits = {
        "warps": target.max_warps_per_sm // num_warps,
        "registers": _warps_by_registers(target, registers) // num_warps,
        "blocks": target.max_blocks_per_sm,  # before what takes no shared memory, and gives this number too
        "shared memory": _blocks_by_shared(target, shared_bytes),
    }
    limited_by = min(limits, key=lambda name: limits[name])
    blocks = limits[limited_by]
    return Occupancy(blocks, blocks * num_warps, blocks * num_warps / target.max_warps_per_sm, limited_by)


def _warps_by_registers(target: Target, registers: int) -> int:
    """Return how many warps the register file holds: each partition holds whole warps only."""
    per_warp = _round_up(max(registers, 1) * target.warp_size, target.register_unit)
    return target.registers_per_sm // target.partitions // per_warp * target.partitions


def _blocks_by_shared(target: Target, shared_bytes: int) -> int:
    per_block = _round_up(shared_bytes + target.reserved_shared_bytes, SHARED_UNIT)
    return target.shared_bytes_per_sm // per_block if per_block else target.max_blocks_per_sm


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
