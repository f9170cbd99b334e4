"""The files of the corpus, and what each says of itself in its docstring.

hostile/<stem>/*.py    one sentence of what the file tries, then the verdicts that are right for it
honest/<stem>/*.py     right kernels in odd styles

The verdicts stand in a line `Must: fail torch-compute | error`: alternatives, each a verdict and the codes of which one
must be reported, if any are named. `gone` is for a program that was ended from outside and left no report.
A file whose name begins with `_` is a module that another one imports.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
VERDICTS = frozenset({"pass", "fail", "error", "gone"})


@dataclass(frozen=True)
class Acceptable:
    """One verdict that is right for a file, with the codes of which one must be among the findings; any, if empty."""

    verdict: str
    codes: frozenset[str] = frozenset()

    def holds(self, verdict: str, codes: frozenset[str]) -> bool:
        """Return whether this is what was reported."""
        return verdict == self.verdict and (not self.codes or bool(self.codes & codes))


@dataclass(frozen=True)
class Attack:
    """One file of the corpus.

    Attributes:
        path: the file.
        stem: of the puzzle that it is handed in for: "p01_softmax".
        tries: what it does, in one sentence.
        must: the verdicts that are right.
    """

    path: Path
    stem: str
    tries: str
    must: tuple[Acceptable, ...]

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @property
    def number(self) -> int:
        """Of the puzzle."""
        return int(self.stem[1:3])

    @property
    def honest(self) -> bool:
        """Whether it is a control: a right kernel that must pass."""
        return self.path.parent.parent.name == "honest"

    @property
    def demand(self) -> str:
        """The line `Must:` as it stands in the file, without its first word."""
        return " | ".join(" ".join((must.verdict, *sorted(must.codes))) for must in self.must)


def read_corpus(folder: Path = HERE) -> tuple[Attack, ...]:
    """Return every file below a folder, hostile ones first, in the order of puzzles and names.

    Raises:
        ValueError: if a file does not say what it tries or which verdicts are right.
    """
    paths = (path for kind in ("hostile", "honest") for path in sorted((folder / kind).glob("*/*.py")))
    return tuple(read_attack(path) for path in paths if not path.name.startswith("_"))


def read_attack(path: Path) -> Attack:
    """Return a file as its docstring describes it.

    Raises:
        ValueError: if the docstring lacks the sentence or the line `Must:`, or the line holds an unknown verdict.
    """
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    tries = " ".join(text.partition("\n\n")[0].split())
    demands = re.findall(r"^Must: (.+)$", text, re.MULTILINE)
    if not tries.endswith(".") or len(demands) != 1:
        raise ValueError(f"{path} needs a docstring with a sentence and one line `Must: ...`.")
    return Attack(path, path.parent.name, tries, tuple(_acceptable(path, part) for part in demands[0].split("|")))


def _acceptable(path: Path, part: str) -> Acceptable:
    verdict, *codes = part.split()
    if verdict not in VERDICTS:
        raise ValueError(f"{path}: there is no verdict {verdict!r}; use one of {', '.join(sorted(VERDICTS))}.")
    return Acceptable(verdict, frozenset(codes))
