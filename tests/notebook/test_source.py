"""A puzzle file as story and code: nothing is lost, and no code is taken for story."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.notebook.conftest import ROOT
from tritonpuzzles.front.story import Source, read_source, split

FILES = sorted([*ROOT.glob("puzzles/*.py"), *ROOT.glob("solutions/**/*.py")])
LINES = st.sampled_from(["# %% [markdown]", "# %%", "# text", "", "import torch", "    x = 1", "# %% title"])


@given(st.lists(LINES).map("\n".join))
@example("# %% [markdown]\n# story\n\nimport torch\n# %%\nx = 1\n")
def test_the_two_parts_are_the_text_and_no_code_is_story(text: str) -> None:
    source = split(text)
    assert source.text == text
    assert all(not line.strip() or line.startswith("#") for line in source.story.splitlines())
    assert split(source.text) == source


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_shipped_files_have_both(path: Path) -> None:
    source = read_source(path)
    assert source.text.encode() == path.read_bytes()
    assert source.story.startswith("# %% [markdown]\n# # ")
    assert source.story.endswith("# %%\n")
    assert source.code.startswith("import ")


def test_a_file_without_a_story_is_all_code() -> None:
    assert split("# %%\nimport torch\n") == Source("", "# %%\nimport torch\n")


def test_foreign_bytes_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "p03.py"
    path.write_bytes(b"\xef\xbb\xbf# %% [markdown]\r\n# caf\xe9\r\n# %%\r\nx = 1\r\n")
    assert read_source(path) == Source("# %% [markdown]\n# caf\ufffd\n# %%\n", "x = 1\n")
