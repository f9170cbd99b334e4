from __future__ import annotations

import shutil
from pathlib import Path

import pytest

FIXTURE = Path(__file__).parents[1] / "fixture"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Return a copy of the fixture's pack, to be changed."""
    return Path(shutil.copytree(FIXTURE, tmp_path / "pack"))
