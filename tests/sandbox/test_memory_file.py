"""A sealed file in memory holds what it was made with, for whoever has its descriptor."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.sandbox.child import PACKAGES
from tests.sandbox.needs import needs_linux
from tritonpuzzles.sandbox import read_sealed, seal

pytestmark = needs_linux
DATA = bytes(range(256)) * 5000
CHILD = "import sys; from tritonpuzzles.sandbox import read_sealed; sys.stdout.buffer.write(read_sealed({}, 1 << 21))"


def test_a_child_reads_it() -> None:
    descriptor = seal(DATA, "job")
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(descriptor)],
        pass_fds=[descriptor], env={"PYTHONPATH": str(PACKAGES)}, capture_output=True, check=True,
    )  # fmt: skip
    os.close(descriptor)
    assert done.stdout == DATA


@pytest.mark.parametrize("deed", [lambda d: os.pwrite(d, b"x", 0), lambda d: os.ftruncate(d, 1),
                                  lambda d: os.ftruncate(d, 1 << 22)])  # fmt: skip
def test_nobody_changes_it(deed: object) -> None:
    assert callable(deed)
    descriptor = seal(DATA, "job")
    with pytest.raises(PermissionError):
        deed(descriptor)
    with pytest.raises(PermissionError):
        os.write(os.open(f"/proc/self/fd/{descriptor}", os.O_RDWR), b"x")
    assert read_sealed(descriptor, len(DATA)) == DATA
    os.close(descriptor)


def test_the_reader_has_bounds() -> None:
    descriptor = seal(DATA, "job")
    with pytest.raises(OSError, match="1,280,000 bytes; at most 1,279,999"):
        read_sealed(descriptor, len(DATA) - 1)
    os.lseek(descriptor, 7, os.SEEK_SET)
    assert read_sealed(descriptor, len(DATA)) == DATA
    os.close(descriptor)


def test_what_is_not_sealed_is_not_read() -> None:
    descriptor = os.memfd_create("job", os.MFD_ALLOW_SEALING)
    with pytest.raises(OSError, match="not sealed"):
        read_sealed(descriptor, 10)
    os.close(descriptor)


def test_nothing_is_something() -> None:
    descriptor = seal(b"", "job")
    assert read_sealed(descriptor, 0) == b""
    os.close(descriptor)
