"""The puzzles of a curriculum, in order, and the names under which a user may select them."""

from __future__ import annotations

import ast
import functools
import importlib.util
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.pack import PACK_FILE, Pack, pack_folder, read_pack
from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.decoding.marks import close_to

LIKE = 0.6  # least similarity of a mistyped name and a puzzle's
ENDINGS = (".py", ".ipynb")  # of a file that stands for its puzzle


class UnknownPuzzleError(LookupError):
    """No puzzle of that name; the message says which names there are, and the nearest."""


@dataclass(frozen=True)
class Curriculum:
    """The puzzles of a pack, in its order."""

    pack: Pack
    puzzles: tuple[Puzzle, ...]

    def find(self, name: str) -> Puzzle:
        """Return the puzzle with this number, slug or file name; raises UnknownPuzzleError with the nearest name."""
        path = Path(name)
        wanted = (path.stem if path.suffix in ENDINGS else path.name).lower().replace("-", "_")
        for puzzle in self.puzzles:
            if wanted in (str(puzzle.number), f"p{puzzle.number}", f"p{puzzle.number:02d}", puzzle.slug, puzzle.stem):
                return puzzle
        near = close_to(wanted, [puzzle.slug for puzzle in self.puzzles], LIKE)
        known = ", ".join(f"{puzzle.number} ({puzzle.slug})" for puzzle in self.puzzles)
        hint = f" Did you mean {near}?" if near else ""
        raise UnknownPuzzleError(f"There is no puzzle {name!r}.{hint} The puzzles: {known}.")

    def select(self, names: tuple[str, ...]) -> tuple[Puzzle, ...]:
        """Return the puzzles that words such as `3`, `0-8`, `all` or `online_softmax` name, each once, in order.

        Raises UnknownPuzzleError if a word names none.
        """
        chosen: set[int] = set()
        for name in names:
            chosen.update(puzzle.number for puzzle in self._expand(name))
        return tuple(puzzle for puzzle in self.puzzles if puzzle.number in chosen)

    def _expand(self, name: str) -> tuple[Puzzle, ...]:
        if name == "all":
            return self.puzzles
        first, dash, last = name.partition("-")
        if dash and first.isdigit() and last.isdigit():
            low, high = self.find(first).number, self.find(last).number
            found = tuple(puzzle for puzzle in self.puzzles if low <= puzzle.number <= high)
            if not found:
                raise UnknownPuzzleError(f"The range {name} is empty: write the smaller number first.")
            return found
        return (self.find(name),)


def broken_modules(curriculum: Curriculum) -> Iterator[str]:
    """Yield why modules that a pack's records name cannot be imported, a sentence for each.

    Their text alone is read, as importing them takes as long as PyTorch does: a module that raises is not seen here.
    """
    puzzles, folder = curriculum.puzzles, curriculum.pack.folder
    names = {name.partition(":")[0] for puzzle in puzzles for _, name in puzzle.functions if ":" in name}
    names.update(puzzle.mistakes_module for puzzle in puzzles)
    for path in sorted(folder / f"{name.replace('.', '/')}.py" for name in names if name):
        if path.is_file() and (why := _why_not_imported(path)):
            yield f"{path.name} of the pack cannot be imported: {why}. Next: correct it, then tritonpuzzles dev names"


def _why_not_imported(path: Path) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a file's own backslashes
            lines = ast.parse(path.read_bytes(), path.name).body
    except (SyntaxError, ValueError, OSError) as error:
        return str(error)
    named = [(one.name, line.lineno) for line in lines if isinstance(line, ast.Import) for one in line.names]
    named += [(str(line.module), line.lineno) for line in lines if isinstance(line, ast.ImportFrom) and not line.level]
    roots = ((name.partition(".")[0], line) for name, line in named)
    missing = next(((root, line) for root, line in roots if importlib.util.find_spec(root) is None), None)
    return missing and f"there is no module {missing[0]!r} (line {missing[1]})"


def load_curriculum() -> Curriculum:
    """Read every record of the pack that is open; raises RecordError for the first record that is not well formed."""
    folder = pack_folder()
    try:
        changed = (folder / PACK_FILE).stat().st_mtime_ns
    except OSError:
        changed = 0
    return _load(folder, changed)


@functools.cache
def _load(folder: Path, changed: int) -> Curriculum:
    """Read a pack; cached until its list of puzzles changes."""
    pack = read_pack(folder)
    puzzles = [
        load_puzzle(folder / "records" / f"{stem}.toml", folder / "hints" / f"{stem}.md", folder)
        for stem in pack.puzzles
    ]
    numbers, slugs = [str(puzzle.number) for puzzle in puzzles], [puzzle.slug for puzzle in puzzles]
    for what, used in (("number", numbers), ("name", slugs)):
        for one in used:
            if used.count(one) > 1:
                raise RecordError(f"{PACK_FILE}: two puzzles have the {what} {one}")
    return Curriculum(pack, tuple(puzzles))
