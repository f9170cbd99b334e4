"""`bench` on a real GPU: right kernels have a speed, and files that are right on the CPU alone have none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.bench import BenchOptions, Entrant
from tritonpuzzles.judge.bench.bencher import Bencher
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.bench import Bench
from tritonpuzzles.results.submission import Submission

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[2]
SOLUTION = (ROOT / "solutions" / "p03_online_softmax.py").read_text()
LAUNCH = "    softmax_kernel[grid]("
SIZES = (1000, 32768)
CHEATS = {
    "torch": (LAUNCH, f"    if x.is_cuda:\n        return torch.softmax(x, dim=1)\n{LAUNCH}"),
    "kept": (
        "    y = torch.empty_like(x)\n",
        "    if x.is_cuda and (x.data_ptr(), x.shape) in KEPT:\n        return KEPT[x.data_ptr(), x.shape]\n"
        "    y = KEPT[x.data_ptr(), x.shape] = torch.empty_like(x)\n",
    ),
    "first": ("    grid = (n_rows,)\n", "    grid = (min(n_rows, 64),)\n"),
    "crash": (LAUNCH, f"    if x.is_cuda and n_cols == 1000:\n        import os\n        os._exit(3)\n{LAUNCH}"),
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The solution of puzzle 3 and four files that the interpreter finds nothing wrong with."""
    folder = tmp_path_factory.mktemp("files")
    entrants = [Entrant("solution", Submission.of(ROOT / "solutions" / "p03_online_softmax.py"))]
    for name, (old, new) in CHEATS.items():
        assert SOLUTION.count(old) == 1
        path = folder / f"{name}_cheat.py"  # a torch.py would be imported in place of PyTorch
        path.write_text(SOLUTION.replace(old, new) + "\n\nKEPT = {}\n")
        entrants.append(Entrant(name, Submission.of(path)))
    return Bencher(BenchOptions(SIZES, seed=1)).bench(load_curriculum().find("3"), entrants)


def codes(bench: Bench, name: str) -> list[str | None]:
    contender = bench.contender(name)
    assert contender is not None
    return [speed.failure.code if speed.failure is not None else None for speed in contender.speeds]


def test_a_right_kernel_has_a_speed_that_the_hardware_allows(bench: Bench) -> None:
    solution = bench.contender("solution")
    assert solution is not None
    assert solution.right
    for point, speed in zip(bench.points, solution.speeds, strict=True):
        assert "suspicious" not in speed.labels
        assert speed.timing is not None
        assert speed.timing.samples >= 50
        assert speed.ledger_bytes == pytest.approx(1.5 * point.minimum_bytes)
        assert point.copy_gb_per_s
    assert bench.environment["driver"]
    assert bench.environment["sm_mhz"] > 0


def test_files_that_are_right_on_the_cpu_alone_have_none(bench: Bench) -> None:
    assert set(codes(bench, "torch")) <= {"torch-compute", "no-launch"}  # found at the first size, and no more tried
    assert codes(bench, "kept") == ["cached-answer"] * 2  # a result that is kept could be given again
    assert codes(bench, "first") == ["unwritten-elements"] * 2


def test_a_file_that_ends_its_process_is_refused_before_it_is_timed(bench: Bench) -> None:
    assert codes(bench, "crash") == ["exit", "exit"]  # a host function sees a GPU when its bytes are counted, too


def test_the_program_draws_and_writes(tmp_path: Path) -> None:
    plot, table = tmp_path / "p05.png", tmp_path / "p05.csv"
    command = [sys.executable, "-m", "tritonpuzzles", "bench", "5", "--solution", "--sizes", "1024,4096", "--json"]
    command += ["--plot", str(plot), "--csv", str(table)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    (bench,) = json.loads(done.stdout)["results"]
    assert {"solution", "tuned", "cuDNN", "naive torch"} <= {contender["name"] for contender in bench["contenders"]}
    assert bench["matmul_tflop_per_s"] > 0
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert len(table.read_text().splitlines()) == 1 + 2 * len(bench["contenders"])
    assert "n = 4,096 (2 of 2)" in done.stderr


def test_a_check_gives_stars() -> None:
    items = [(load_curriculum().find("5"), ROOT / "solutions" / "tuned" / "p05_flash_attention.py")]
    (result,) = check(items, CheckOptions(device="cuda", seed=1)).results
    assert result.benchmark is not None
    assert result.benchmark.yardstick == "cuDNN"
    assert result.benchmark.matmul_tflop_per_s
    assert result.benchmark.labels == ()
    assert result.stars == 3
