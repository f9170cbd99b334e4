"""Which launches of a check are compiled, how far, in what order and in what time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.compiler import kernels
from tests.conftest import Check
from tests.engine import programs
from tests.worded import said
from tritonpuzzles.compiler import TARGETS, Budget, Compiled, Launch, build, compile, compile_launch
from tritonpuzzles.compiler.build import CompileTimeoutError
from tritonpuzzles.compiler.compile import compile_launches, first_of_each_kind
from tritonpuzzles.engine import compiled as variants
from tritonpuzzles.engine import cpu
from tritonpuzzles.engine.compiled import WIDE, telling
from tritonpuzzles.engine.cpu import CpuRunner
from tritonpuzzles.judge.workers import endings
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.wire.job import Job, JobHost
from tritonpuzzles.wire.reading import read_facts

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
SECONDS, EACH = 30.0, 20.0
JOB = Job("file.py", JobHost("f", ("x",), ("y",)), "cpu", (), ("sm_80", "sm_90"))
X = torch.zeros(1 << 17)


def arguments(x: object, block: int, n_elements: int = 4096) -> dict[str, object]:
    return {"x_ptr": x, "y_ptr": torch.empty(4096), "n_elements": n_elements, "factor": 2.0, "BLOCK_SIZE": block}


def launch(x: object, block: int = 64, n_elements: int = 4096, **options: int) -> Launch:
    return Launch(kernels.scale, arguments(x, block, n_elements), options).without_data()


def copy(n: int, kernel: object = programs.copy, **constants: object) -> Launch:
    return Launch(kernel, {"x_ptr": X, "y_ptr": X, "n": n, **constants}, {}).without_data()


def translated(*launches: Launch) -> list[Compiled]:
    return list(compile_launches(launches, [TARGETS["sm_90"]], whole=False, budget=Budget(SECONDS)))


def test_every_type_and_constant_is_another_kind_of_launch() -> None:
    described = [TensorDescriptor.from_tensor(torch.zeros(64, 64, dtype=dtype), [16, 64]) for dtype in DTYPES]
    held = [(torch.zeros(64, dtype=dtype), 3) for dtype in DTYPES]
    launches = [*map(launch, described), *map(launch, held), launch(X, 128), launch(X), launch(X, 64, 1)]
    launches += [launch(X, 64, 1 << 31), launch(X, num_warps=8)]
    assert first_of_each_kind([*launches, launch(X, 64, 781), *map(launch, held)]) == launches


def test_a_number_that_is_no_constant_makes_no_other_program() -> None:
    assert len(translated(launch(X, 64, 781), launch(X, 64, 1024), launch(X, 64, 1), launch(X, 128, 781))) == 3


def compiled(*launches: Launch, each: float = EACH) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the frames of a runner that has been told of some launches, and what it announces."""
    runner, announced = CpuRunner(), list[str]()
    for one in launches:
        runner._note_launch(one.kernel, dict(one.arguments), dict(one.options))
    frames = list(runner.compile(JOB, SECONDS, each, lambda launch: announced.append(described(launch))))
    return frames, announced


def described(launch: Launch) -> str:
    names = (parameter.name for parameter in launch.kernel.params if parameter.is_constexpr)
    return ", ".join(str(launch.arguments[name]) for name in names)


def codes(frames: Sequence[dict[str, Any]]) -> list[str]:
    return [fact.code for frame in frames for fact in read_facts(frame["facts"])]


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was compiled is kept in a worker's own folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("larger", [16, 64])
def test_what_a_constant_switches_on_is_compiled_beside_a_larger_and_a_smaller_tile(larger: int) -> None:
    modes = [copy(5, programs.moded, MODE="", BLOCK=larger), copy(5, programs.moded, MODE="global", BLOCK=32)]
    frames, _ = compiled(*modes)
    (finding,) = [finding for frame in frames for finding in frame["facts"]]
    assert (finding["code"], finding["details"]["targets"]) == ("compile-error", ["sm_80", "sm_90"])
    assert "reads FACTOR, a Python global" in finding["message"]


def test_the_same_fault_is_told_of_once() -> None:
    modes = [copy(5, programs.moded, MODE="global", BLOCK=block) for block in (16, 32, 64)]
    assert codes(compiled(*modes)[0]) == ["compile-error"]


def test_a_number_that_is_one_hides_no_code() -> None:
    assert codes(compiled(copy(1, programs.unless_one, BLOCK=64), copy(5, programs.unless_one, BLOCK=64))[0]) == [
        "compile-error"
    ]


def assembled(frames: Sequence[dict[str, Any]]) -> list[bool]:
    return [result["assembled"] for frame in frames for result in frame["results"] if result["target"] == "sm_90"]


def test_of_programs_that_differ_in_sizes_the_largest_goes_through_the_whole_compiler() -> None:
    frames, announced = compiled(*(copy(5, BLOCK=block) for block in (64, 256, 16)))
    assert announced == ["64", "256", "16", "256"]
    assert assembled(frames) == [True, False, False]
    assert codes(frames) == []


def told(*launches: Launch) -> list[str]:
    return [described(half.launch) for half in telling(translated(*launches))]


