"""A class of 40 students and 6 puzzles as a run leaves it, made by hand: several are hostile in names and texts."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.classroom.model import (
    Assigned,
    ClassSettings,
    Intake,
    Late,
    Outcome,
    Student,
    Submitted,
    Told,
    Untaken,
)

PUZZLES = load_curriculum().puzzles[:6]
DUE = datetime(2026, 11, 20, 23, 59, tzinfo=timezone.utc)
MARKUP = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
HOSTILE = (
    MARKUP,
    '=HYPERLINK("http://example.org/?"&A1,"click")',
    "../../etc/passwd",
    "\x1b[31mred\x07\r\n\t-2+3",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "‮gnp.exe  ﷽" + "x" * 200,
    "\udcff\x00\ufffe]]>",
)
_FIRST = ("Ada", "Alan", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Kurt", "Emmy", "John", "Karen")
_LAST = ("Lovelace", "Turing", "Hopper", "Dijkstra", "Liskov", "Knuth", "Allen", "Gödel", "Noether", "Backus", "Jones",
         "Thompson", "Lamport")  # fmt: skip


def roster() -> tuple[Student, ...]:
    """Return 33 plain students, and 7 who are not."""
    names = [f"{_FIRST[n % len(_FIRST)]} {_LAST[n % len(_LAST)]}" for n in range(33)]
    plain = [Student(f"{name.split()[1].lower()}{n}", name) for n, name in enumerate(names)]
    return (*plain, *(Student(text, text) for text in HOSTILE))


def settings(**more: object) -> ClassSettings:
    """Return six puzzles, 5 points each and 10 for the last, due on one day, 20 % off a day."""
    assigned = tuple(Assigned(one, 10.0 if one.number == 5 else 5.0, DUE) for one in PUZZLES)
    fields = {"title": "GPU programming, homework 3", "assigned": assigned, "roster": roster(), "seed": 41}
    return ClassSettings(**{**fields, "late": Late(20.0, 3), **more})


def told(code: str, message: str, line: int | None = None, case: str | None = None, step: str | None = None) -> Told:
    return Told(code, "error", message, line, case, step)


SLIPS = {
    0: [
        told("unwritten-elements", "z has 781 elements; 13 of them are never written, from element 768 on.", 63,
             "781 elements", "Round the grid up: triton.cdiv(n_elements, BLOCK_SIZE)."),
        told("out-of-bounds-load", "x_ptr: 243 lanes read past its last element, 780.", 58, None,
             "Give the load a mask: mask=offsets < n_elements."),
    ],
    1: [
        told("max-not-subtracted", "exp gets the inputs themselves and overflows from 89 on: 12 of 33 rows are NaN.",
             70, "far above zero", "Subtract tl.max(x, axis=0) before tl.exp."),
        told("low-precision", "Right in float32, wrong in 16 bits: a step between load and store is computed in the "
             "inputs' dtype.", 68, "bfloat16", "Compute in float32 to the end, and let the store round, once."),
    ],
    2: [told("too-many-loads", "x_ptr is read 4.00 times its size, and the puzzle allows 3.", 74, None,
             "Keep the maximum of the first pass.")],
    3: [
        told("sum-not-rescaled", "l is not rescaled when the running maximum grows: l is 1.03 times too large from "
             "iteration 3 on (row 0).", 78, "late maximum", "Multiply l by tl.exp(m - m_new) before you add."),
        told("nan-from-infinities", "The first tile holds -inf alone, and m - m_new is NaN: 4 rows are lost.", 75,
             "hidden start", "Start m at a finite number."),
    ],
    4: [told("tile-too-large", "A tile has 65,536 elements, and the puzzle allows 4,096.", 82)],
    5: [told("compile-error", "attention_kernel does not compile: l is a float32 scalar before the loop and a float32 "
             "tile of 64 in it.\n 91 │     l = l * alpha + tl.sum(p, axis=1)\n    │     ^", 91, None,
             "Start l as tl.zeros((BLOCK_M,), dtype=tl.float32).")],
}  # fmt: skip


def outcome(student: str, puzzle: Puzzle, verdict: str = "pass", **more: object) -> Outcome:
    """Return what is kept of one file; a failing one has the puzzle's first slip unless findings are given."""
    if verdict == "fail" and "findings" not in more:
        more["findings"] = (SLIPS[puzzle.number][0],)
    fields = {
        "key": f"{student}/{puzzle.number}",
        "file": f"{student}/{puzzle.stem}.py",
        "sha256": "0" * 64,
        "how": "by its name",
        "cases": 41,
        "passed_cases": 41 if verdict == "pass" else 29,
        "loads": (("x_ptr", 2.0),),
        "seconds": 3.3,
        "handed_in": (DUE - timedelta(hours=5)).isoformat(),
        **more,
    }
    return Outcome(student=student, puzzle=puzzle.number, slug=puzzle.slug, verdict=verdict, **fields)


