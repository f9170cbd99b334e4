"""What ptxas says is passed on: it knows more of a rejected kernel than Triton does."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from tritonpuzzles.compiler import TARGETS, Launch
from tritonpuzzles.compiler.compile import compile_launch
from tritonpuzzles.compiler.explain import compile_finding
from tritonpuzzles.compiler.faults import Fault


@triton.jit
def modifiers_that_do_not_go_together(x_ptr, y_ptr):
    tl.store(y_ptr, tl.load(x_ptr, cache_modifier=".cg", eviction_policy="evict_first"))


def test_the_assemblers_own_words() -> None:
    arguments = {"x_ptr": torch.empty(4), "y_ptr": torch.empty(4)}
    outcome = compile_launch(Launch(modifiers_that_do_not_go_together, arguments, {}), TARGETS["sm_80"])
    (finding,) = outcome.findings
    assert finding.code == "compile-error"
    assert "ptxas, which assembles" in finding.message
    assert ".evict_first" in finding.message
    assert "line" not in finding.message  # of a file that nobody sees


def test_without_words_there_is_advice() -> None:
    kernel = modifiers_that_do_not_go_together
    finding = compile_finding(Fault("PTXASError", "Internal Triton PTX codegen error", kernel, kernel), "sm_90")
    assert finding.message.endswith("ptxas rejects what Triton made of it.")
    assert finding.next_step == "Try other tile sizes, fewer stages or more warps."
