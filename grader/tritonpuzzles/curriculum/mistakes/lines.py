"""Regular expressions for the lines of a kernel that contain mistakes."""

ARANGE, DOT, LOAD, STORE = r"tl\.arange\(", r"tl\.dot\(", r"tl\.load\(", r"tl\.store\("
SUM, MAX, EXP, WHERE = r"tl\.sum\(", r"tl\.max(imum)?\(", r"tl\.exp2?\(", r"tl\.where\("
CHOICE, DIVISION, LOOP = r"tl\.(where|maximum|minimum)\(", r"[^/]/[^/]", r"^\s*(for|while)\b"
ACC, START = r"acc\w*\s*[*+]?=(?!.*tl\.(zeros|full)\()", r"acc\w*\s*=\s*tl\.(zeros|full)\("

STARTS = r"^\s*\w+\s*=(?!=)(?!.*(?:tl\.(?:load|where|max|maximum)\(|==)).*inf\b"  # of a maximum, at -inf

# Of attention.
KEYS, VALUES = r"\bk\w*\s*=\s*tl\.load\(", r"\bv\w*\s*=\s*tl\.load\("
WEIGHTS, FACTOR = r"^\s*p\s*=", r"alpha\w*\s*="

# Of matrix products.
LOAD_A, LOAD_B = r"\ba\w*\s*=\s*tl\.load\(", r"\bb\w*\s*=\s*tl\.load\("
MOVE_A, MOVE_B = r"\b(a_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)", r"\b(b_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)"
MOVE = r"\b([ab]_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)"
PID_M, PID_N = r"\bpid_m\w*\s*(,\s*\w+\s*)?=", r"\bpid_n\w*\s*="
BRANCH = r"(?i)^\s*if\b.*activation"
