"""What a process that runs Python, torch and Triton needs to read, and how to leave secrets out of it.

Landlock knows only what is allowed: a folder with a secret in it is allowed by its other entries, one by one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tritonpuzzles.sandbox.landlock import DEVICE, NAMES, READ, Access, Grant

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store",
    "/run/opengl-driver", "/proc", "/sys",
    "/etc/alternatives", "/etc/group", "/etc/host.conf", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf",
    "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/locale.alias", "/etc/localtime", "/etc/mime.types",
    "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/python3", "/etc/ssl", "/etc/nvidia",
)  # fmt: skip
NUMBERS = ("/dev/random", "/dev/urandom")
SINKS = ("/dev/null", "/dev/zero", "/dev/full")
THREADS = "/proc/self/task"  # CUDA writes its threads' names there, and does not start where it cannot
GPUS = ("nvidia*", "dxg", "kfd", "dri")  # NVIDIA's; Windows' under WSL; AMD's


def system() -> list[Grant]:
    """Return what Python, its packages, a C compiler and a GPU's driver are read from, and the devices.

    To be asked for in the process that is going to be confined.
    """
    devices = [path for pattern in GPUS for path in Path("/dev").glob(pattern)]
    return [
        *(Grant(Path(path), READ) for path in (*SYSTEM, *NUMBERS)),
        *(Grant(path, DEVICE) for path in (*map(Path, SINKS), *devices)),
        Grant(Path(THREADS), READ | Access.WRITE_FILE | Access.TRUNCATE),
    ]


def python() -> list[Path]:
    """Return where this interpreter, and all that it can import, lie."""
    prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable))
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    toolkits = (os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH"))
    absolute = (path for path in (*prefixes, *sys.path, *libraries, *toolkits) if os.path.isabs(path))
    return [Path(path) for path in dict.fromkeys(absolute)]


def around(roots: Iterable[Path], secrets: Sequence[Path]) -> list[Grant]:
    """Return grants to read all that lies in some folders, except the secrets within them.

    Names inside such a folder stay readable, for modules are looked for by them. A root that is named itself is
    granted, also where it lies in what is secret in another.

    Args:
        roots: files and folders; what does not exist is left out.
        secrets: files and folders.
    """
    hidden = [Path(os.path.realpath(secret)) for secret in secrets]
    grants: dict[Path, Grant] = {}
    for root in roots:
        for grant in _beside(Path(os.path.realpath(root)), hidden):
            grants.setdefault(grant.path, grant)
    return list(grants.values())


def _beside(path: Path, secrets: Sequence[Path]) -> Iterator[Grant]:
    within = [secret for secret in secrets if path in secret.parents]
    if not within:
        yield Grant(path, READ)
        return
    yield Grant(path, NAMES)
    for child in _children(path):
        if child not in within:
            yield from _beside(child, within)


def _children(folder: Path) -> list[Path]:
    """Return what lies in a folder, without links: what they lead to is granted where it lies, or not at all."""
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if not entry.is_symlink()]
    except OSError:
        return []
