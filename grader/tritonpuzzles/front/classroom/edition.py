"""The student edition: the puzzles of a class as a pack, and a wheel with it, without anything that reveals answers.

Left out are solutions, tuned files, mutants, emulations and the list of mistakes that a record has, hidden cases, and
every comment of a record. It is written once every solution has passed in it: what students get is what was tried.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import tritonpuzzles
from tritonpuzzles.curriculum.pack import FORMAT, PACK_FILE, PACK_VARIABLE
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.curriculum.tables import read_toml
from tritonpuzzles.front.classroom.grading.planned import files_below
from tritonpuzzles.front.classroom.grading.running import solutions
from tritonpuzzles.front.classroom.model import ClassSettings
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.shipped import docs_pages, notebook_files, stub_file
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.sandbox import Scratch
from tritonpuzzles.sandbox.interpreter import python_module

AUTHORS = frozenset({"mistakes", "mistakes_module"})  # keys of a record that no check of a student's needs
_BARE = re.compile(r"[A-Za-z0-9_-]+")
PACK = "pack"  # the folder in OUT
PACKAGE = Path(tritonpuzzles.__file__).parent
NAME = "tritonpuzzles"
VERSION = f"{tritonpuzzles.__version__}+student"
TAG = "py3-none-any"
FILE = f"{NAME}-{VERSION}-{TAG}.whl"
EDITION = "_workspace"  # where the package looks for a pack, see `curriculum.pack`
MISTAKES = "curriculum/mistakes"  # students get the modules that all emulations share, and no emulation
WITHOUT = ("curriculum/records", "curriculum/hints", "curriculum/curriculum.toml", EDITION, f"{MISTAKES}/lines.py")
_MADE = (2020, 1, 1, 0, 0, 0)  # of every file


def pack_files(settings: ClassSettings) -> dict[str, bytes]:
    """Return the files of the pack by their path in it, puzzles under their own numbers.

    Notebooks lead from puzzle to puzzle: they come along where the class has every one.

    Raises:
        FrontError: if a stub is missing, or a module that students need holds emulations, too.
        RecordError: if a record cannot be read.
    """
    puzzles = [assigned.puzzle for assigned in settings.assigned]
    head = {"format": FORMAT, "title": settings.title, "puzzles": [one.stem for one in puzzles], "solutions": False}
    files = {PACK_FILE: toml(head).encode()}
    for puzzle in puzzles:
        record, hints = f"records/{puzzle.stem}.toml", f"hints/{puzzle.stem}.md"
        data = _for_students(read_toml(puzzle.folder / record))
        files[record] = toml(data).encode()
        files[hints] = (puzzle.folder / hints).read_bytes()
        files[f"puzzles/{puzzle.stem}.py"] = stub_file(puzzle).read_bytes()
        files |= {name: (puzzle.folder / name).read_bytes() for name in _modules(puzzle, data)}
    if len(puzzles) == len(load_curriculum().puzzles):
        files |= {f"notebooks/{path.name}": path.read_bytes() for path in notebook_files()}
    return files


def _for_students(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without hidden cases, and without what only authors need."""
    cases = [
        {key: value for key, value in case.items() if key != "kept_for"}
        for case in record["cases"]
        if not case.get("hidden")
    ]
    return {**{key: value for key, value in record.items() if key not in AUTHORS}, "cases": cases}


def _modules(puzzle: Puzzle, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of the pack's own modules that a record names as "module:function".

    Raises:
        FrontError: if one of them is the module of the puzzle's mistakes.
    """
    named = {text.partition(":")[0] for text in _texts(record) if re.fullmatch(r"[\w.]+:\w+", text)}
    for module in sorted(named):
        path = Path(*module.split(".")).with_suffix(".py")
        if not (puzzle.folder / path).is_file():
            continue
        if module == puzzle.mistakes_module:
            what = f"{path} holds the mistakes of puzzle {puzzle.number} and what its record names for every check."
            raise FrontError(what, "put MISTAKES into a module of their own: students need the rest")
        yield path.as_posix()


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, (dict, list)):
        for item in data.values() if isinstance(data, dict) else data:
            yield from _texts(item)


def toml(data: Mapping[str, Any]) -> str:
    """Return data as TOML: one key per line, inline tables, long lists one item per line."""
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in data.items())


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case dict():
            return f"{{ {', '.join(f'{_key(key)} = {_value(item)}' for key, item in value.items())} }}"
        case list() if any(isinstance(item, dict) for item in value):
            return "[\n{}]".format("".join(f"    {_value(item)},\n" for item in value))
        case list():
            return f"[{', '.join(map(_value, value))}]"
    return repr(value)  # numbers, infinities too


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


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
        FrontError: if one does not pass, or nothing was graded.
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
    try:
        results = json.loads(done.stdout)["results"]
    except (ValueError, KeyError) as error:
        raise FrontError(f"The edition does not work: {one_line(done.stderr)}", None, ExitCode.FAULT) from error
    for result in results:
        if result["verdict"] not in (Verdict.PASS.value, Verdict.SKIP.value):  # a puzzle may need a GPU
            why = next((finding["message"] for finding in result["findings"]), "no reason is given")
            told = f"In the edition the solution of puzzle {result['puzzle']} does not pass: {why}."
            raise FrontError(told, "nothing is written until every solution passes", ExitCode.FAULT)


def wheel(pack: Mapping[str, bytes]) -> bytes:
    """Return a wheel that contains this package and opens a pack.

    Raises:
        FrontError: if this grader is not installed, so that its dependencies are unknown.
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
    for path in files_below(PACKAGE, frozenset({"__pycache__"})):
        name = path.relative_to(PACKAGE).as_posix()
        emulations = name.startswith(f"{MISTAKES}/") and name.count("/") > 2  # in folders, puzzle by puzzle
        if not emulations and not any(f"{name}/".startswith(f"{one}/") for one in WITHOUT):
            yield name, path.read_bytes()


def _about() -> dict[str, str]:
    """Return the wheel's metadata: that of this installation, under the edition's version."""
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
