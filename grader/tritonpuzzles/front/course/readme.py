"""The README.md that `init` writes for the learner."""

from __future__ import annotations

from tritonpuzzles.curriculum.registry import Curriculum

TEXT = """\
# {title}

1. `tritonpuzzles show {number}` tells the story of puzzle {number}; `tritonpuzzles list` says which one is next.
2. Write the part marked `TODO` in `puzzles/{stem}.py`.
3. `tritonpuzzles check {number}` says what is wrong, and on which line.
4. Stuck: `tritonpuzzles hint {number}`, three times. Solved: on to the next.

**Help.** `tritonpuzzles --help` lists every command, `tritonpuzzles check --help` explains one. If something does not
work, `tritonpuzzles doctor` looks for the cause and names the fix. You need no GPU.

**Nothing is lost.** What `reset`, `swap` and the notebooks replace is put aside: `tritonpuzzles restore` lists it and
brings it back.

**VS Code.** Open this folder: Ctrl+Shift+B checks the open file, and its findings stand at their lines. Or run the task
"tritonpuzzles: check each file that is saved".
{notebooks}
**A newer version.** After `pip install --upgrade tritonpuzzles`, `tritonpuzzles init --update` in this folder brings
what is new. What you have edited stays as it is.
"""
NOTEBOOKS = """
**Jupyter.** `pip install 'tritonpuzzles[notebook]'`, then `jupyter lab notebooks/00_start.ipynb`. Files and progress
are the same.
"""


def readme(curriculum: Curriculum, has_notebooks: bool) -> bytes:
    """Return the text for a curriculum: the loop, and where help is."""
    first = curriculum.puzzles[0]
    notebooks = NOTEBOOKS if has_notebooks else ""
    return TEXT.format(title=curriculum.pack.title, number=first.number, stem=first.stem, notebooks=notebooks).encode()
