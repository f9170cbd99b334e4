"""What Triton compiled in one folder is found in a copy of it, where the first one is gone."""

from __future__ import annotations

import shutil
from pathlib import Path

from triton import knobs

from tritonpuzzles.engine.cuda import Lent


def test_a_copy_is_as_good(tmp_path: Path) -> None:
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path / "first")
        first = Lent("key")
        first.put_group("k.json", {name: first.put(name.encode(), name) for name in ("k.ttir", "k.cubin")})
        shutil.move(tmp_path / "first", tmp_path / "second")
        knobs.cache.dir = str(tmp_path / "second")
        found = Lent("key").get_group("k.json")
        assert found == {name: str(tmp_path / "second" / "key" / name) for name in ("k.ttir", "k.cubin")}
        (tmp_path / "second" / "key" / "k.ttir").unlink()
        assert Lent("key").get_group("k.json") is None
        assert Lent("other").get_group("k.json") is None
