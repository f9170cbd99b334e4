"""GPUs: their peak rates, and the limits that decide whether and how well a compiled kernel runs on them.

NVIDIA's limits are those of the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; AMD's
those of the CDNA 3 and RDNA 3 instruction set guides. Bytes and operations per second are from the makers' data sheets:
NVIDIA's of T4, A100, L4, L40S, H100, H200 and DGX B200 and its architecture papers GA102 (RTX 3090), Ada (RTX 4090)
and Blackwell (RTX 5090); AMD's of MI300X and RX 7900 XTX. Tensor rates are of float16 or bfloat16 with float32 sums,
without sparsity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

KB = 1024
COPY_CEILING = 0.9  # the share of the bandwidth that a copy reaches


@dataclass(frozen=True)
class Target:
    """One GPU architecture.

    "SM" stands for a compute unit on AMD, "warp" for a wavefront. Registers are 32 bits wide.
    """

    name: str  # as the learner writes it: `sm_90`, `gfx942`
    backend: str  # this and `arch` are Triton's own name of it
    arch: int | str
    gpu: str  # an example
    shared_bytes_per_block: int  # the most that one block may use (NVIDIA: opt-in)
    shared_bytes_per_sm: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    warp_size: int = 32
    reserved_shared_bytes: int = KB  # taken by the system for every block
    registers_per_sm: int = 65_536
    partitions: int = 4  # an SM's schedulers; a warp's registers are all in one of them
    register_unit: int = 256  # registers are allocated to a warp in multiples of it
    max_registers_per_thread: int = 255
    max_threads_per_block: int = 1024

    @property
    def max_num_warps(self) -> int:
        """The most warps of one block."""
        return self.max_threads_per_block // self.warp_size


def _nvidia(capability: int, gpu: str, block: int, sm: int, warps: int, blocks: int, reserved: int = KB) -> Target:
    return Target(
        f"sm_{capability}", "cuda", capability, gpu, block * KB, sm * KB, warps, blocks, reserved_shared_bytes=reserved
    )


_ALL = (
    _nvidia(75, "T4", 64, 64, 32, 16, reserved=0),
    _nvidia(80, "A100", 163, 164, 64, 32),
    _nvidia(86, "RTX 3090", 99, 100, 48, 16),
    _nvidia(89, "RTX 4090", 99, 100, 48, 24),
    _nvidia(90, "H100", 227, 228, 64, 32),
    _nvidia(100, "B200", 227, 228, 64, 32),
    _nvidia(120, "RTX 5090", 99, 100, 48, 24),
    Target(
        "gfx942", "hip", "gfx942", "MI300X", 64 * KB, 64 * KB, 32, 16, 64, 0,
        registers_per_sm=131_072, register_unit=512, max_registers_per_thread=512,
    ),
    Target(
        "gfx1100", "hip", "gfx1100", "RX 7900 XTX", 64 * KB, 64 * KB, 32, 16, 32, 0,
        registers_per_sm=98_304, partitions=2, register_unit=768, max_registers_per_thread=256,
    ),
)  # fmt: skip

TARGETS: dict[str, Target] = {target.name: target for target in _ALL}
DEFAULT_TARGETS: tuple[str, ...] = ("sm_80", "sm_90")


@dataclass(frozen=True)
class Gpu:
    """One GPU."""

    name: str  # the common one; the driver's name contains the same words
    gb_per_s: float  # bandwidth of its memory, in 10^9 bytes per second
    float32: float  # TFLOP/s outside of tensor cores
    tensor: float  # TFLOP/s of its tensor cores (AMD: matrix cores)
    ghz: float  # the highest clock of its multiprocessors, 10^9 per second

    def attainable(self, intensity: float, on_tensor_cores: bool) -> float:
        """Return the attainable TFLOP/s at an intensity in operations per byte: memory's or arithmetic's limit."""
        return min(intensity * self.gb_per_s / 1000, self.tensor if on_tensor_cores else self.float32)


_GPUS = (
    Gpu("RTX 3050 Laptop", 192, 7.1, 14.2, 1.74),  # with 4 GB
    Gpu("T4", 320, 8.1, 65, 1.59),
    Gpu("A100", 2039, 19.5, 312, 1.41),  # SXM, 80 GB
    Gpu("A100 40GB", 1555, 19.5, 312, 1.41),
    Gpu("A100 PCIe", 1935, 19.5, 312, 1.41),
    Gpu("RTX 3090", 936, 35.6, 71, 1.7),
    Gpu("L4", 300, 30.3, 121, 2.04),
    Gpu("L40S", 864, 91.6, 362, 2.52),
    Gpu("RTX 4090", 1008, 82.6, 165.2, 2.52),
    Gpu("H100", 3350, 67, 989.4, 1.98),  # SXM
    Gpu("H100 PCIe", 2000, 51, 756, 1.755),
    Gpu("H100 NVL", 3900, 60, 835, 1.785),
    Gpu("H200", 4800, 67, 989.4, 1.98),
    Gpu("B200", 8000, 75, 2250, 1.965),
    Gpu("RTX 5090", 1792, 104.8, 209.5, 2.41),
    Gpu("MI300X", 5300, 163.4, 1307.4, 2.1),
    Gpu("RX 7900 XTX", 960, 61.4, 122.8, 2.5),
)

GPUS: dict[str, Gpu] = {gpu.name: gpu for gpu in _GPUS}


def gpu_named(name: str) -> Gpu | None:
    """Return the GPU of a person's or a driver's name: "h200", "NVIDIA A100-SXM4-40GB"; `None` if it is not listed."""
    words = _words(name)
    found = [gpu for gpu in GPUS.values() if _words(gpu.name) <= words]
    return max(found, key=lambda gpu: len(_words(gpu.name)), default=None)


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))
