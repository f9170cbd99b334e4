"""A puzzle's place under a GPU's roofline: operations per byte. Plain data that judge and front share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """One file, at the shape that its puzzle is timed at or at a smaller one with nearly the same traffic.

    Attributes:
        shape, dtype: of the call.
        operations: that the puzzle's definition needs; work that a kernel does twice counts once.
        work: the bytes or operations that the puzzle's rate counts.
        unit: of that rate, "GB/s" or "TFLOP/s".
        bytes: that the kernels ask of memory, by the ledger; 0 where there is a problem.
        problem: why there is no point, one sentence.
    """

    puzzle: int
    slug: str
    file: str
    shape: tuple[int, ...]
    dtype: str
    operations: int
    work: int
    unit: str
    bytes: int = 0
    problem: str | None = None

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
