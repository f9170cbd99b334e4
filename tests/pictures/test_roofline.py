"""The roofline: figures of GPUs, points from real ledgers, the picture and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from tests.front.conftest import Run
from tests.pictures.test_figures import words
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.commands.roofline import choose_gpu, measured_on
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.pictures.roofline import roofline_figure
from tritonpuzzles.front.workspace.progress import Best, Progress
from tritonpuzzles.hardware.gpus import GPUS, gpu_named
from tritonpuzzles.judge.inspect import points
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.inspect import Point

ROOT = Path(__file__).parents[2]
H200 = GPUS["H200"]
SOFTMAX = Point(3, "online_softmax", "f.py", (64, 65536), "float32", 5 << 22, 8 << 22, "GB/s", 12 << 22)
ATTENTION = Point(5, "flash_attention", "f.py", (1024, 128), "float16", 1 << 29, 1 << 29, "TFLOP/s", 1 << 23)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("h200", "H200"),
        ("NVIDIA H200", "H200"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA A100-SXM4-40GB", "A100 40GB"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("Tesla T4", "T4"),
        ("AMD Instinct MI300X", "MI300X"),
    ],
)
def test_gpus_by_the_names_of_people_and_drivers(name: str, expected: str) -> None:
    assert gpu_named(name) == GPUS[expected]


@pytest.mark.parametrize("name", ["", "GeForce", "NVIDIA", "4090", "H2000"])
def test_gpus_that_are_not_listed(name: str) -> None:
    assert gpu_named(name) is None


def test_the_lower_roof_counts() -> None:
    assert H200.attainable(1, on_tensor_cores=False) == pytest.approx(4.8)
    assert H200.attainable(1000, on_tensor_cores=False) == 67
    assert H200.attainable(100, on_tensor_cores=True) == pytest.approx(480)
    assert H200.attainable(1000, on_tensor_cores=True) == pytest.approx(989.4)


def test_rates_become_operations() -> None:
    assert SOFTMAX.intensity == pytest.approx(5 / 12)
    assert SOFTMAX.tflop_per_s(2639) == pytest.approx(2639 * 5 / 8 / 1000)
    assert (SOFTMAX.on_tensor_cores, ATTENTION.on_tensor_cores) == (False, True)
    assert ATTENTION.tflop_per_s(276) == 276


def test_which_gpu_and_what_was_measured_on_it() -> None:
    rates = {SOFTMAX.slug: Best(2639, "GB/s", "NVIDIA H200"), ATTENTION.slug: Best(276, "TFLOP/s", "NVIDIA H200")}
    here = {slug: Progress(best=best) for slug, best in rates.items()}
    assert choose_gpu("a100", here, None) == (GPUS["A100"], None)
    assert choose_gpu(None, here, "Tesla T4")[0] == H200
    assert choose_gpu(None, {}, "Tesla T4")[0] == GPUS["T4"]
    assert "No figures are known for Voodoo 3" in str(choose_gpu(None, {}, "Voodoo 3")[1])
    assert "No GPU here" in str(choose_gpu(None, {}, None)[1])
    with pytest.raises(FrontError, match="No figures are known for the GPU Voodoo 3"):
        choose_gpu("Voodoo 3", {}, None)
    assert measured_on(H200, [SOFTMAX, ATTENTION], here) == {3: SOFTMAX.tflop_per_s(2639), 5: 276}
    assert measured_on(GPUS["A100"], [SOFTMAX, ATTENTION], here) == {}


def test_the_picture_marks_what_is_predicted() -> None:
    problem = Point(4, "tiled_softmax", "f.py", (1, 1), "float32", 5, 8, "GB/s", problem="It writes nothing yet.")
    said = words(roofline_figure([SOFTMAX, problem, ATTENTION], H200, {5: 276.0}))
    assert "What the H200 lets each puzzle reach" in said
    assert "p03 online_softmax\n0.417 operations per byte\n2.00 TFLOP/s predicted" in said
    assert "p04 tiled_softmax\nno point: It writes nothing yet." in said
    assert "276 TFLOP/s measured" in said
    assert "memory: 4,800 GB/s" in said


def test_points_of_a_solution_a_stub_and_a_wrong_file() -> None:
    puzzle = load_curriculum().find("3")
    files = [
        ROOT / "solutions" / "p03_online_softmax.py",
        ROOT / "puzzles" / "p03_online_softmax.py",
        ROOT / "tests" / "mutants" / "p03_online_softmax" / "wrong" / "never_divides.py",
    ]
    found = points([(puzzle, file) for file in files], CheckOptions("cpu", seed=1))
    assert found[0].intensity == pytest.approx(5 / 12)
    assert [point.problem for point in found] == [
        None,
        "Nothing was written: not started yet.",
        'The values are wrong in "full size".',
    ]
    assert [point.intensity for point in found[1:]] == [None, None]


def test_the_command(run: Run, tmp_path: Path) -> None:
    real = {"judge": False, "TRITONPUZZLES_PACK": "", "cwd": ROOT}
    done = run("roofline", "1", "--solution", "--gpu", "A100", "--plot", str(tmp_path / "r.svg"), "--json", **real)
    assert (done.returncode, done.stderr) == (0, f"Written to {tmp_path / 'r.svg'}.\n")
    (point,) = json.loads(done.stdout)["points"]
    assert (point["intensity"], point["problem"], point["measured"]) == (0.625, None, None)
    assert point["roof"] == pytest.approx(0.625 * 2.039)
    assert (tmp_path / "r.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--gpu", "Voodoo"), "No figures are known for the GPU Voodoo."),
        (("--plot", "a.pdf"), "A picture is a .png or an .svg file, not a.pdf."),
    ],
)
def test_bad_questions(run: Run, arguments: tuple[str, ...], sentence: str) -> None:
    done = run("roofline", *arguments, judge=False)
    assert done.returncode == 2
    assert sentence in done.stderr
