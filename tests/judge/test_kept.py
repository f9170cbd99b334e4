"""What kernels compiled to is lent to an engine that may already run some of it."""

from __future__ import annotations

import mmap
from pathlib import Path

from tritonpuzzles.judge.workers.crew import AWAKE, Kept, key_of
from tritonpuzzles.wire.frames import KEPT_FOLDERS

KEY = key_of(["a kernel"])


def engine_folder(tmp_path: Path, name: str, **files: bytes) -> Path:
    """Return the folder of an engine that has compiled files, each in a folder of its name."""
    folder = tmp_path / name
    for stem, data in files.items():
        path = folder / KEPT_FOLDERS[0] / stem / f"{stem}.so"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    folder.mkdir(exist_ok=True)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_an_engine_left_is_lent_to_the_next(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "cache")
    kept.take(KEY, engine_folder(tmp_path, "first", driver=b"driver", kernel=b"kernel"))
    second = engine_folder(tmp_path, "second")
    kept.lend(KEY, second)
    assert files(second) == {"driver.so": b"driver", "kernel.so": b"kernel"}


def test_a_library_that_an_engine_has_loaded_stays_as_it_is(tmp_path: Path) -> None:
    """A library is a mapped file: written to again, it ends the process that runs it with SIGSEGV."""
    kept = Kept(tmp_path / "cache")
    kept.take(AWAKE, engine_folder(tmp_path, "awake", driver=b"driver"))
    kept.take(KEY, engine_folder(tmp_path, "first", driver=b"driver", kernel=b"kernel"))
    running = tmp_path / "running"
    kept.lend(AWAKE, running)
    [library] = running.rglob("driver.so")
    file = library.stat()
    with library.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as loaded:
        kept.lend(KEY, running)
        assert loaded[:] == b"driver"
    after = library.stat()
    assert (after.st_ino, after.st_mtime_ns) == (file.st_ino, file.st_mtime_ns)
    assert files(running) == {"driver.so": b"driver", "kernel.so": b"kernel"}
