"""`tritonpuzzles verify` as a process: what it prints, writes and returns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Log

import tritonpuzzles
from tests.program import run_here

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((Path(tritonpuzzles.__file__).parent / "report.schema.json").read_text())
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "COLUMNS": "80"}
KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, y_ptr, factor, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets, mask=offsets < n_elements)
    tl.store(y_ptr + offsets, x * factor, mask=offsets < n_elements)


def scale(x, factor):
    x = x.contiguous()
    y = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 256),)](x, y, factor, x.numel(), BLOCK_SIZE=256)
    return y


def reference(x, factor):
    return x * factor


def made(seed, dtype):
    return dict(x=torch.randn(3, 100, generator=torch.Generator().manual_seed(seed)).to(dtype), factor=2.0)


def leaking(x, factor):
    open("leaked", "w")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "right.py").write_text(KERNEL)
    (tmp_path / "unmasked.py").write_text(
        KERNEL.replace("x_ptr + offsets, mask=offsets < n_elements", "x_ptr + offsets")
    )
    return tmp_path


def verify(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it in a process of its own."""
    command = [sys.executable, "-m", "tritonpuzzles", "verify", *words, "--device", "cpu"]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


def verify_here(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it in this process."""
    return run_here(("verify", *words, "--device", "cpu"), folder, ENVIRONMENT)


@pytest.mark.slow
def test_a_right_kernel_passes_with_all_that_is_made_of_a_call(folder: Path) -> None:
    arguments = ("--args", "x=5x700 factor=2.0", "--args", "x=300:bf16 factor=3", "--limit", "loads.x=1")
    done = verify(folder, "right.py:scale", "--reference", "right.py:reference", *arguments)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.startswith("✓ pass  scale\n")


@pytest.mark.slow
def test_a_wrong_one_is_told_to_people_and_programs(folder: Path) -> None:
    asked = ("unmasked.py:scale", "--reference", "right.py:reference", "--arg", "x=700:f32", "--arg", "factor=2.0")
    done = verify(folder, *asked, "--no-vary", "--json", "--sarif", "found.sarif", "--seed", "1")
    assert (done.returncode, done.stderr) == (1, "Written to found.sarif.\n")
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    (result,) = report["results"]
    assert (result["slug"], result["seed"]) == ("scale", 1)
    assert {(found["code"], found["line"]) for found in result["findings"]} == {("out-of-bounds-load", 9)}
    assert "mask" in result["findings"][0]["next_step"]
    (found,) = Log.model_validate_json((folder / "found.sarif").read_text()).runs[0].results
    assert found.locations[0].physicalLocation.region.startLine == 9
    told = verify_here(folder, *asked, "--no-vary", "--no-fix", "--html", "page.html")
    printed = verify_here(folder, *asked, "--no-vary", "--sarif", "-")
    assert Log.model_validate_json(printed.stdout).runs[0].results[0].ruleId == "out-of-bounds-load"
    assert told.returncode == 1
    assert "x_ptr is read outside its 700 elements" in told.stdout
    assert "no mask" not in told.stdout
    assert "Next:" not in told.stdout
    assert "x_ptr is read outside its 700 elements" in (folder / "page.html").read_text()


def test_cases_of_a_function_one_of_which_is_run_alone(folder: Path) -> None:
    asked = ("right.py:scale", "--reference", "right.py:reference", "--cases", "right.py:made", "--json")
    done = verify_here(folder, *asked, "--case", "the same call again, of bfloat16")
    assert done.returncode == 0
    names = [case["name"] for case in json.loads(done.stdout)["results"][0]["cases"]]
    assert names == ["bfloat16", "the same call again, of bfloat16"]
    done = verify_here(folder, *asked, "--case", "bfloat")
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no case 'bfloat'. Did you mean 'bfloat16'?" in done.stderr


@pytest.mark.slow
def test_a_reference_that_is_confined_writes_nothing(folder: Path) -> None:
    asked = ("right.py:scale", "--arg", "x=300:f32", "--arg", "factor=2.0", "--no-vary")
    done = verify(folder, *asked, "--reference", "right.py:leaking", "--confined")
    assert done.returncode == 2
    assert "the reference raises PermissionError" in done.stderr
    assert not (folder / "leaked").exists()
    assert verify(folder, *asked, "--reference", "right.py:reference", "--confined").returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("right.py:scale",), "--arg x=5x700 --arg factor=5x700"),
        (("right.py:scal", "--arg", "x=3"), "Did you mean 'scale'?"),
        (("right.py", "--arg", "x=3"), "not of the form FILE:FUNCTION"),
        (("wrong.py:scale", "--arg", "x=3"), "There is no file wrong.py."),
        (("right.py:scale", "--arg", "y=3"), "scale has no parameter 'y'"),
        (("right.py:scale", "--arg", "x=3", "--reference", "right.py:ref"), "Did you mean 'reference'?"),
        (("right.py:scale", "--arg", "x=3", "--cases", "right.py:made"), "give one of them"),
        (("right.py:scale", "--arg", "x=3", "--vary", "size"), "Did you mean 'sizes'?"),
        (("right.py:scale", "--arg", "x=3", "--vary", "sizes", "--no-vary"), "exclude each other"),
        (("right.py:scale", "--arg", "x=3", "--limit", "load.x=1"), "Did you mean 'loads'?"),
        (("right.py:scale", "--arg", "x=3", "--tolerance", "clos"), "Did you mean 'close'?"),
        (("right.py:scale", "--arg", "x=3", "--confined", "--sarif", "a"), "--confined writes no file"),
        (("right.py:scale", "--arg", "x=3", "--sarif", "no/a.sarif"), "There is no folder"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_next_step(folder: Path, words: tuple[str, ...], said: str) -> None:
    done = verify_here(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_function_without_a_kernel_never_passes(folder: Path) -> None:
    (folder / "none.py").write_text("def none(x):\n    return None\n")
    done = verify_here(folder, "none.py:none", "--arg", "x=300:f32", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["results"][0]["findings"][0]["code"] == "no-launch"


def test_a_change_that_does_not_compile_says_why(folder: Path) -> None:
    (folder / "wide.py").write_text(KERNEL.replace("x * factor, mask", "tl.sqrt(x) * factor, mask"))
    asked = ("wide.py:scale", "--arg", "x=300:f32:1..2", "--arg", "factor=2.0", "--vary", "dtypes", "--json")
    done = verify_here(folder, *asked)
    assert done.returncode == 0
    refused = json.loads(done.stdout)["results"][0]["findings"]
    assert {found["code"] for found in refused} == {"variant-refused"}
    assert all("does not compile" in found["message"] and found["line"] == 10 for found in refused)
    done = verify_here(folder, *asked, "--case", "float16")
    assert done.returncode == 1
    assert json.loads(done.stdout)["results"][0]["verdict"] == "error"
