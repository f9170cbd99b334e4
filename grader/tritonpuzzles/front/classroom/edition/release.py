"""Write a student edition, once every solution has passed in it: what students get is what was tried."""

from __future__ import annotations

import io
import json
import os
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tritonpuzzles.curriculum.pack import PACK_VARIABLE
from tritonpuzzles.front.classroom.edition.pack import pack_files
from tritonpuzzles.front.classroom.edition.wheel import FILE, wheel
from tritonpuzzles.front.classroom.grading.running import solutions
from tritonpuzzles.front.classroom.settings import ClassSettings
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.sandbox import Scratch
from tritonpuzzles.sandbox.interpreter import python_module

PACK = "pack"  # the folder in OUT


def release(settings: ClassSettings, out: Path) -> tuple[Path, Path]:
    """Write the pack and the wheel of a class's puzzles into a new folder, and return where they are.

    Raises:
        FrontError: if the folder holds something, a file of the pack is missing, or a solution does not pass.
        OSError: if the folder cannot be written to.
        RecordError: if a record cannot be read.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FrontError(f"{out} is there already, and not empty.", "name a new folder")
    texts = solutions(settings, {assigned.puzzle.stem for assigned in settings.assigned})
    files = pack_files(settings)
    data = wheel(files)
    _try(data, texts)
    for name, content in files.items():
        path = out / PACK / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (out / FILE).write_bytes(data)
    return out / PACK, out / FILE


def _try(data: bytes, texts: Mapping[str, bytes]) -> None:
    """Grade the solutions as a student's installation would.

    Raises:
        FrontError: if one does not pass.
    """
    scratch = Scratch()
    try:
        site, folder = scratch.path / "site", scratch.path / "solutions"
        zipfile.ZipFile(io.BytesIO(data)).extractall(site)
        folder.mkdir()
        for stem, text in texts.items():
            (folder / f"{stem}.py").write_bytes(text)
        words = ("check", "all", "--solutions", str(folder), "--device", "cpu", "--json")
        environment = {key: value for key, value in os.environ.items() if key != PACK_VARIABLE}
        done = subprocess.run(
            python_module("tritonpuzzles", *words),
            cwd=scratch.path,
            env={**environment, "PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
        )
    finally:
        scratch.remove()
    failed = _failed(done.stdout)
    if failed is None:
        raise FrontError(f"The edition does not work: {one_line(done.stderr)}", None, ExitCode.FAULT)
    if failed:
        raise FrontError(f"In the edition {failed}.", "nothing is written until every solution passes", ExitCode.FAULT)


def _failed(printed: str) -> str | None:
    """Return which solution does not pass, and why; nothing where all do, `None` where nothing was graded."""
    try:
        results = json.loads(printed)["results"]
    except (ValueError, KeyError):
        return None
    for result in results:
        if result["verdict"] not in (Verdict.PASS.value, Verdict.SKIP.value):  # a puzzle may need a GPU
            why = next((finding["message"] for finding in result["findings"]), "no reason is given")
            return f"the solution of puzzle {result['puzzle']} does not pass: {why}"
    return ""
