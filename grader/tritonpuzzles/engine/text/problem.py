"""What is wrong with the text of a kernel, before anything of it has run."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.kernels import KernelText


@dataclass(frozen=True)
class Problem:
    """One thing that a text may not say.

    Attributes:
        line: of the file.
        cause: why, to follow "k cannot be run: ".
        step: what to do about it.
        unsafe: the compiler must not see it either, for it evaluates attributes, calls and operators of constants. What
            is not unsafe the compiler rejects by itself, in better words.
    """

    line: int
    cause: str
    step: str | None = None
    unsafe: bool = False

    def finding(self, kernel: KernelText) -> Finding:
        """Say it to the learner."""
        code = "unsupported-operation" if self.unsafe else "compile-error"
        text = f"{kernel.name} cannot be run: {self.cause}."
        return Finding(code, text, file=kernel.file, line=self.line, next_step=self.step)
