"""What the mistakes of products with gradients share: where they are kept, and the lines that they stand in."""

from __future__ import annotations

from tritonpuzzles.curriculum.mistakes import Mistakes
from tritonpuzzles.curriculum.mistakes.matmul.common import seen_of

MISTAKES = Mistakes(seen_of)

BACK_A, BACK_B = r"\bd(a|x)\w*\s*=(?!.*(empty|zeros|None))", r"\bd(b|y)\w*\s*=(?!.*(empty|zeros|None))"
CALL = r"^\s*(\w+\s*=\s*)?\w+\(.*\bg\b"  # a launch with g in it, by way of a function of the file's
RETURN = r"^\s*return\b.*,"
SAVE = r"save_for_backward|ctx\.\w+\s*="
