"""An author's slip in a copy of a pack, and what the program says of it."""

from __future__ import annotations

from pathlib import Path

from tests.front.conftest import environment
from tests.program import run_here

RECORD = "records/p01_square.toml"


def changed(path: Path, old: str, new: str) -> None:
    """Put one text in place of another, which must be there, once."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def said(pack: Path, *arguments: str) -> str:
    """Return what the program says, in one line, of a pack that it cannot read or use: exit code 3, no traceback."""
    asked = arguments or ("check", "1", "--solution", "--device", "cpu", "--seed", "1")
    done = run_here(("--pack", str(pack), *asked), pack, environment(TRITONPUZZLES_PACK=""))
    assert done.returncode == 3, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "The grader itself failed" not in done.stdout + done.stderr
    assert "The grader cannot work here" not in done.stderr
    words = " ".join(done.stderr.split())
    assert not {"?.", "..", ".:"} & {words[at : at + 2] for at in range(len(words))} or "..." in words, words
    return words
