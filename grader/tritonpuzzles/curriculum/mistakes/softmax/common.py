"""The registry of the softmax mistakes, and patterns of the lines that they stand in."""

from __future__ import annotations

from tritonpuzzles.curriculum.mistakes import Mistakes

MISTAKES = Mistakes()
SUM, MAX, EXP, STORE, LOAD = r"tl\.sum\(", r"tl\.max(imum)?\(", r"tl\.exp2?\(", r"tl\.store\(", r"tl\.load\("
DIVISION, LOOP = r"[^/]/[^/]", r"^\s*(for|while)\b"
