"""What a report says first of the third pack's kernels: `python -m tests.packs.told` prints `told.toml` anew.

Whether that is true and leads to the mistake was read by people: `judged` is theirs, and kept where the rest is as
before.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.pack import open_pack
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.dev.proof import first_told
from tritonpuzzles.judge.options import CheckOptions

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACK = Path(__file__).resolve().parents[1] / "third_pack"
TABLE = Path(__file__).resolve().parent / "told.toml"


@dataclass(frozen=True)
class Told:
    """The first finding of a report.

    Attributes:
        code: of the finding.
        at: the text of the line that it names.
        proof: of what kind its proof is, where it has one.
    """

    code: str
    at: str
    proof: str


@dataclass(frozen=True)
class Read:
    """What is expected of a file.

    Attributes:
        told: its first finding.
        judged: "line" where that names the line of the mistake, "elsewhere" where it leads there from another line,
            "named" where it says without a line what is wrong, "vague" where it leaves the cause open.
    """

    told: Told
    judged: str


def puzzles() -> tuple[Puzzle, ...]:
    """Return the pack's."""
    open_pack(PACK)
    try:
        return load_curriculum().puzzles
    finally:
        open_pack(None)


def kernels(puzzle: Puzzle) -> list[Path]:
    """Return the wrong ones of a puzzle."""
    return sorted((PACK / "mutants" / puzzle.stem / "wrong").glob("*.py"))


def expected() -> dict[str, Read]:
    """Return what `told.toml` holds, by `puzzle/file`."""
    held = tomllib.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    return {name: Read(Told(one["code"], one["at"], one["proof"]), one["judged"]) for name, one in held.items()}


def name_of(path: Path) -> str:
    """Return by what name the table knows a file."""
    return f"{path.parents[1].name}/{path.stem}"


def told(puzzle: Puzzle, path: Path) -> Told:
    """Return what a report says first of a file."""
    one = first_told(puzzle, path, CheckOptions(device="cpu", seed=1, targets=()))
    return Told(one.code, one.at, one.proof)


def main() -> None:
    """Print a table for each file."""
    before = expected()
    for puzzle in puzzles():
        for path in kernels(puzzle):
            name, one = name_of(path), told(puzzle, path)
            known = before.get(name)
            judged = known.judged if known and known.told == one else "to be read"
            print(f'["{name}"]\ncode = "{one.code}"\nat = {one.at!r}')
            print(f'proof = "{one.proof}"\njudged = "{judged}"\n', flush=True)


if __name__ == "__main__":
    main()
