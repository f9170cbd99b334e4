"""Speed on a real GPU, and how a grid lies on one: the programs that it holds at once, how much a launch fills."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.results.words import plural


@dataclass(frozen=True)
class Fit:
    """What one program of a launch takes of a multiprocessor, as compiled for one GPU."""

    per_multiprocessor: int  # blocks that fit on one at the same time; 0 for one that does not fit at all
    limited_by: str  # `registers`, `shared memory`, `warps` or `blocks`
    num_warps: int  # of a block
    max_warps: int  # that a multiprocessor holds
    registers: int  # of a thread, 32 bits each
    shared_bytes: int  # of a block
    num_ctas: int = 1  # blocks per program, each on a different multiprocessor


@dataclass(frozen=True)
class GridOccupancy:
    """How one launch fills a GPU."""

    case: str  # the case of the launch
    kernel: str
    gpu: str  # its name; on the CPU the GPU that the host function sees
    multiprocessors: int  # of that GPU
    at_once: int  # programs that it holds at the same time
    programs: int  # of the grid
    work: int  # and work_word: the items that the programs share, and their name: 1,823 "rows"
    work_word: str
    least: int  # and most: items per program, if all programs that do work share them evenly
    most: int
    occupancy: float  # warps on a multiprocessor with its share of the grid, relative to the warps that it can hold
    fit: Fit


def held_at_once(multiprocessors: int, fit: Fit) -> int:
    """Return how many programs a GPU holds at once; the blocks of one lie on different multiprocessors."""
    return multiprocessors * fit.per_multiprocessor // fit.num_ctas


def occupancy_of(programs: int, multiprocessors: int, fit: Fit) -> float:
    """Return the share of a multiprocessor's warps that a grid keeps there, spread evenly over the GPU."""
    blocks = -(-programs * fit.num_ctas // multiprocessors)
    return min(blocks, fit.per_multiprocessor) * fit.num_warps / fit.max_warps


def product(multiprocessors: int, used: Fit) -> str:
    """Return `108 x 4`, and for programs of 8 blocks `132 x 1 / 8`."""
    blocks = f"{multiprocessors} x {used.per_multiprocessor}"
    return blocks if used.num_ctas == 1 else f"{blocks} / {used.num_ctas}"


def limited_by(used: Fit) -> str:
    """Return why no more fit: "a multiprocessor has registers for 4 programs of 8 warps with 64 a thread"."""
    programs, warps = plural(used.per_multiprocessor, "program"), plural(used.num_warps, "warp")
    words = {
        "registers": f"a multiprocessor has registers for {programs} of {warps} with {used.registers} a thread",
        "shared memory": f"a multiprocessor has shared memory for {programs} with {used.shared_bytes:,} bytes each",
        "warps": f"a multiprocessor has room for {used.max_warps} warps, and a program has {used.num_warps}",
    }
    return words.get(used.limited_by, f"a multiprocessor holds no more than {programs}")


@dataclass(frozen=True)
class Timing:
    """A set of GPU timings of one function, in milliseconds."""

    median_ms: float
    low_ms: float  # first quartile
    high_ms: float  # third quartile
    best_ms: float
    samples: int


@dataclass(frozen=True)
class Benchmark:
    """Speed on a real GPU at one shape. Rates count the puzzle's own minimum of bytes or operations."""

    device: str
    shape: tuple[int, ...]
    dtype: str
    kernel: Timing
    unit: str  # "GB/s" or "TFLOP/s"
    rate: float
    baselines: dict[str, float]  # name -> rate, in the same unit
    copy_gb_per_s: float
    share_of_copy: float | None = None  # rate / copy, for GB/s
    share_of_limit: float | None = None  # rate / what the puzzle's traffic allows
    labels: tuple[str, ...] = ()  # "launch-bound", "suspicious"
    matmul_tflop_per_s: float | None = None  # of a large matrix product, for TFLOP/s
    yardstick: str = "traffic"  # the reference for stars: the traffic's limit, or a baseline
    share_of_yardstick: float | None = None  # None where the yardstick does not run on this GPU
    stars_at: tuple[float, ...] = ()  # shares of it that earn two stars and three
