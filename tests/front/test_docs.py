"""The pages of `docs/` on the command line, and what of the project points to them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.front.conftest import ROOT, Run
from tests.front.test_shipped import package, program
from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.front.workspace import shipped

DOCS = ROOT / "docs"


def test_every_page_is_listed_by_its_title(run: Run) -> None:
    done = run("docs")
    assert done.returncode == 0
    for page in DOCS.glob("*.md"):
        title = page.read_text().splitlines()[0].removeprefix("# ")
        assert re.search(rf"^{page.stem} +{re.escape(title)}$", done.stdout, re.MULTILINE)
    assert f"\nFolder: {DOCS}\n" in done.stdout


def test_a_page_is_shown_whatever_pack_is_open(run: Run) -> None:
    for name in ("packs", "packs.md", "docs/packs.md"):
        done = run("docs", name)
        assert done.returncode == 0
        assert "What a record holds" in done.stdout
        assert "tritonpuzzles docs codes lists them" in " ".join(done.stdout.split())  # not a link to a file
    done = run("docs", "pakcs")
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no page 'pakcs'. Did you mean 'packs'?" in done.stderr


@pytest.mark.parametrize("columns", [60, 80])
def test_no_code_is_broken(columns: int, run: Run) -> None:
    codes = re.findall(r"^\| `([\w-]+)`", (DOCS / "codes.md").read_text(), re.MULTILINE)
    shown = run("docs", "codes", COLUMNS=str(columns)).stdout
    assert len(codes) > 200
    assert set(codes) - set(shown.split()) == set()
    assert max(map(len, shown.splitlines())) <= columns


def test_the_example_of_a_pack_s_own_module_works() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / "packs.md").read_text(), re.DOTALL)
    own: dict[str, Any] = {}
    exec(compile(example, "parts.py", "exec"), own)
    generator = torch.Generator().manual_seed(1)
    (x,) = own["near_eps"]((3, 5), generator)
    table, index = own["rows_of_a_table"]((4, 7, 5), generator)
    assert (x.shape, table.shape, index.shape, index.dtype) == ((3, 5), (7, 5), (4,), torch.float64)
    assert own["two_roundings"](SimpleNamespace(dtype=torch.float16), 0).absolute > 0
    (mistake,) = own["MISTAKES"].by_code.values()
    (emulation,) = mistake.emulations
    right = torch.nn.functional.layer_norm(x, (5,), eps=1e-5)
    tensors = x + 1, torch.ones(5).double(), torch.zeros(5).double()
    for cols, is_right in ((5, True), (8, False)):
        assert torch.allclose(emulation(tensors, Tile(1, cols, values={"eps": 1e-5})), right) == is_right


def test_a_wheel_brings_the_pages(tmp_path: Path) -> None:
    package(tmp_path / "site")
    shutil.copytree(DOCS, tmp_path / "site/tritonpuzzles/_workspace/docs")
    assert "What a record holds" in program(tmp_path, "docs", "packs", path=str(tmp_path / "site")).stdout
    assert '"docs" = "tritonpuzzles/_workspace/docs"' in (ROOT / "pyproject.toml").read_text()


def test_an_installation_without_pages_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "_clone", lambda: None)
    monkeypatch.setattr(shipped, "_installed", list)
    done = run("docs")
    assert (done.returncode, "has no pages" in done.stderr) == (3, True)


def test_every_page_that_the_program_names_is_there() -> None:
    for path in (ROOT / "grader").rglob("*.py"):
        for name in re.findall(r"tritonpuzzles docs ([a-z]+)", path.read_text()):
            assert (DOCS / f"{name}.md").is_file(), path


def test_the_container_is_made_of_what_is_there() -> None:
    made = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())["build"]
    dockerfile = ROOT / ".devcontainer" / made["dockerfile"]
    assert dockerfile.resolve() == ROOT / "Dockerfile"
    assert (ROOT / ".devcontainer" / made["context"]).resolve() == ROOT
    page = (DOCS / "elsewhere.md").read_text()
    assert re.findall(r"^WORKDIR (\S+)$", dockerfile.read_text(), re.MULTILINE) == re.findall(r'"\$PWD":(\S+)', page)
