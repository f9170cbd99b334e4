"""The L2 caches of GPUs, with what decides how many programs use one at once.

Sizes and multiprocessors are those of the makers' data sheets and architecture papers (A100, L4, H100, Blackwell); the
RTX 3050 Laptop has 2,048 cores and, by the GA102 paper, 512 KiB for each of its four memory controllers. The H200's
size and rate are measured. What a multiprocessor holds is that of `gpus`. Of the H200 alone a model with
these figures was held beside a clock. Some stand for others: the example of a target, and a small one; their memory
is by the makers' data sheets.
"""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.hardware.gpus import COPY_CEILING, GPUS, TARGETS, gpu_named

# The share of its size that a real cache, of few ways and in two halves, holds for programs that drift apart. From the
# H200's record of 2026-11-21: with 34.6 MB of rows in work (puzzle 3 at 16,384 columns, puzzle 4 at 8,192) three
# quarters of the second pass come from DRAM, as behind 42 MB of its 62.9. What one kernel reads again in step is served
# up to 52 MB (`python benchmarks/l2_cache.py`). It decides little: the softmaxes of 4,096 rows on record are 8.5 % off
# in the mean with this share, 9.6 % with that.
USABLE = 0.67
_GIB = 1 << 30

MEMORY_BYTES: dict[str, int] = {
    "RTX 3050 Laptop": 4 * _GIB,
    "T4": 16 * _GIB,
    "A100": 80 * _GIB,
    "RTX 3090": 24 * _GIB,
    "RTX 4090": 24 * _GIB,
    "L4": 24 * _GIB,
    "H100": 80 * _GIB,
    "H200": 141 * _GIB,
    "B200": 180 * _GIB,
    "RTX 5090": 32 * _GIB,
}


@dataclass(frozen=True)
class L2:
    """A GPU's L2 cache, and what of programs runs beside it.

    Attributes:
        gpu: as people say it.
        target: what kernels are compiled for: "sm_90".
        nbytes: of the cache, by its maker or its driver.
        multiprocessors: of the GPU.
        warps, programs: at most on one multiprocessor.
        gb_per_s: 10^9 bytes that it serves in a second of what was just read; `None` where nobody has measured it.
    """

    gpu: str
    target: str
    nbytes: int
    multiprocessors: int
    warps: int
    programs: int
    gb_per_s: float | None = None

    @property
    def usable_bytes(self) -> float:
        """The size of the least recently used cache that it behaves like."""
        return USABLE * self.nbytes

    @property
    def over_copy(self) -> float | None:
        """Its speed over that of a copy, which reaches nine tenths of DRAM's."""
        return None if self.gb_per_s is None else self.gb_per_s / (COPY_CEILING * GPUS[self.gpu].gb_per_s)

    def at_once(self, num_warps: int, per_multiprocessor: int | None = None) -> int:
        """Return how many programs run at once on the whole GPU.

        Args:
            num_warps: of a program.
            per_multiprocessor: programs that its registers and shared memory leave room for, where that is known;
                else as many as its warps do.
        """
        by_warps = max(1, min(self.programs, self.warps // num_warps))
        return self.multiprocessors * min(by_warps, per_multiprocessor or by_warps)


def _l2(gpu: str, target: str, multiprocessors: int, mib: int, gb_per_s: float | None = None) -> L2:
    limits = TARGETS[target]
    return L2(gpu, target, mib << 20, multiprocessors, limits.max_warps_per_sm, limits.max_blocks_per_sm, gb_per_s)


_ALL = (
    _l2("RTX 3050 Laptop", "sm_86", 16, 2),
    _l2("T4", "sm_75", 40, 4),
    _l2("A100", "sm_80", 108, 40),
    _l2("RTX 3090", "sm_86", 82, 6),
    _l2("L4", "sm_89", 58, 48),
    _l2("RTX 4090", "sm_89", 128, 72),
    _l2("H100", "sm_90", 132, 50),
    _l2("H200", "sm_90", 132, 60, 9300),  # `benchmarks/l2_cache.py`: 60 MiB by its driver
    _l2("B200", "sm_100", 148, 126),
    _l2("RTX 5090", "sm_120", 170, 96),
)

L2S: dict[str, L2] = {l2.gpu: l2 for l2 in _ALL}
USUAL = L2S["H200"]  # where no GPU is meant: the one that the records are of


def l2_named(name: str | None) -> L2 | None:
    """Return the L2 cache of the GPU that a person or a driver means; `None` if it is not listed."""
    gpu = gpu_named(name) if name else None
    return L2S.get(gpu.name) if gpu is not None else None


def l2_meant(name: str) -> L2 | None:
    """Return the L2 cache of the GPU that a person means, who may leave out words that say no more: "4090"."""
    words = set(name.lower().split())
    found = [l2 for l2 in _ALL if words and words <= set(l2.gpu.lower().split())]
    return l2_named(name) or (found[0] if len(found) == 1 else None)


def l2_told(gpu: str, capability: int, nbytes: int, multiprocessors: int, threads: int) -> L2:
    """Return the L2 cache of a GPU by what its driver says of it.

    Args:
        gpu: its name.
        capability: 90 for sm_90; of one that is not listed, programs are bounded as there.
        nbytes: of the cache.
        multiprocessors: of the GPU.
        threads: on one multiprocessor at once.
    """
    target = f"sm_{capability}"
    limits = TARGETS.get(target, TARGETS["sm_90"])
    return L2(gpu, target, nbytes, multiprocessors, threads // limits.warp_size, limits.max_blocks_per_sm)


def example_of(name: str) -> L2 | None:
    """Return the L2 cache and multiprocessors of a GPU, or of a target's example: "RTX 3090", "sm_86".

    `None` for one that is not listed.
    """
    gpu = TARGETS[name].gpu if name in TARGETS else name
    return L2S[gpu] if gpu in MEMORY_BYTES else None
