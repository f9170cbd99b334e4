"""The attention mistakes, and the lines of a kernel that several of them may stand in."""

from tritonpuzzles.curriculum.mistakes import Mistakes

MISTAKES = Mistakes()
DOT, SUM, MAX, EXP = r"tl\.dot\(", r"tl\.sum\(", r"tl\.max(imum)?\(", r"tl\.exp2?\("
STORE, LOAD, WHERE = r"tl\.store\(", r"tl\.load\(", r"tl\.where\("
KEYS, VALUES = r"\bk\w*\s*=\s*tl\.load\(", r"\bv\w*\s*=\s*tl\.load\("
ACC, LOOP = r"acc\w*\s*[*+]?=(?!.*tl\.(zeros|full)\()", r"^\s*(for|while)\b"
WEIGHTS, FACTOR = r"^\s*p\s*=", r"alpha\w*\s*="
