"""Whatever a folder was filled with, it can be removed; what it points to stays."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tritonpuzzles.sandbox import remove_tree

DEPTH = 10_000


def deep(top: Path, depth: int, name: str) -> None:
    """Make folders in folders, deeper than any path can be long."""
    here = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def test_ten_thousand_deep_with_long_names() -> None:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a disk takes half a minute for it
    tree = Path(tempfile.mkdtemp(dir=memory))
    deep(tree, DEPTH, "n" * 255)
    remove_tree(tree)
    assert not tree.exists()


def test_odd_things(tmp_path: Path) -> None:
    tree, kept = tmp_path / "tree", tmp_path / "kept"
    (kept / "inner").mkdir(parents=True)
    (kept / "file").write_text("kept")
    tree.mkdir()
    os.mkfifo(tree / "fifo")
    (tree / "link").symlink_to(kept)
    (tree / "dangling").symlink_to("nowhere")
    (tree / "hard").hardlink_to(kept / "file")
    (tree / "wide").mkdir()
    for number in range(2500):
        (tree / "wide" / f"{number}").touch()
    os.mkdir(os.fsencode(tree) + b"/\xff\n\x1b")
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "link").symlink_to(kept / "inner")
    (tree / "a" / "a").mkdir()
    remove_tree(tree)
    assert not tree.exists()
    assert (kept / "file").read_text() == "kept"
    assert (kept / "inner").is_dir()


def test_closed_folders(tmp_path: Path) -> None:
    """Root may enter them all the same: there it is the other user's test below that can fail."""
    tree = tmp_path / "tree"
    (tree / "closed" / "closed" / "closed").mkdir(parents=True)
    (tree / "closed" / "closed" / "file").touch()
    for path in (tree / "closed" / "closed" / "closed", tree / "closed" / "closed", tree / "closed", tree):
        path.chmod(0)
    child = os.fork() if os.geteuid() == 0 else None
    if child == 0:
        _remove_without_powers(tree)
    if child is None:
        remove_tree(tree)
    else:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not tree.exists()


def _remove_without_powers(tree: Path) -> None:
    from tritonpuzzles.sandbox import kernel

    try:
        kernel.DAC_READ_SEARCH = 63
        kernel.drop_capabilities()
        remove_tree(tree)
    except BaseException:
        os._exit(1)
    os._exit(0)


def test_nothing_there_is_no_error(tmp_path: Path) -> None:
    remove_tree(tmp_path / "none")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    with pytest.raises(OSError, match="link"):
        remove_tree(tmp_path / "link")
    assert (tmp_path / "kept").is_dir()
