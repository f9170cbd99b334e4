"""A pack for students: records, hints, stubs and the modules that these name; nothing else of the pack is copied.

Left out are solutions, tuned files, mutants, emulations and the list of mistakes that a record has, hidden cases, and
every comment of a record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.pack import FORMAT, PACK_FILE
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.curriculum.tables import read_toml
from tritonpuzzles.front.classroom.settings import ClassSettings
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.shipped import notebook_files, stub_file

AUTHORS = frozenset({"mistakes", "mistakes_module"})  # keys of a record that no check of a student's needs
_BARE = re.compile(r"[A-Za-z0-9_-]+")


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
    """Return data as TOML, a key a line, tables in braces, of long lists an item a line."""
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in data.items())


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case dict():
            return f"{{ {', '.join(f'{_key(key)} = {_value(item)}' for key, item in value.items())} }}"
        case list():
            return _list(value)
    return repr(value)  # numbers, infinities too


def _list(items: Sequence[Any]) -> str:
    if any(isinstance(item, dict) for item in items):
        return "[\n{}]".format("".join(f"    {_value(item)},\n" for item in items))
    return f"[{', '.join(map(_value, items))}]"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)
