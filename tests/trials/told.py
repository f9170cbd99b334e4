"""What a report says first of the kernels of this folder: `python -m tests.trials.told` prints `told.toml` anew."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.dev.proof import first_told
from tritonpuzzles.judge.options import CheckOptions

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HOME = Path(__file__).resolve().parent
QUICK = CheckOptions(device="cpu", seed=1, timeout=120.0)  # a slow machine runs as many cases


@dataclass(frozen=True)
class Told:
    """The first finding of a report.

    Attributes:
        puzzle: its number.
        file: below this folder.
        code: of the finding.
        at: the text of the line that it names.
    """

    puzzle: int
    file: str
    code: str
    at: str


def expected() -> list[Told]:
    """Return what `told.toml` holds, file by file."""
    held = tomllib.loads((HOME / "told.toml").read_text(encoding="utf-8"))
    return [Told(int(file[1:3]), file, one["code"], one["at"]) for file, one in sorted(held.items())]


def told(number: int, path: Path) -> Told:
    """Return what a report says first of a file."""
    one = first_told(load_curriculum().find(str(number)), path, QUICK)
    return Told(number, path.relative_to(HOME).as_posix(), one.code, one.at)


def main() -> None:
    """Print a table for each file."""
    for path in sorted(HOME.glob("p*/*.py")):
        one = told(int(path.parent.name[1:3]), path)
        print(f'["{one.file}"]\ncode = "{one.code}"\nat = {one.at!r}\n', flush=True)


if __name__ == "__main__":
    main()