def a_class() -> tuple[ClassSettings, Intake, list[Outcome]]:
    """Return settings, intake and outcomes of the whole class, the same at every call."""
    rng = random.Random(41)
    found = [
        outcome(student.id, puzzle, **_drawn(rng, puzzle))
        for student in roster()
        for puzzle in PUZZLES
        if rng.random() < 0.93 - 0.07 * puzzle.number
    ]
    found.append(outcome("guest<b>", PUZZLES[0]))  # who is on no roster
    files = tuple(Submitted(one.student, PUZZLES[one.puzzle], Path("nowhere.py"), one.file, one.how) for one in found)
    untaken = (
        Untaken("", "notes.txt", "It belongs to no student."),
        Untaken(roster()[3].id, f"{roster()[3].id}/p05.ipynb", "It is not a notebook: no JSON.", PUZZLES[5]),
        Untaken(MARKUP, f"{MARKUP}/../x.py", f"Its name leads out of its folder. {MARKUP}"),
    )
    students = tuple(sorted({one.student for one in found}))
    return settings(), Intake("a folder for each student", files, untaken, students), found


def _drawn(rng: random.Random, puzzle: Puzzle) -> dict[str, object]:
    """Return a verdict and what goes with it."""
    late = {"handed_in": (DUE + timedelta(days=rng.choice([0, 0, 1, 4]), hours=rng.choice([-30, -2, 3]))).isoformat()}
    match rng.choices(["pass", "slip", "unsolved", "error", "infra", "hostile", "flag"], [60, 20, 4, 4, 3, 3, 4])[0]:
        case "slip":
            return {"verdict": "fail", "findings": (rng.choice(SLIPS[puzzle.number]),), **late}
        case "unsolved":
            findings = (told("nothing-written", "The stub: nothing is written yet."),)
            return {"verdict": "unsolved", "findings": findings, "passed_cases": 0, "loads": (), **late}
        case "error":
            text = "Importing the file takes longer than 20 s: line 3 is `while True: pass`."
            flags = (("ran-into-the-deadline", "Ran into the deadline of 20 s while it was imported."),)
            return {
                "verdict": "error",
                "findings": (told("timeout", text, 3),),
                "flags": flags,
                "cases": 0,
                "loads": (),
            }
        case "infra":
            return {"verdict": "infra_error", "findings": (told("grader-fault", "The judge has died."),), "cases": 0}
        case "hostile":
            finding = told("kernel-error", f"{MARKUP} \x1b[2J\x00 =1+1", 12, MARKUP, MARKUP)
            return {"verdict": "fail", "findings": (finding,), "notes": (MARKUP,), "flags": (("x", MARKUP),), **late}
        case "flag":
            words = "all 17 statements that the stub does not have are equal after renaming"
            return {"flags": (("like-the-solution", f"Like the shipped solution: {words}."),), **late}
    return late
