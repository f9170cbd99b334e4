"""Reading what somebody else wrote never waits and never reads too much."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tritonpuzzles.sandbox import NotRegularError, TooLargeError, read_regular


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert read_regular(path, 100) == b"x" * 100
    (tmp_path / "link").symlink_to(path)
    assert read_regular(tmp_path / "link", 100) == b"x" * 100
    with pytest.raises(OSError, match="link"):
        read_regular(tmp_path / "link", 100, follow=False)


def test_a_large_file_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 101)
    with pytest.raises(TooLargeError, match="more than 100 bytes") as raised:
        read_regular(path, 100)
    assert raised.value.size == 101


def test_a_file_without_a_size_has_bounds_too() -> None:
    path = Path("/proc/cpuinfo")
    if not path.exists():
        pytest.skip("needs /proc")
    with pytest.raises(TooLargeError):
        read_regular(path, 10)


@pytest.mark.parametrize("kind", ["fifo", "folder", "socket", "device"])
def test_what_is_no_file_is_refused_at_once(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / kind
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        monkeypatch.chdir(tmp_path)  # the name of a socket is short
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(kind)
    else:
        path = Path("/dev/zero")
    with pytest.raises(NotRegularError, match="not a regular file"):
        read_regular(path, 100)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none", 100)
