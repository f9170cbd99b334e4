"""The story of a puzzle: the Markdown cells that its file begins with, and how they look on a terminal."""

from __future__ import annotations

import re

MARKDOWN_CELL = "# %% [markdown]"

_SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "epsilon": "ε", "sum": "∑", "prod": "∏", "max": "max", "min": "min",
    "exp": "exp", "log": "log", "infty": "∞", "cdot": "·", "times": "×", "le": "≤", "leq": "≤", "ge": "≥",
    "geq": "≥", "in": "∈", "to": "→", "rightarrow": "→", "leftarrow": "←", "sqrt": "√", "top": "T", "ldots": "...",
    "dots": "...", "approx": "≈", "neq": "≠", "ne": "≠", "quad": "  ", "qquad": "    ", "odot": "⊙", "cup": "∪",
    "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "mapsto": "↦", "pm": "±", "equiv": "≡",
    "left": "", "right": "", "big": "", "Big": "", "displaystyle": "", "limits": "",
}  # fmt: skip


def story(source: str) -> str:
    """Return the Markdown of the leading `# %% [markdown]` cells of a puzzle file, without their comment signs."""
    lines: list[str] = []
    in_story = False
    for line in source.splitlines():
        if line.startswith("# %%"):
            in_story = line.startswith(MARKDOWN_CELL)
            if not in_story:
                break
        elif in_story:
            lines.append(re.sub(r"^# ?", "", line))
    return "\n".join(lines).strip()


def readable(markdown: str) -> str:
    """Return Markdown with its formulas as code: a terminal has no mathematics, and Markdown would eat the signs."""
    markdown = re.sub(r"\$\$(.+?)\$\$", lambda found: _block(found[1]), markdown, flags=re.DOTALL)
    return re.sub(r"(?<![\\$`])\$([^$`]+?)\$", lambda found: f"`{plain_formula(found[1])}`", markdown)


def plain_formula(formula: str) -> str:
    r"""Return a formula in plain letters: `e^{m - m'} \cdot l` becomes `e^(m - m') · l`."""
    text = re.sub(r"\\(?:text|mathrm|operatorname|mathbf|mathbb)\{([^{}]*)\}", r" \1 ", formula)
    text = re.sub(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1) / (\2)", text)
    text = re.sub(r"\\tilde\s*\{?(\w)\}?", r"\1~", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda found: _SYMBOLS.get(found[1], found[1]), text)
    text = re.sub(r"([_^])\{([^{}]*)\}", _script, text)
    text = re.sub(r"\\[,;:!> ]", " ", text.replace("\\\\", "\n").replace("\\{", "⟨").replace("\\}", "⟩"))
    text = text.replace("{", "").replace("}", "").replace("&", "").replace("⟨", "{").replace("⟩", "}")
    return "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _script(found: re.Match[str]) -> str:
    """Return a sub- or superscript, in brackets where it is more than one word."""
    inner = found[2].strip()
    return f"{found[1]}{inner}" if re.fullmatch(r"\w+'?", inner) else f"{found[1]}({inner})"


def _block(formula: str) -> str:
    return f"\n```text\n{plain_formula(formula)}\n```\n"
