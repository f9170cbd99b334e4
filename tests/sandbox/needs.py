"""Marks for what only some kernels have, with the reason why a test is skipped."""

from __future__ import annotations

import os

import pytest

from tritonpuzzles.sandbox import landlock
from tritonpuzzles.sandbox.kernel import machine


def landlock_version() -> int:
    """Return the version of Landlock here, 0 for none."""
    try:
        return landlock.version()
    except OSError:
        return 0


def needs_landlock(version: int) -> pytest.MarkDecorator:
    """Skip where Landlock is older."""
    found = landlock_version()
    return pytest.mark.skipif(found < version, reason=f"needs Landlock {version}; this kernel has {found or 'none'}")


needs_linux = pytest.mark.skipif(machine() is None, reason="needs Linux on x86_64 or aarch64")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
