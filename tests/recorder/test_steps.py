"""What the engine would not take, the recorder refuses as what it is, at its line; what it writes is always read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.judge.workers.job import example
from tritonpuzzles.recorder import steps
from tritonpuzzles.recorder.call import returned_tensors
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.recorder.launches import Launches
from tritonpuzzles.recorder.recording import Recording
from tritonpuzzles.recorder.session import call_failure
from tritonpuzzles.recorder.stand_ins import recorded
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire import kernels
from tritonpuzzles.wire.kernels import read_kernels
from tritonpuzzles.wire.reading import read_program

HERE = Path(__file__)
LONG = "k" * 300


@triton.jit
def taking(x_ptr, more, BLOCK: tl.constexpr = 16):
    tl.store(x_ptr + tl.arange(0, BLOCK), tl.arange(0, BLOCK))


@triton.jit
def other(x_ptr):
    taking(x_ptr, 1)


@triton.jit
def reserved(x_ptr, __n):
    tl.store(x_ptr, __n)


def configured(count: int, hook: Any = None) -> Any:
    return triton.autotune([triton.Config({"BLOCK": 1 << (n % 8)}, pre_hook=hook) for n in range(count)], key=[])(
        taking
    )


def allocating(arguments: dict[str, Any]) -> None:
    torch.empty(3, device="cuda")


KEPT = Recording("", "", KernelTable()).input(torch.empty(4, device="meta"))
NAMES = {"torch": torch, "taking": taking, "other": other, "reserved": reserved, "configured": configured, "KEPT": KEPT}


def call(source: str, again: str = "pass") -> tuple[Finding | None, Recording, Any]:
    """Record a host function of x, (3, 4) float32, whose third line is the source; return its failure, if it fails."""
    recording = Recording(str(HERE), "f(x)", KernelTable())
    x = recording.input(torch.empty(3, 4, device="meta"))
    names = {**NAMES, "allocating": allocating, "x": x}
    with Launches(recording, example("H100")).active(), recorded(recording):
        try:
            exec(compile(f"\n\n{source}", str(HERE), "exec"), names)
            program = recording.program(returned_tensors(names.get("y", x)))
        except Exception as error:
            return call_failure(error, recording, HERE, recording.call), recording, None
    return None, recording, program


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        ("x.as_strided((3, 5), (4, 1))", "runtime-error", "are out of bounds for storage of size 48"),
        ("x[1].as_strided((3,), (4,))", "runtime-error", "requiring a storage size of 52 are out of bounds"),
        ("torch.as_strided(torch.empty_like(x), (2,), (1,), 11)", "runtime-error", "storage offset 11"),
        ("KEPT.zero_()", "foreign-tensor", "neither was given nor allocated in this call"),
        ("KEPT.clone()", "foreign-tensor", "neither was given nor allocated in this call"),
        ("torch.empty(1 << 55, device='cuda')", "out-of-memory", "allocates 144,115,188,075,855,872 bytes in one call"),
        ("[torch.empty(1 << 30, device='cuda') for _ in range(5)]", "out-of-memory", "allocates 21,474,836,480 bytes"),
        ("torch.empty(3, dtype=torch.complex64, device='cuda')", "not-recordable", "'complex64' is no dtype"),
        ("[torch.empty(1, device='cuda') for _ in range(5000)]", "not-recordable", "more than 4,096 tensors"),
        ("x.view([1] * 20 + [12]).zero_()", "not-recordable", "a list has 21 items"),
        ("taking[(1,)](x, (x,) * 600)", "not-recordable", "a list has 600 items"),
        ("taking[(1,)](x, ((((((x,),),),),),))", "not-recordable", "nested more than 4 deep"),
        ("reserved[(1,)](x, 3)", "not-recordable", "The kernel reserved cannot be described: '__n' is no name"),
        ("configured(300)[(1,)](x, 1)", "too-many-configurations", "taking is tuned over 300 configurations"),
        ("configured(2, allocating)[(1,)](x, 1)", "not-recordable", "an autotuner's hook allocate or copy memory"),
        ("configured(2, lambda a: [x.zero_() for _ in range(99)])[(1,)](x, 1)", "not-recordable", "has 100 items"),
        ("y = [x[i] for i in range(3)] * 9", "wrong-type", "returns 27 values"),
        ("raise MemoryError", "out-of-memory", "runs out of memory"),
    ],
)  # fmt: skip
def test_it_is_refused_as_what_it_is(source: str, code: str, words: str) -> None:
    failure, recording, _ = call(source)
    assert failure is not None
    assert failure.code == code
    assert failure.line == 3 or code == "wrong-type"  # which is seen after the call
    assert words in failure.message
    assert all(found.code != "tampering" for found in recording.findings)


def test_launches_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MAX_STEPS", 20)
    failure, _, _ = call("[taking[(1,)](x, 1) for _ in range(20)]")
    assert failure is None
    failure, _, _ = call("[taking[(1,)](x, 1) for _ in range(21)]")
    assert failure is not None
    assert (failure.code, failure.line) == ("too-many-launches", 3)
    assert failure.message == "f(x) launches kernels more than 20 times."
    failure, _, _ = call("[x.zero_() for _ in range(21)]")
    assert failure is not None
    assert (
        failure.message
        == "f(x) does what cannot be written down: there is more of it than 20 launches and other steps."
    )


def test_what_is_told_of_them_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MAX_TOLD", 10_000)
    failure, recording, _ = call("[taking[(1,)](x, (x,) * 9) for _ in range(99)]")
    assert failure is not None
    assert failure.code == "not-recordable"
    assert 3 < len(recording.steps) < 20


@pytest.mark.parametrize(("most", "words"), [("MAX_KERNELS", "more than 1 functions"), ("MAX_FILES", "in more than 0")])
def test_a_kernel_that_is_one_too_many_leaves_nothing_in_the_table(
    most: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tritonpuzzles.recorder import kernels as table

    monkeypatch.setattr(table, most, int(most == "MAX_KERNELS"))
    failure, recording, _ = call("other[(1,)](x)")
    assert failure is not None
    assert (failure.code, failure.line) == ("not-recordable", 3)
    assert words in failure.message
    assert recording.kernels.described() == []
    monkeypatch.setattr(table, most, getattr(kernels, most))
    assert recording.kernels.add(taking) == 0
    assert recording.kernels.add(other) == 1
    assert [text["name"] for text in recording.kernels.described()] == ["taking", "other"]


@pytest.mark.parametrize(
    "source",
    [
        "y = x.as_strided((3, 3), (4, 1), 1)",
        "y = x.as_strided((0, 9), (100, 1), 12)",
        "y = torch.empty_like(x)[1:, ::2]; y.zero_(); taking[(3,)](y, (1, (y, 2.5)))",
        "other[(1,)](x.t().contiguous())",
        "configured(9, lambda a: a['x_ptr'].zero_())[(1,)](x, None)",
        "taking[(1, 2, 3)](x, 'text', num_warps=8)",
        "y = 'nothing', None, x",
    ],
)
def test_what_is_written_is_read(source: str) -> None:
    failure, recording, program = call(source)
    assert failure is None
    told = json.loads(json.dumps([program.to_json(), recording.kernels.described()]))
    table = read_kernels(told[1])
    assert read_program(told[0], [48], len(table)) == program
