"""Measure what `tritonpuzzles/hardware/l2.py` says of a GPU's L2 cache: its size, its rate, the share that is usable.

    python benchmarks/l2_cache.py           # a table, in ten seconds

A footprint is read twice, and ten times; the difference is the time of eight reads of what was just read, past the L1
cache. The rate is level as long as the L2 cache holds the footprint, and falls where it does not: the usable share is
the largest footprint that still comes at `HELD` of the best rate.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

MIB = 1 << 20
FOOTPRINTS = (8, 16, 24, 28, 32, 36, 40, 42, 44, 46, 48, 50, 52, 54, 56, 60, 64, 72, 80, 96, 128)  # MiB, about
BLOCK, WARPS, PER_MULTIPROCESSOR = 2048, 8, 4  # all programs run at once
FEW, MANY = 2, 10  # passes
SAMPLES, WARM_UP = 25, 3
FLUSHED = 512 * MIB
HELD = 0.75


@triton.jit
def read_again(x_ptr, out_ptr, per_program, passes, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Read a stretch of x so many times."""
    program = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(passes):
        for start in range(0, per_program, BLOCK):
            offsets = program * per_program + start + tl.arange(0, BLOCK)
            total += tl.load(x_ptr + offsets, cache_modifier=".cg")
    tl.store(out_ptr + program, tl.sum(total, axis=0))


def median_us(call: Callable[[], Any], flush: torch.Tensor) -> float:
    """Return how long a call takes behind a cold cache, in microseconds."""
    times = []
    for _ in range(SAMPLES + WARM_UP):
        flush.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(1000 * start.elapsed_time(end))
    return statistics.median(times[WARM_UP:])


def again(mib: int, programs: int, flush: torch.Tensor) -> tuple[int, float]:
    """Return the bytes of a footprint, and the 10^9 bytes per second at which they are read again."""
    per_program = max(1, round(mib * MIB / 4 / programs / BLOCK)) * BLOCK
    x, out = torch.randn(programs * per_program, device="cuda"), torch.empty(programs, device="cuda")

    def read(passes: int) -> Callable[[], Any]:
        return lambda: read_again[(programs,)](x, out, per_program, passes, BLOCK=BLOCK, num_warps=WARPS)

    few, many = (median_us(read(passes), flush) for passes in (FEW, MANY))
    return x.nbytes, x.nbytes * (MANY - FEW) / (many - few) / 1e3


def main() -> None:
    """Print the table, and what of it the model needs."""
    gpu = torch.cuda.get_device_properties(0)
    size, programs = int(gpu.L2_cache_size), int(gpu.multi_processor_count) * PER_MULTIPROCESSOR
    flush = torch.empty(FLUSHED, dtype=torch.uint8, device="cuda")
    print(
        f"{gpu.name}: {size:,} bytes of L2 cache by the driver; torch {torch.__version__}, Triton {triton.__version__}"
    )
    found = [again(mib, programs, flush) for mib in FOOTPRINTS]
    for nbytes, rate in found:
        print(f"{nbytes / 1e6:8.1f} MB {rate:8,.0f} GB/s")
    best = max(rate for _, rate in found)
    held = max(nbytes for nbytes, rate in found if rate >= HELD * best)
    print(f"at most {best:,.0f} GB/s; {held / 1e6:.1f} MB, {held / size:.0%} of it, come at {HELD:.0%} of that or more")


if __name__ == "__main__":
    main()
