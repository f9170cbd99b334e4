"""Make the trial's class of 40 anew: 118 files as students hand them in, and the verdict that is right for each.

python -m tests.classroom.trial_class OUT --layout folders|zip|canvas|moodle|gradescope|nbgrader|github [--seed 1]

OUT gets `handed_in` (or `handed_in.zip`), `class.toml`, `roster.csv` and `expected.csv`. The same seed gives the same
files, byte for byte and with the same times.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from tests.classroom import trial_texts as texts
from tests.classroom.trial_texts import STEMS

PUZZLES = range(6)
BEGIN = datetime(2026, 11, 20, 9, 0, tzinfo=timezone.utc)
DUE = datetime(2026, 11, 24, 23, 0, tzinfo=timezone.utc)
LATE_EVERY = 9  # of the students one in so many is two days late
MISSING, UNTAKEN = "missing", "untaken"
NAMES = """\
Lovelace, Ada|Turing, Alan|Hopper, Grace|Noether, Emmy|Müller, Jürgen|Nguyễn, Thị Hà|O'Brien, Sean|van der Berg, Jan
Kovalevskaya, Sofya|Ramanujan, Srinivasa|Hamilton, Margaret|Dijkstra, Edsger|Liskov, Barbara|Knuth, Donald|Perlis, Alan
Lamport, Leslie|Goldwasser, Shafi|Rivest, Ron|Hoare, Tony|Backus, John|Allen, Frances|Floyd, Robert|Karp, Richard
Blum, Manuel|Cook, Stephen|Yao, Andrew|Milner, Robin|Naur, Peter|Wilkes, Maurice|Hamming, Richard|Minsky, Marvin
Bachman, Charles|Newell, Allen|Rabin, Michael|Scott, Dana|Codd, Edgar|Wirth, Niklaus|Kahan, William|=1+1, <b>Bobby</b>
Sutherland, Ivan"""


@dataclass(frozen=True)
class Student:
    """One of the 40: the id is as Canvas makes it of the name."""

    last: str
    first: str
    number: int

    @property
    def id(self) -> str:
        return "".join(filter(str.isalnum, f"{self.last}{self.first}".casefold()))

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def is_late(self) -> bool:
        return self.number % LATE_EVERY == LATE_EVERY - 1

    @property
    def handed_in(self) -> datetime:
        late = DUE + timedelta(days=1, hours=2) - BEGIN if self.is_late else timedelta()
        return BEGIN + late + timedelta(minutes=7 * self.number)


@dataclass(frozen=True)
class File:
    """One file: as its student calls it, and when it was saved."""

    student: Student
    name: str
    data: bytes
    saved: datetime


@dataclass
class Trial:
    """The class.

    Attributes:
        expected: verdict by the student's id and the puzzle; `MISSING` where there is no file, `UNTAKEN` where it
            cannot be graded.
    """

    students: list[Student]
    files: list[File] = field(default_factory=list)
    expected: dict[tuple[str, int], str] = field(default_factory=dict)

    def add(self, student: Student, name: str, data: str | bytes, **verdicts: str) -> None:
        """Hand a file in; verdicts by puzzle: `p3="pass"`."""
        count = sum(one.student is student for one in self.files)
        saved = student.handed_in + timedelta(minutes=count)
        content = data if isinstance(data, bytes) else data.encode()
        self.files.append(File(student, name, content, saved))
        self.expected |= {(student.id, int(puzzle[1:])): verdict for puzzle, verdict in verdicts.items()}


def students() -> list[Student]:
    names = NAMES.replace("\n", "|").split("|")
    return [Student(*name.split(", "), number) for number, name in enumerate(names)]  # type: ignore[arg-type]


def trial_class(seed: int = 1) -> Trial:
    """Return the class that a seed makes."""
    trial, rng = Trial(students()), random.Random(seed)
    trial.expected = {(student.id, number): MISSING for student in trial.students for number in PUZZLES}
    for student in trial.students[:26]:
        wrong = 0.2 if student.number < 14 else 0.5
        numbers = rng.sample(range(5), 4 if student.number < 14 else 3)
        if student.number % 6 == 0:
            numbers[-1] = 5
        for number in sorted(numbers):
            is_wrong = rng.random() < wrong
            text = texts.wrong(number, rng) if is_wrong else texts.right(number, rng)
            trial.add(student, f"{STEMS[number]}.py", text, **{f"p{number}": "fail" if is_wrong else "pass"})
    for student, special in zip(trial.students[26:], SPECIAL, strict=False):
        for name, data, verdicts in special(rng):
            trial.add(student, name, data, **verdicts)
    return trial


Made = Iterator[tuple[str, str | bytes, dict[str, str]]]


def named(number: int, data: str | bytes, verdict: str) -> tuple[str, str | bytes, dict[str, str]]:
    return f"{STEMS[number]}.py", data, {f"p{number}": verdict}


def line_ends(rng: random.Random) -> Made:
    yield named(1, texts.solution(1).replace("\n", "\r\n"), "pass")
    yield named(0, b"\xef\xbb\xbf" + texts.renamed(0, rng).encode(), "pass")


def downloaded_twice(rng: random.Random) -> Made:
    yield named(3, texts.wrong(3, rng), "fail")
    yield f"{STEMS[3]} (1).py", texts.renamed(3, rng), {"p3": "pass"}


def own_names(rng: random.Random) -> Made:
    yield "My Online-Softmax final.py", texts.solution(3), {"p3": "pass"}
    yield "homework.py", texts.solution(5), {"p5": "pass"}


def in_a_notebook(rng: random.Random) -> Made:
    yield (
        "homework.ipynb",
        texts.notebook({1: texts.solution(1), 2: texts.renamed(2, rng)}),
        {"p1": "pass", "p2": "pass"},
    )
    yield named(0, texts.wrong(0, rng), "fail")


def broken_notebook(rng: random.Random) -> Made:
    yield f"{STEMS[2]}.ipynb", texts.notebook({2: texts.solution(2)})[:-40], {"p2": UNTAKEN}
    yield named(0, texts.right(0, rng), "pass")


def nothing_written(rng: random.Random) -> Made:
    yield named(3, texts.stub(3), "unsolved")
    yield named(1, b"", "error")


def no_python(rng: random.Random) -> Made:
    yield named(1, texts.solution(1).replace("row = tl", "row == = tl"), "error")
    yield named(0, texts.solution(0).replace("\n", "\n\0\n", 3), "error")


def endless(rng: random.Random) -> Made:
    yield named(1, texts.before(1, "while True:\n    pass"), "error")
    yield named(2, texts.in_host(2, texts.LOOP), "error")


def endless_kernel(rng: random.Random) -> Made:
    yield named(2, texts.in_kernel(2, texts.LOOP), "error")
    yield named(0, texts.solution(0).replace("# %%\nimport", "# ä\n# %%\nimport").encode("latin-1", "replace"), "error")


def reaches_out(rng: random.Random) -> Made:
    yield named(
        1, texts.before(1, texts.SHELL), "pass"
    )  # the shell is refused and the file goes on; a note, no verdict
    yield named(0, texts.before(0, texts.SOCKET), "error")


def attacks_the_next(rng: random.Random) -> Made:
    yield named(1, texts.before(1, texts.OVERWRITES), "pass")
    yield named(0, texts.before(0, texts.READS), "pass")


def no_host_function(rng: random.Random) -> Made:
    yield named(3, texts.solution(3).replace("def softmax(", "def my_softmax("), "error")
    yield named(0, "raise SystemExit(0)\n" + texts.solution(0), "error")


def too_large(rng: random.Random) -> Made:
    yield named(0, texts.solution(0) + "# padding\n" * (1 << 19), UNTAKEN)
    yield f"{STEMS[1]}.ipynb", texts.notebook({1: texts.wrong(1, rng)}), {"p1": "fail"}


SPECIAL = (
    line_ends, downloaded_twice, own_names, in_a_notebook, broken_notebook, nothing_written, no_python, endless,
    endless_kernel, reaches_out, attacks_the_next, no_host_function, too_large,
)  # fmt: skip  # the last student hands nothing in


def write_class(trial: Trial, out: Path, layout: str) -> Path:
    """Write a class with its settings into a folder, and return what a person names to `class grade`."""
    from tests.classroom.trial_layouts import LAYOUTS

    out.mkdir(parents=True, exist_ok=True)
    puzzles = "".join(f"\n[[puzzles]]\nname = {number}\npoints = {number + 1}\n" for number in PUZZLES)
    head = f'title = "The trial\'s class"\nseed = 1\nroster = "roster.csv"\ndue = {DUE:%Y-%m-%dT%H:%M:%SZ}\n'
    (out / "class.toml").write_text(f"{head}late = {{ percent_a_day = 10, days = 5 }}\n{puzzles}", encoding="utf-8")
    _write_table(out / "roster.csv", [("id", "name"), *((one.id, one.name) for one in trial.students)])
    rows = [(student, str(number), verdict) for (student, number), verdict in trial.expected.items()]
    _write_table(out / "expected.csv", [("student", "puzzle", "verdict"), *rows])
    return LAYOUTS[layout](trial, out)


def _write_table(path: Path, rows: list[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the trial's class anew.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--layout", default="folders")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    trial = trial_class(asked.seed)
    print(f"{len(trial.students)} students, {len(trial.files)} files: {write_class(trial, asked.out, asked.layout)}")


if __name__ == "__main__":
    main()
