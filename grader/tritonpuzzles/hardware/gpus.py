"""What GPUs can do at most, by their makers' data sheets: bytes and operations in a second.

Sources: NVIDIA's data sheets of T4, A100, L4, L40S, H100, H200 and DGX B200 and its architecture papers GA102 (RTX
3090), Ada (RTX 4090) and Blackwell (RTX 5090); AMD's of MI300X and RX 7900 XTX. Tensor rates are of float16 or bfloat16
with float32 sums, without sparsity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

COPY_CEILING = 0.9  # the share of the bandwidth that a copy reaches


@dataclass(frozen=True)
class Gpu:
    """One GPU.

    Attributes:
        name: as people say it; what its driver calls it holds the same words.
        gb_per_s: of its memory, 10^9 bytes.
        float32: TFLOP/s outside of tensor cores.
        tensor: TFLOP/s of its tensor cores (AMD: matrix cores).
        ghz: the highest clock of its multiprocessors, 10^9 per second.
    """

    name: str
    gb_per_s: float
    float32: float
    tensor: float
    ghz: float

    def attainable(self, intensity: float, on_tensor_cores: bool) -> float:
        """Return the TFLOP/s that so many operations per byte allow: memory's or arithmetic's limit."""
        return min(intensity * self.gb_per_s / 1000, self.tensor if on_tensor_cores else self.float32)


_ALL = (
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

GPUS: dict[str, Gpu] = {gpu.name: gpu for gpu in _ALL}


def gpu_named(name: str) -> Gpu | None:
    """Return the GPU that a person or a driver means: "h200", "NVIDIA A100-SXM4-40GB"; `None` if it is not listed."""
    words = _words(name)
    found = [gpu for gpu in GPUS.values() if _words(gpu.name) <= words]
    return max(found, key=lambda gpu: len(_words(gpu.name)), default=None)


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))
