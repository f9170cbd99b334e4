"""The puzzles of a curriculum, in order, and the names under which a user may select them."""

from __future__ import annotations

import functools
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
