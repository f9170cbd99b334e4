"""The data of `inspect` and `roofline`: what kernels use on GPUs, present or not, and what speed to expect.

Plain data that engine, judge and front share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.submission import Submission


@dataclass(frozen=True)
class Occupancy:
    """How many blocks of a kernel share one SM."""

    blocks_per_sm: int  # and warps_per_sm: resident at once
    warps_per_sm: int
    fraction: float  # of the warps that the SM can hold
    limited_by: str  # `registers`, `shared memory`, `warps` or `blocks`


@dataclass(frozen=True)
class Work:
    """Machine code of one warp, gone through once: instructions by their kinds, and bytes of one thread."""

    instructions: int = 0  # all of them
    load_bytes: int = 0  # and loads: of global memory
    loads: int = 0
    narrow: int = 0  # loads of less than 4 bytes for each thread
    store_bytes: int = 0  # and stores: of global memory, atomic operations among them
    stores: int = 0
    local_bytes: int = 0  # stored to and loaded from local memory: spilled registers
    special: int = 0  # exponentials, divisions and roots
    barriers: int = 0  # and shuffles: synchronisation and communication between the threads of a program
    shuffles: int = 0
    shared: int = 0  # cycles of a multiprocessor for accesses to its shared memory
    tensor_operations: int = 0  # multiplications and additions on tensor cores, this warp's share
    tensor_time: int = 0  # the same as the number of 16-bit operations that would take as long
    plain_operations: int = 0  # multiplications and additions on ordinary units
    queued: bool = False  # whether four warps share an asynchronous matrix product: Hopper's wgmma
    ahead: bool = False  # whether loads to shared memory are asynchronous


@dataclass(frozen=True)
class Code:
    """The machine code of a kernel: the code executed once, and one iteration of each of its innermost loops."""

    once: Work
    loops: tuple[Work, ...] = ()


@dataclass(frozen=True)
class Resources:
    """What a compiled kernel uses; `None` where it could not be read (see `notes`)."""

    shared_bytes: int  # per block
    num_warps: int
    num_stages: int
    registers: int | None = None  # per thread, 32 bits each
    stack_bytes: int | None = None  # local memory of one thread
    spill_bytes: int | None = None  # registers that did not fit: stored to and loaded from local memory, a thread
    local_accesses: int | None = None  # LDL and STL instructions (AMD: scratch loads and stores)
    tensor_core: dict[str, int] | None = None  # how often each mnemonic occurs in the code: `{"HMMA.16816.F32": 64}`
    load_bits: int | None = None  # and store_bits: the widest global access of one thread
    store_bits: int | None = None
    occupancy: Occupancy | None = None
    notes: tuple[str, ...] = ()  # what could not be read and why
    code: Code | None = None  # the machine code's contents, for NVIDIA targets


@dataclass(frozen=True)
class OnTarget:
    """One kernel variant on one target; `ok` if it compiles and can be launched there, `resources` if it compiles."""

    target: str
    ok: bool
    resources: Resources | None


@dataclass(frozen=True)
class KernelResources:
    """One variant of a kernel, as it was launched."""

    kernel: str
    dtypes: tuple[str, ...]  # of its tensor arguments, each once
    constants: dict[str, int]  # the whole-number constexprs, by parameter name
    targets: tuple[OnTarget, ...]  # in the order in which they were asked for
    code: str = ""  # key of the machine code, as in a launch that is recorded and not run


def variant_of(kernel: str, constants: Mapping[str, int]) -> str:
    """Return the key of a kernel's variant between processes: "softmax_kernel BLOCK_SIZE=4096"."""
    return " ".join([kernel, *(f"{name}={value}" for name, value in sorted(constants.items()))])


def programs_per_sm(kernels: Sequence[KernelResources], target: str) -> dict[str, int]:
    """Return how many programs of each variant one SM of a target has room for; of several dtypes, the first one's."""
    return {
        variant_of(kernel.kernel, kernel.constants): there.resources.occupancy.blocks_per_sm
        for kernel in reversed(kernels)
        for there in kernel.targets
        if there.target == target and there.resources is not None and there.resources.occupancy is not None
    }


@dataclass(frozen=True)
class Prediction:
    """The bytes of one call of the host function, and the speed they allow."""

    shape: tuple[int, ...]  # and dtype: of the call
    dtype: str
    minimum_bytes: int  # every input read once, every output written once
    ledger_bytes: int  # what the kernels moved
    memory_bound: bool  # whether bytes decide the speed; a puzzle measured in TFLOP/s is bound by arithmetic
    gpu: str | None = None  # whose L2 cache is modelled
    dram_bytes: int | None = None  # bytes that the cache leaves to DRAM; `None` if it is not modelled
    l2_over_copy: float | None = None  # the cache's speed over that of a copy, where it is known
    unmodelled: str | None = None  # why `dram_bytes` is missing although bytes decide, one sentence

    @property
    def copy_share(self) -> float | None:
        """The share of a copy's bandwidth that can be reached; `None` where bytes do not decide."""
        if not self.memory_bound:
            return None
        if self.dram_bytes is None:
            return predicted_share(self.minimum_bytes, self.ledger_bytes)
        by_dram = predicted_share(self.minimum_bytes, self.dram_bytes)
        if by_dram is None or self.l2_over_copy is None:
            return by_dram
        return min(by_dram, self.l2_over_copy * self.minimum_bytes / self.ledger_bytes)


@dataclass(frozen=True)
class Inspection:
    """Everything that `inspect` found out about one file."""

    puzzle: int | None
    slug: str
    file: Submission
    seed: int
    kernels: tuple[KernelResources, ...] = ()
    prediction: Prediction | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the file ran, and every kernel that it launched can be launched on every target."""
        launchable = all(there.ok for kernel in self.kernels for there in kernel.targets)
        return bool(self.kernels) and launchable and all(f.severity is not Severity.ERROR for f in self.findings)


def predicted_share(minimum_bytes: int, ledger_bytes: int) -> float | None:
    """Return the share of copy bandwidth that the traffic allows, at most 1; `None` where a number is 0.

    A kernel that is bound by DRAM takes the time of its bytes. One that reads twice and writes once where a read and
    a write would do (3 to 2) can reach 2/3 of copy; past the L2 cache, kernels reach 95 to 99 % of that.
    """
    if not minimum_bytes or not ledger_bytes:
        return None
    return min(1.0, minimum_bytes / ledger_bytes)


@dataclass(frozen=True)
class Point:
    """One file, at the shape that its puzzle is timed at or at a smaller one with nearly the same traffic."""

    puzzle: int
    slug: str
    file: str
    shape: tuple[int, ...]  # and dtype: of the call
    dtype: str
    operations: int  # that the puzzle's definition needs; work that a kernel does twice counts once
    work: int  # the bytes or operations that the puzzle's rate counts
    unit: str  # of that rate, "GB/s" or "TFLOP/s"
    bytes: int = 0  # that the kernels request from memory, by the ledger; 0 if there is a problem
    problem: str | None = None  # why there is no point, one sentence

    @property
    def intensity(self) -> float | None:
        """Operations per byte."""
        return self.operations / self.bytes if self.bytes else None

    @property
    def on_tensor_cores(self) -> bool:
        """Whether its operations are matrix products that tensor cores do in full precision."""
        return self.unit == "TFLOP/s" and self.dtype in ("float16", "bfloat16")

    def tflop_per_s(self, rate: float) -> float:
        """Return a rate in the puzzle's unit as 10^12 operations in a second."""
        return rate * self.operations / self.work / (1000 if self.unit == "GB/s" else 1)