@pytest.mark.parametrize(
    ("blocks", "chosen"),
    [([16, 64, 32], ["64"]), ([16, WIDE, 2 * WIDE], [str(WIDE // 8)]), ([2 * WIDE], [str(2 * WIDE)])],
)
def test_tiles_on_which_the_compiler_is_slow_are_left_to_others(blocks: list[int], chosen: list[str]) -> None:
    assert told(*(copy(5, BLOCK=block) for block in (*blocks, *([WIDE // 8] if WIDE in blocks else [])))) == chosen


def test_what_only_a_slow_program_does_is_compiled_in_the_smallest_that_does_it() -> None:
    blocks = {"": 64, "exp": 2 * WIDE, "exp again": 4 * WIDE}
    launches = [copy(5, programs.moded, MODE=mode[:3], BLOCK=block) for mode, block in blocks.items()]
    assert told(*launches) == [", 64", f"exp, {2 * WIDE}"]


def test_loops_that_are_unrolled_further_are_no_other_program() -> None:
    assert told(*(copy(5, programs.unrolled, TIMES=times, BLOCK=64) for times in (2, 7, 5))) == ["7, 64"]


def test_assembly_is_another_one_with_another_number_in_it() -> None:
    launches = [copy(5, programs.assembly, TEXT=f"mov.b{bits} $0, $1;", BLOCK=64) for bits in (32, 64)]
    assert len(told(*launches)) == 2


def test_a_loop_without_end_in_the_compiler_costs_its_own_time_alone() -> None:
    frames, _ = compiled(copy(5, programs.unrolled, TIMES=10**8, BLOCK=64), copy(5, BLOCK=64), each=0.5)
    assert codes(frames) == ["not-compiled"]
    (message,) = [finding["message"] for frame in frames for finding in frame["facts"]]
    assert message == (
        "unrolled (TIMES=100000000, BLOCK=64) was not compiled for sm_80 and sm_90: the 0.5 s for it are over."
    )
    assert assembled(frames) == [True]


def test_more_programs_than_are_compiled_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "MOST_VARIANTS", 2)
    frames, announced = compiled(*(copy(5, BLOCK=block) for block in (16, 32, 64, 128)))
    assert "64" not in announced
    assert codes(frames) == ["not-compiled"]
    (finding,) = said(read_facts(frames[0]["facts"]))
    assert "copy (BLOCK=64) was not compiled, nor 1 more" in finding.message


class SlowCompiler:
    """Takes a second for a small tile, and all the time that there is for a large one, by a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[tuple[int, float]] = []  # elements of the tile, seconds that were left

    def __call__(self) -> float:
        return self.now

    def build(self, variant: Any, seconds: float) -> Any:
        if not seconds:
            raise CompileTimeoutError
        elements = variant.constexprs["BLOCK_SIZE"]
        self.asked.append((elements, seconds))
        self.now += 1.0 if elements < 1024 else seconds
        if elements >= 1024:
            raise CompileTimeoutError
        return build.build(variant)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowCompiler:
    """A compiler that is slow by a clock of its own."""
    compiler = SlowCompiler()
    monkeypatch.setattr(compile, "build", compiler.build)
    monkeypatch.setattr(cpu, "Budget", lambda seconds, each: Budget(seconds, each, compiler))
    return compiler


def test_each_has_its_own_time_and_what_the_time_for_all_does_not_reach_is_named(slow: SlowCompiler) -> None:
    sizes = zip(DTYPES, (4096, 64, 2048), strict=True)
    frames, _ = compiled(*(launch(torch.zeros(4096, dtype=dtype), size) for dtype, size in sizes))
    assert slow.asked == [(64, 20.0), (64, 20.0), (2048, 20.0), (4096, 8.0)]
    assert assembled(frames) == [True]
    late = [finding["message"] for frame in frames for finding in frame["facts"]]
    assert late == [
        "scale (BLOCK_SIZE=2048) was not compiled for sm_80 and sm_90: the 20 s for it are over.",
        "scale (BLOCK_SIZE=4096) was not compiled for sm_80 and sm_90: the 30 s for all are over.",
    ]
    assert codes(frames) == ["not-compiled"] * 2


def test_what_there_was_no_time_for_is_not_remembered(slow: SlowCompiler, tmp_path: Any) -> None:
    large = launch(torch.zeros(4096), 2048)
    assert compile_launch(large, TARGETS["sm_90"], tmp_path, budget=Budget(SECONDS, EACH, slow)).skipped
    assert not list(tmp_path.iterdir())


def test_ptxas_is_ended_when_its_time_is_up() -> None:
    variant = compile.specialise(launch(torch.zeros(4096)), TARGETS["sm_90"])
    with pytest.raises(CompileTimeoutError):
        build.build(variant, seconds=1e-9)
    assert build.build(variant, seconds=None).asm["cubin"]


@pytest.mark.parametrize(
    ("change", "seconds"),
    [
        (("", ""), endings.COMPILING),
        (("x * x", "x + x"), endings.COMPILING_FAILED),
        (("tl.arange(0, BLOCK_SIZE)", "tl.arange(0, 3)"), endings.COMPILING_FAILED),
    ],
    ids=["right", "wrong values", "stopped"],
)
def test_a_file_that_fails_already_waits_less(
    change: tuple[str, str], seconds: float, check_source: Check, square_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float] = []
    command = Worker.command

    def noted(worker: Worker, kind: str, *args: Any, **fields: Any) -> None:
        told.extend([fields["each"]] if kind == "compile" else [])
        command(worker, kind, *args, **fields)

    monkeypatch.setattr(Worker, "command", noted)
    assert change[0] in square_source
    check_source(square_source.replace(*change))
    assert told == [seconds]
