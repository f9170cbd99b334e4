"""A kernel that compiles may still not fit the GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.worded import said
from tritonpuzzles.compiler import TARGETS, Launch, compile_launch, compile_launches
from tritonpuzzles.compiler.launch import specialise
from tritonpuzzles.compiler.resources import tensor_memory_finding
from tritonpuzzles.compiler.source import first_line
from tritonpuzzles.engine.cpu import CpuRunner
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.wire.reading import read_facts

from . import kernels, rejected

MakeLaunch = Callable[..., Launch]


def matmul(block: int, stages: int = 3, num_warps: int = 4) -> Launch:
    a = torch.zeros(64, 4096, dtype=torch.float16)
    arguments = {"a_ptr": a, "b_ptr": a, "c_ptr": torch.zeros(64, 64), "K": 4096}
    blocks = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": block}
    return Launch(kernels.matmul, {**arguments, **blocks}, {"num_stages": stages, "num_warps": num_warps})


def test_too_much_shared_memory_is_told_with_numbers() -> None:
    outcome = compile_launch(matmul(block=256, stages=4), TARGETS["sm_80"])
    (finding,) = (item for item in outcome.findings if item.severity is Severity.ERROR)
    assert finding.code == "shared-memory-exceeded"
    assert not outcome.result.ok
    asked = finding.details["asked"]
    assert asked == outcome.result.shared_bytes
    assert asked > finding.details["available"] == 163 * 1024
    assert finding.message == (
        f"matmul asks for {asked:,} bytes of shared memory per program; sm_80 (A100) has 166,912."
    )
    assert finding.next_step == (
        "Take smaller tiles (now BLOCK_K=256, BLOCK_N=64, BLOCK_M=64) or fewer stages (now num_stages=4)."
    )
    assert finding.line == first_line(kernels.matmul)


def test_limit_is_the_targets_own() -> None:
    launch = matmul(block=128, stages=4)  # 96 KB: an A100 has them, an RTX 3090 has 99 KB, a T4 64 KB
    assert compile_launch(launch, TARGETS["sm_80"]).result.ok
    codes = [finding.code for finding in compile_launch(matmul(128, 6), TARGETS["sm_86"]).findings]
    assert "shared-memory-exceeded" in codes


@pytest.mark.parametrize(
    ("num_warps", "target", "words"),
    [
        (64, "sm_90", "2,048 threads per program, and sm_90 (H100) runs at most 1,024"),
        (32, "gfx942", "2,048 threads per program"),
        (3, "sm_80", "not a power of two"),
        (0, "sm_80", "not a power of two"),
    ],
)
def test_impossible_num_warps(scale: MakeLaunch, num_warps: int, target: str, words: str) -> None:
    outcome = compile_launch(scale(num_warps=num_warps), TARGETS[target])
    assert not outcome.result.ok
    assert outcome.findings[0].code == "num-warps-impossible"
    assert words in outcome.findings[0].message


def test_largest_num_warps_is_possible(scale: MakeLaunch) -> None:
    assert compile_launch(scale(num_warps=32), TARGETS["sm_80"]).result.ok
    assert compile_launch(scale(num_warps=16), TARGETS["gfx942"]).result.ok


def test_spills_are_a_warning() -> None:
    size = 8192  # one warp: 256 registers for the tile alone
    arguments = {"x_ptr": torch.zeros(size), "y_ptr": torch.empty(size), "BLOCK_SIZE": size}
    outcome = compile_launch(Launch(kernels.normalise, arguments, {"num_warps": 1}), TARGETS["sm_80"])
    (finding,) = outcome.findings
    assert (finding.code, finding.severity) == ("register-spills", Severity.WARNING)
    assert outcome.result.ok
    assert outcome.result.spills == finding.details["spill_bytes"] > 0
    assert f"{outcome.result.spills:,} bytes" in finding.message
    assert "(now BLOCK_SIZE=8192) or more warps (now num_warps=1)" in (finding.next_step or "")


def test_no_spills_no_warning(scale: MakeLaunch) -> None:
    outcome = compile_launch(scale(), TARGETS["sm_80"])
    assert (outcome.findings, outcome.result.spills) == ((), 0)


def test_findings_of_all_targets_are_told_once() -> None:
    targets = [TARGETS["sm_80"], TARGETS["sm_90"]]
    x = torch.zeros(4096)
    (compiled,) = compile_launches([Launch(rejected.builds_dict, {"x": x, "y": x, "n": 100, "B": 64})], targets)
    (finding,) = compiled.findings
    assert finding.details["targets"] == ["sm_80", "sm_90"]
    assert "only for" not in finding.message
    assert [outcome.result.ok for outcome in compiled.outcomes] == [False, False]


def test_what_one_target_lacks_is_a_note_that_names_it(scale: MakeLaunch) -> None:
    x = torch.zeros(64, dtype=torch.float8_e4m3fn)
    launch = Launch(
        kernels.scale, {"x_ptr": x, "y_ptr": torch.zeros(64), "n_elements": 64, "factor": 2.0, "BLOCK_SIZE": 64}
    )
    (compiled,) = compile_launches([launch], [TARGETS["sm_80"], TARGETS["sm_90"]])
    (finding,) = compiled.findings
    assert finding.message == "scale was not compiled for sm_80: fp8e4nv does not exist on this GPU."
    assert (finding.code, finding.severity) == ("target-lacks", Severity.NOTE)
    (alone,) = compile_launches([launch], [TARGETS["sm_80"]])
    assert [finding.severity for finding in alone.findings] == [Severity.ERROR]
    clusters = replace(scale(), options={"num_ctas": 2})
    (compiled,) = compile_launches([clusters], [TARGETS["sm_80"], TARGETS["sm_90"]])
    (finding,) = compiled.findings
    assert finding.message == "scale was not compiled for sm_80: num_ctas > 1 requires NVIDIA SM90+ (Hopper)."


def test_too_much_tensor_memory_is_told_with_numbers(scale: MakeLaunch) -> None:
    variant = specialise(scale(), TARGETS["sm_100"])
    finding = tensor_memory_finding(variant, SimpleNamespace(tmem_size=768))
    assert finding is not None
    assert finding.code == "tensor-memory-exceeded"
    assert "asks for 768 columns of tensor memory; sm_100 (B200) has 512." in finding.message
    assert tensor_memory_finding(variant, SimpleNamespace(tmem_size=512)) is None
    assert tensor_memory_finding(variant, SimpleNamespace()) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("others", "stages", "codes"),
    [((), 4, {"shared-memory-exceeded"}), ((5,), 4, {"shared-memory-exceeded"}), ((5, 2, 3), 2, set())],
)
def test_an_autotuner_goes_on_to_a_configuration_that_fits(
    others: tuple[int, ...], stages: int, codes: set[str], tmp_path: Path
) -> None:
    runner = CpuRunner(tmp_path)
    runner._to_compile = [matmul(block=256, stages=4)]
    runner._alternatives = [matmul(block=256, stages=number) for number in others]
    job: Any = SimpleNamespace(targets=("sm_80",), cache=None, resources=False)
    frames = list(runner.compile(job, 60.0, 60.0, lambda _: None))
    found = said(read_facts([fact for told in frames for fact in told["facts"]]))
    errors = {finding.code for finding in found if finding.severity is Severity.ERROR}
    whole = [result for told in frames for result in told["results"] if result["assembled"]]
    assert ({result["num_stages"] for result in whole}, errors) == ({stages}, codes)
