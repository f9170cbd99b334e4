"""`inspect` as it is printed, and of real files."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tests.front.conftest import Run
from tritonpuzzles.front.commands.inspect import inspect_data, inspect_lines
from tritonpuzzles.front.console import console_on
from tritonpuzzles.front.page.model import View
from tritonpuzzles.hardware.gpus import TARGETS
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.inspect import Inspection, KernelResources, Occupancy, OnTarget, Prediction, Resources
from tritonpuzzles.results.submission import Submission

USED = Resources(
    shared_bytes=114688, num_warps=4, num_stages=3, registers=182, stack_bytes=0, spill_bytes=956, local_accesses=9,
    tensor_core={"HGMMA.64x64x16.F32": 8}, load_bits=128, store_bits=64, occupancy=Occupancy(2, 8, 0.125, "registers"),
)  # fmt: skip
UNREAD = Resources(shared_bytes=64, num_warps=4, num_stages=2, notes=("cuobjdump is missing",))
HOSTILE = "[bold]\x1b[2J\x07k"


def sample(**more: object) -> Inspection:
    targets = (OnTarget("sm_90", True, USED), OnTarget("gfx942", True, UNREAD), OnTarget("sm_75", False, None))
    kernel = KernelResources("attention_kernel", ("float16",), {"D": 128, "BLOCK_M": 64}, targets)
    prediction = Prediction((64, 65536), "float32", 200, 300, memory_bound=True)
    fields = {"kernels": (kernel,), "prediction": prediction, **more}
    return Inspection(5, "flash_attention", Submission.of(Path("puzzles/p05_flash_attention.py")), 7, **fields)  # type: ignore[arg-type]


def text_of(found: Inspection, width: int = 80) -> str:
    stream = io.StringIO()
    console = console_on(stream, width)
    for line in inspect_lines(found, View(console.width)):
        console.print(line)
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120])
def test_every_number_at_every_width(width: int) -> None:
    text = text_of(sample(), width)
    assert max(len(line.rstrip()) for line in text.split("\n")) <= width
    for words in ("182 of 255", "956 bytes", "114,688 of 232,448 B", "8 of 64 (12 %)", "8 HGMMA.64x64x16.F32"):
        assert words in text
    assert "67 % of a copy's bandwidth" in " ".join(text.split())
    assert [f"{name} ({TARGETS[name].gpu})" in text for name in ("sm_90", "gfx942", "sm_75")] == [True] * 3


def test_what_is_not_known_is_a_dash_with_a_note() -> None:
    (kernel,) = sample().kernels
    text = text_of(sample(kernels=(replace(kernel, targets=kernel.targets[1:]),)))
    rows = {line[2:16].strip(): line[16:].split() for line in text.split("\n")}
    assert rows["registers"] == rows["spills"] == rows["tensor cores"] == rows["widest load"] == ["-", "-"]
    assert "gfx942: cuobjdump is missing." in text
    assert "sm_75: - stands for what is not known of a kernel that cannot be launched." in text
    assert "✗ no" in text


def test_arithmetic_has_no_share_of_a_copy() -> None:
    found = sample(prediction=Prediction((256, 128), "float16", 200, 500, memory_bound=False))
    assert "bound by arithmetic" in text_of(found)
    assert "% of a copy" not in text_of(found)
    assert inspect_data(found)["prediction"]["copy_share"] is None


@pytest.mark.parametrize(
    ("dram", "share", "said"),
    [
        (200, "100", "; 1.00 times go through DRAM, and the L2 cache serves the rest."),
        (250, "80", "; 1.25 times go through DRAM, and the L2 cache serves the rest."),
        (300, "67", ", and DRAM moves all of them."),
    ],
)
def test_the_cache_serves_a_part(dram: int, share: str, said: str) -> None:
    prediction = Prediction((64, 65536), "float32", 200, 300, memory_bound=True, gpu="H200", dram_bytes=dram)
    said = f"64 x 65536 float32, 1.50 times the least possible{said}"
    said = f"At most {share} % of a copy's bandwidth on an H200, by its bytes alone: 300 bytes move for {said}"
    assert said in " ".join(text_of(sample(prediction=prediction)).split())
    assert inspect_data(sample(prediction=prediction))["prediction"]["dram_bytes"] == dram


def test_without_a_model_of_the_cache_every_byte_counts_and_why_is_said() -> None:
    why = "The call touches memory in too many separate places for the model of the L2 cache."
    prediction = Prediction((64, 65536), "float32", 200, 300, memory_bound=True, unmodelled=why)
    text = " ".join(text_of(sample(prediction=prediction)).split())
    assert "67 % of a copy's bandwidth if DRAM moves every byte: 300 bytes move for 64 x 65536 float32, 1.50" in text
    assert text.count(why) == 1
    assert inspect_data(sample(prediction=prediction))["prediction"]["unmodelled"] == why


def test_hostile_names_are_shown_and_not_obeyed() -> None:
    (kernel,) = sample().kernels
    finding = Finding("compile-error", HOSTILE)
    text = text_of(sample(kernels=(replace(kernel, kernel=HOSTILE, dtypes=(HOSTILE,)),), findings=(finding,)))
    assert "[bold]" in text
    assert "\x1b" not in text
    assert "\x07" not in text


def test_json_says_it_all() -> None:
    data = json.loads(json.dumps(inspect_data(sample()), allow_nan=False))
    assert (data["version"], data["ok"], data["puzzle"]) == (1, False, 5)
    first, _, last = data["kernels"][0]["targets"]
    assert (first["gpu"], first["resources"]["occupancy"]["blocks_per_sm"]) == ("H100", 2)
    assert last["resources"] is None
    assert data["prediction"]["copy_share"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("1", "--target", "sm_99"), "'sm_90'"),
        (("1", "--solution", "--file", "x.py"), "exclude each other"),
        (("0-2",), "takes one puzzle, not 3"),
        (("nonsense",), "nonsense"),
        (("1", "--timeout", "nan"), "not a number of seconds"),
    ],
)
@pytest.mark.parametrize("command", ["inspect", "trace"])
def test_requests_that_make_no_sense(command: str, arguments: tuple[str, ...], words: str, run: Run) -> None:
    done = run(command, *arguments, judge=False)
    assert done.returncode == 2
    assert words in done.stderr or (command == "trace" and "--target" in arguments)
    assert done.stdout == ""


def test_a_real_file_for_a_real_target(run: Run, workspace: Path) -> None:
    real = {"judge": False, "TRITONPUZZLES_PACK": str(FIXTURE)}
    done = run("inspect", "1", "--solution", "--target", "sm_90", "--target", "gfx942", **real)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "square_kernel  float32, BLOCK_SIZE=256, 4 warps" in done.stdout
    assert "100 % of a copy's bandwidth" in done.stdout
    broken = workspace / "broken.py"
    shutil.copy(FIXTURE / "solutions/p01_square.py", broken)
    broken.write_text(broken.read_text().replace("x * x", "x * missing"))
    done = run("inspect", "1", "--file", str(broken), "--json", **real)
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert data["findings"][0]["code"] == "compile-error"
    assert data["findings"][0]["line"] == 28
