"""A puzzle's file in its two parts: the story, Markdown cells, and the code after it; and the story on a terminal.

The solve cell of a notebook contains all of the code: what a learner writes there is what the file contains.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.workspace.files import read_small

MARKDOWN_CELL = "# %% [markdown]"

_SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "epsilon": "ε", "sum": "∑", "prod": "∏", "max": "max", "min": "min",
    "exp": "exp", "log": "log", "infty": "∞", "cdot": "·", "times": "×", "le": "≤", "leq": "≤", "ge": "≥",
    "geq": "≥", "in": "∈", "to": "→", "rightarrow": "→", "leftarrow": "←", "longrightarrow": "→", "sqrt": "√",
    "top": "T", "ldots": "...", "dots": "...", "approx": "≈", "neq": "≠", "ne": "≠", "quad": "  ", "qquad": "    ",
    "odot": "⊙", "cup": "∪", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "mapsto": "↦", "pm": "±",
    "equiv": "≡", "left": "", "right": "", "big": "", "Big": "", "displaystyle": "", "limits": "",
}  # fmt: skip

_ESCAPED = {"\\{": "\ue000", "\\}": "\ue001", "\\_": "\ue002"}  # stand-ins while braces are resolved
CELL = "# %%"


def story(source: str) -> str:
    """Return the Markdown of the leading `# %% [markdown]` cells of a puzzle file, without their comment signs."""
    lines: list[str] = []
    in_story = False
    for line in source.splitlines():
        if line.startswith(CELL):
            in_story = line.startswith(MARKDOWN_CELL)
            if not in_story:
                break
        elif in_story:
            lines.append(re.sub(r"^# ?", "", line))
    return "\n".join(lines).strip()


def readable(markdown: str) -> str:
    """Return Markdown with its formulas as code: a terminal has no mathematics, and Markdown would eat the signs."""
    block = r"\$\$(.+?)\$\$"
    markdown = re.sub(block, lambda found: f"\n```text\n{plain_formula(found[1])}\n```\n", markdown, flags=re.DOTALL)
    return re.sub(r"(?<![\\$`])\$([^$`]+?)\$", lambda found: f"`{plain_formula(found[1])}`", markdown)


def plain_formula(formula: str) -> str:
    r"""Return a formula in plain letters: `e^{m - m'} \cdot l` becomes `e^(m - m') · l`."""
    text = re.sub(r"\\(?:begin|end)\{[a-z*]+\}", "", formula)
    text = re.sub(r"\\([a-zA-Z]+)", lambda found: _SYMBOLS.get(found[1], f"\\{found[1]}"), text)
    for escaped, stand_in in _ESCAPED.items():
        text = text.replace(escaped, stand_in)
    before = None
    while before != text:  # from the inside out
        before = text
        for pattern, replaced in _TAKING_BRACES:
            text = re.sub(pattern, replaced, text)
    text = text.replace("{", "").replace("}", "")
    text = re.sub(r"\\[,;:!> ]", " ", text.replace("\\\\", "\n").replace("&", " "))
    text = re.sub(r"\\([a-zA-Z]+)", r"\1", text)
    for escaped, stand_in in _ESCAPED.items():
        text = text.replace(stand_in, escaped[1:])
    text = re.sub(r"(?<=[(]) +| +(?=[),'])", "", text)
    return "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _bracketed(sign: str, inner: str) -> str:
    """Return a sign with its argument, in brackets where that is more than one word."""
    inner = inner.strip()
    return f"{sign}{inner}" if re.fullmatch(r"\w+'?", inner) else f"{sign}({inner})"


_TAKING_BRACES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"\\(?:text|mathrm|operatorname|mathbf|mathbb|texttt)\{([^{}]*)\}", lambda found: f" {found[1]} "),
    (r"([_^√])\{([^{}]*)\}", lambda found: _bracketed(found[1], found[2])),
    (r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", lambda found: f"{_bracketed('', found[1])} / {_bracketed('', found[2])}"),
    (r"\\tilde\{(\w)\}", lambda found: f"{found[1]}~"),
)


@dataclass(frozen=True)
class Source:
    """The two parts of a puzzle file; one after the other they are its text."""

    story: str  # the leading Markdown cells, as comments, with the `# %%` line that ends them; may be empty
    code: str  # the rest

    @property
    def text(self) -> str:
        return self.story + self.code

    def same_code(self, other: Source) -> bool:
        """Return whether the code is the same except for white space at its ends."""
        return self.code.strip() == other.code.strip()


def split(text: str) -> Source:
    """Split the text of a puzzle file.

    The story ends at the first line of code, even if the `# %%` line is missing: no code is ever part of it.
    """
    if not text.lstrip().startswith(MARKDOWN_CELL):
        return Source("", text)
    end = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.startswith("#"):
            return Source(text[:end], text[end:])
        end += len(line)
        if line.startswith(CELL) and not line.startswith(MARKDOWN_CELL):
            return Source(text[:end], text[end:])
    return Source(text, "")


def text_of(data: bytes) -> str:
    """Return the text of a file: what is not UTF-8 in it is replaced, line ends become those of Unix."""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def read_source(path: Path) -> Source:
    """Read and split a puzzle file, by `text_of`.

    Raises:
        OSError: if there is no such file, or it is too large for a puzzle's file.
    """
    return split(text_of(read_small(path)))
