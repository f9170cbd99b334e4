"""The wheel of a student edition: the installed grader without its curriculum, and a pack in its place.

The same files give the same wheel to the byte.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

import tritonpuzzles
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.shipped import docs_pages

PACKAGE = Path(tritonpuzzles.__file__).parent
NAME = "tritonpuzzles"
VERSION = f"{tritonpuzzles.__version__}+student"
TAG = "py3-none-any"
FILE = f"{NAME}-{VERSION}-{TAG}.whl"
EDITION = "_workspace"  # where the package looks for a pack, see `curriculum.pack`
WITHOUT = ("curriculum/records", "curriculum/hints", "curriculum/curriculum.toml", EDITION)
MISTAKES = "curriculum/mistakes"  # of which students need what all emulations are made with, and no emulation
_MADE = (2020, 1, 1, 0, 0, 0)  # of every file


def wheel(pack: Mapping[str, bytes]) -> bytes:
    """Return a wheel that opens a pack.

    Raises:
        FrontError: if this grader is not installed, so that nothing says what it depends on.
    """
    info = f"{NAME}-{VERSION}.dist-info"
    files = {f"{NAME}/{path}": data for path, data in _package()}
    files |= {f"{NAME}/{EDITION}/{path}": data for path, data in pack.items()}
    files |= {f"{NAME}/{EDITION}/docs/{page.name}": page.read_bytes() for page in docs_pages()}
    files |= {f"{info}/{name}": text.encode() for name, text in _about().items()}
    rows = [f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in sorted(files.items())]
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _MADE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _package() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the grader that students get, by their path in the package."""
    for path in sorted(PACKAGE.rglob("*")):
        inner = path.relative_to(PACKAGE)
        name = inner.as_posix()
        emulations = name.startswith(f"{MISTAKES}/") and len(inner.parts) > 3  # in folders, puzzle by puzzle
        left_out = "__pycache__" in inner.parts or any(f"{name}/".startswith(f"{one}/") for one in WITHOUT)
        if path.is_file() and not (emulations or left_out):
            yield name, path.read_bytes()


def _about() -> dict[str, str]:
    """Return what says how a wheel is installed: as this installation was, under a version of its own."""
    try:
        found = metadata.distribution(NAME)
    except metadata.PackageNotFoundError as error:
        told = "tritonpuzzles is not installed here, and an edition depends on what that has."
        raise FrontError(told, "pip install -e . in the clone") from error
    head = (found.read_text("METADATA") or "").partition("\n\n")[0]  # what follows is the README
    head = re.sub(r"^Version: .*$", f"Version: {VERSION}", head, count=1, flags=re.MULTILINE)
    head = re.sub(r"^Description-Content-Type: .*\n?", "", head, flags=re.MULTILINE)
    return {
        "METADATA": f"{head.rstrip()}\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: {NAME} {VERSION}\nRoot-Is-Purelib: true\nTag: {TAG}\n",
        "entry_points.txt": found.read_text("entry_points.txt") or "",
        "licenses/LICENSE": found.read_text("licenses/LICENSE") or "",
    }


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
