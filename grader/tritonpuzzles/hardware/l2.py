"""The L2 caches of GPUs, with the limits that decide how many programs use one at once.

Sizes and multiprocessors are from the makers' data sheets and architecture papers (A100, L4, H100, Blackwell); the
RTX 3050 Laptop has 2,048 cores and, by the GA102 paper, 512 KiB for each of its four memory controllers. The H200's
rate is measured, and its size reported by its driver. A multiprocessor's limits are those in `gpus`. Only for the H200
was a model with these figures compared with measured times. They stand for others: the example of a target, and a small
one. Their memory is from the makers' data sheets.
"""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.hardware.gpus import COPY_CEILING, GPUS, TARGETS, gpu_named

# The share of its size that a real cache, with few ways and two halves, is worth for programs that drift apart. From
# the H200's record of 2026-11-21: with 34.6 MB of rows in use (puzzle 3 at 16,384 columns, puzzle 4 at 8,192) three
# quarters of the second pass come from DRAM, as with an ideal cache of 42 MB instead of 62.9. If programs re-read in
# step, up to 52 MB are served (`python benchmarks/l2_cache.py`). The choice matters little: the recorded softmaxes of
# 4,096 rows are 8.5 % off on average with this share, 9.6 % with that of 52 MB.
USABLE = 0.67


@dataclass(frozen=True)
class L2:
    """A GPU's L2 cache, and the limits of the programs that share it."""

    gpu: str  # its common name
    target: str  # of the compiler: "sm_90"
    nbytes: int  # size of the cache, according to its maker or its driver
    multiprocessors: int  # of the GPU
    warps: int  # at most on one multiprocessor
    programs: int  # at most on one multiprocessor
    gb_per_s: float | None = None  # measured bandwidth of cached reads, in 10^9 bytes per second
    memory_bytes: int = 0  # of the GPU; 0 where its driver reports it

    @property
    def usable_bytes(self) -> float:
        """The size of an ideal least-recently-used cache that behaves like it."""
        return USABLE * self.nbytes

    @property
    def over_copy(self) -> float | None:
        """Its bandwidth as a multiple of a copy's, which is nine tenths of DRAM's; `None` if not measured."""
        return None if self.gb_per_s is None else self.gb_per_s / (COPY_CEILING * GPUS[self.gpu].gb_per_s)

    def at_once(self, num_warps: int, per_multiprocessor: int | None = None) -> int:
        """Return how many programs of so many warps run at once on the whole GPU.

        `per_multiprocessor` fit by registers and shared memory; `None` if that is unknown and only warps count.
        """
        by_warps = max(1, min(self.programs, self.warps // num_warps))
        return self.multiprocessors * min(by_warps, per_multiprocessor or by_warps)


def _l2(gpu: str, target: str, gib: int, multiprocessors: int, mib: int, gb_per_s: float | None = None) -> L2:
    limits = TARGETS[target]
    return L2(
        gpu, target, mib << 20, multiprocessors, limits.max_warps_per_sm, limits.max_blocks_per_sm, gb_per_s, gib << 30
    )


_ALL = (
    _l2("RTX 3050 Laptop", "sm_86", 4, 16, 2),
    _l2("T4", "sm_75", 16, 40, 4),
    _l2("A100", "sm_80", 80, 108, 40),
    _l2("RTX 3090", "sm_86", 24, 82, 6),
    _l2("L4", "sm_89", 24, 58, 48),
    _l2("RTX 4090", "sm_89", 24, 128, 72),
    _l2("H100", "sm_90", 80, 132, 50),
    _l2("H200", "sm_90", 141, 132, 60, 9300),  # `benchmarks/l2_cache.py`: 60 MiB by its driver
    _l2("B200", "sm_100", 180, 148, 126),
    _l2("RTX 5090", "sm_120", 32, 170, 96),
)

L2S: dict[str, L2] = {l2.gpu: l2 for l2 in _ALL}
USUAL = L2S["H200"]  # the default: the GPU of the records


def l2_named(name: str | None) -> L2 | None:
    """Return the L2 cache of the GPU with a person's or a driver's name; `None` if it is not listed."""
    gpu = gpu_named(name) if name else None
    return L2S.get(gpu.name) if gpu is not None else None


def l2_meant(name: str) -> L2 | None:
    """Return the L2 cache of the GPU that a name identifies, even if words are left out: "4090"; else `None`."""
    words = set(name.lower().split())
    found = [l2 for l2 in _ALL if words and words <= set(l2.gpu.lower().split())]
    return l2_named(name) or (found[0] if len(found) == 1 else None)


def l2_told(gpu: str, capability: int, nbytes: int, multiprocessors: int, threads: int) -> L2:
    """Return the L2 cache, of so many bytes, of a GPU from its driver's figures; `threads` is on one multiprocessor.

    An unlisted `capability`, 90 for sm_90, gets the limits of sm_90.
    """
    target = f"sm_{capability}"
    limits = TARGETS.get(target, TARGETS["sm_90"])
    return L2(gpu, target, nbytes, multiprocessors, threads // limits.warp_size, limits.max_blocks_per_sm)


def example_of(name: str) -> L2 | None:
    """Return the L2 cache and multiprocessors of a GPU, or of a target's example: "RTX 3090", "sm_86".

    `None` for one that is not listed.
    """
    return L2S.get(TARGETS[name].gpu if name in TARGETS else name)
