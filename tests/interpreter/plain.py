"""Run the zoo under Triton's own interpreter and save what each kernel leaves in its tensors.

A process of its own, `python -m tests.interpreter.plain OUT`, because TRITON_INTERPRET must be set before Triton is
imported. NumPy 2.4 rejects `int()` of a one-element array, which Triton up to 3.6 calls for every `range`; the shim
below repairs that here, and only here.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import torch
import triton.runtime.interpreter as interpreter

from .zoo import CASES


def repair_index() -> None:
    """Let `range` take a one-element array again."""
    patch = interpreter._patch_lang_tensor

    def patched(tensor: Any, *scope: Any) -> None:
        patch(tensor, *scope)
        tensor.__index__ = lambda self: int(self.handle.data.squeeze())

    interpreter._patch_lang_tensor = patched


def main(out: str) -> None:
    """Save {case name: list of tensors, or the error's text}."""
    repair_index()
    warnings.simplefilter("ignore")
    results: dict[str, Any] = {}
    for case in CASES:
        try:
            results[case.name] = case.run()
        except Exception as error:
            results[case.name] = f"{type(error).__name__}: {error}"[:200]
    torch.save(results, out)


if __name__ == "__main__":
    main(sys.argv[1])
