"""`docs/verify.md` and `docs/json.md`: what they show works, and what they name is there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tritonpuzzles
from tritonpuzzles.results.codes import CODES
from tritonpuzzles.verifier.vary import KINDS
from tritonpuzzles.verifier.written import argument

ROOT = Path(__file__).parents[2]
PAGE, OF_JSON = (ROOT / "docs" / "verify.md").read_text(), (ROOT / "docs" / "json.md").read_text()


def first_lines() -> str:
    """Return the code that the page begins with."""
    found = re.search(r"<!-- the first ten lines -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def run(folder: Path, code: str) -> str:
    (folder / "double.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    words = [sys.executable, "double.py"]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_the_first_ten_lines_work(tmp_path: Path) -> None:
    code = first_lines()
    assert len([line for line in code.splitlines() if line]) == 10
    said = " ".join(run(tmp_path, code).split())
    shown = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    for part in " ".join(shown[1].split()).split("[...]"):
        assert part.strip() in said
    masked = code.replace("tl.load(x_ptr + offsets)", "tl.load(x_ptr + offsets, mask=offsets < n_elements)")
    assert "✗ fail more than 2^31 elements 3374618 x 700 float32: int32 overflow" in " ".join(
        run(tmp_path, masked).split()
    )
    assert run(tmp_path, masked.replace("tl.program_id(0)", "tl.program_id(0).to(tl.int64)")).startswith("✓ pass")


def test_every_kind_of_change_is_told_of() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \| [^|]*\| [^|]*\|$", PAGE, re.MULTILINE)) == KINDS


def test_every_argument_in_the_table_can_be_read() -> None:
    table = PAGE.partition("| argument | is |")[2].partition("\n\n")[0]
    found = [argument(text) for text in re.findall(r"`(\w+=\S+)`", table)]
    assert len(found) == 11


def test_what_the_page_about_json_names_is_in_the_schema() -> None:
    schema = json.loads((Path(tritonpuzzles.__file__).parent / "report.schema.json").read_text())
    fields = {name for part in (schema, *schema["$defs"].values()) for name in part.get("properties", {})}
    values = set(schema["$defs"]["verdict"]["enum"]) | {"error", "nan", "inf", "-inf", "mended", "predicted"}
    named = set(re.findall(r"`([a-z_-]+)`", OF_JSON)) - {"--no-fix", "-inf"}
    assert named - fields - values - CODES.keys() == set()
