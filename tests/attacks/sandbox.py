"""A place to run a hostile file in: a copy of the program, and a home, a workspace and a class of its own.

root/clone        grader/tritonpuzzles, puzzles, solutions
root/home         HOME
root/tmp          TMPDIR
root/workspace    the folder that the program runs in, with progress in it
root/class        the files that were handed in

Hostile files do their harm only where a path holds the `MARK` of such a place.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attacks import contain

REPOSITORY = Path(__file__).resolve().parents[2]
MARK = "tritonpuzzles-attacked-"
FOLDERS = ("home", "tmp", "workspace", "class")
KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH", "OMP_NUM_THREADS")  # of the environment
MAY_CHANGE = ("home/.triton", "home/.cache", "workspace/.tritonpuzzles/cache", "class/__pycache__")
RUN_SECONDS = 150.0

Snapshot = dict[str, str]


@dataclass(frozen=True)
class Ran:
    """What one command of the program did.

    Attributes:
        returncode: negative for a signal.
        hung: it had to be ended after `RUN_SECONDS`.
        leftovers: command lines of processes that it left behind.
    """

    returncode: int
    hung: bool
    seconds: float
    leftovers: tuple[str, ...]
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Sandbox:
    """One such place."""

    root: Path

    def run(self, *words: str) -> Ran:
        """Run `tritonpuzzles` with these words in the workspace."""
        out, err = self.root / "stdout", self.root / "stderr"
        order = {
            "command": [sys.executable, "-m", "tritonpuzzles", *words],
            "folder": str(self.root / "workspace"),
            "environment": self._environment(),
            "stdout": str(out),
            "stderr": str(err),
            "seconds": RUN_SECONDS,
        }
        told = _contained(order)
        printed = [path.read_bytes()[: 8 << 20].decode("utf-8", "replace") for path in (out, err)]
        out.unlink()
        err.unlink()
        return Ran(told["returncode"], told["hung"], told["seconds"], tuple(told["leftovers"]), *printed)

    def snapshot(self) -> Snapshot:
        """Return a digest of every file, and the kind of everything else, but for caches."""
        return dict(_entries(self.root, self.root))

    def remove(self) -> None:
        """Remove the folder, however deep it has become."""
        subprocess.run(["rm", "-rf", "--", str(self.root)], check=True)

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        folders = {"HOME": self.root / "home", "TMPDIR": self.root / "tmp", "PYTHONPATH": self.root / "clone/grader"}
        return kept | {name: str(path) for name, path in folders.items()}


def _contained(order: dict[str, Any]) -> dict[str, Any]:
    """Run a command under `contain.py`, in a session of its own: what the command kills is not the driver."""
    command = [sys.executable, "-S", str(Path(contain.__file__))]
    done = subprocess.run(
        command, input=json.dumps(order), stdout=subprocess.PIPE, text=True, check=True, start_new_session=True
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def make_template() -> Sandbox:
    """Return a sandbox to copy others from: bytecode and compiled solutions are there, a hint was asked for.

    Raises:
        RuntimeError: if the program does not work in it.
    """
    sandbox = Sandbox(Path(tempfile.mkdtemp(prefix="template-")))
    for folder in FOLDERS:
        (sandbox.root / folder).mkdir()
    for folder in ("grader/tritonpuzzles", "puzzles", "solutions"):
        shutil.copytree(REPOSITORY / folder, sandbox.root / "clone" / folder)  # bytecode too, as far as there is some
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(sandbox.root / "clone" / "grader")], check=True)
    for words in (("init", "."), ("hint", "1"), ("check", "1-2", "--solution", "--device", "cpu")):
        ran = sandbox.run(*words)
        if ran.returncode:
            raise RuntimeError(f"tritonpuzzles {' '.join(words)} gives {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return sandbox


def copy_of(template: Sandbox) -> Sandbox:
    """Return a fresh copy of a sandbox, with times kept so that bytecode stays valid."""
    root = Path(tempfile.mkdtemp(prefix=MARK))
    shutil.copytree(template.root, root, symlinks=True, dirs_exist_ok=True)
    return Sandbox(root)


def changes(before: Snapshot, after: Snapshot) -> list[str]:
    """Return in words what differs; of what is new inside of a new folder only the folder."""
    gone = [f"removed {name}" for name in before.keys() - after.keys()]
    changed = [f"changed {name}" for name in before.keys() & after.keys() if before[name] != after[name]]
    fresh = after.keys() - before.keys()
    new = [f"new {name}" for name in fresh if os.path.dirname(name) not in fresh]
    return sorted([*gone, *changed, *new])


def _entries(folder: Path, root: Path, depth: int = 0) -> Iterator[tuple[str, str]]:
    for entry in os.scandir(folder):
        name = os.path.relpath(entry.path, root)
        if name in MAY_CHANGE:
            continue
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            yield name, "folder"
            if depth < 20:  # deeper ones are hostile, and new
                yield from _entries(Path(entry.path), root, depth + 1)
        elif stat.S_ISREG(mode):
            yield name, hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
        else:
            yield name, f"of mode {stat.filemode(mode)}"
