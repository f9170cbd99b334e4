"""The GPUs that a kernel can be compiled for, with the limits that decide whether and how well it runs there.

NVIDIA's numbers are those of the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability";
AMD's those of the CDNA 3 and RDNA 3 instruction set guides.
"""

from __future__ import annotations

from dataclasses import dataclass

KB = 1024


@dataclass(frozen=True)
class Target:
    """One GPU architecture.

    "SM" stands for a compute unit on AMD, "warp" for a wavefront. Registers are 32 bits wide.

    Attributes:
        name: as the learner writes it: `sm_90`, `gfx942`.
        backend, arch: Triton's own name of it.
        gpu: an example.
        shared_bytes_per_block: the most that one block may ask for (NVIDIA: opt-in).
        reserved_shared_bytes: what the system takes of every block.
        partitions: an SM's schedulers; a warp's registers are all in one of them.
        register_unit: registers are handed to a warp in multiples of it.
        widest_access_bits: of one thread's load or store.
    """

    name: str
    backend: str
    arch: int | str
    gpu: str
    shared_bytes_per_block: int
    shared_bytes_per_sm: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    warp_size: int = 32
    reserved_shared_bytes: int = KB
    registers_per_sm: int = 65_536
    partitions: int = 4
    register_unit: int = 256
    max_registers_per_thread: int = 255
    max_threads_per_block: int = 1024
    widest_access_bits: int = 128

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
