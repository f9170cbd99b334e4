"""What the notebooks say around the puzzles, in Markdown."""

SETUP = """\
# Installs tritonpuzzles where it is missing, makes the folder with the puzzles where there is none, and goes there.
import importlib.util

if importlib.util.find_spec("tritonpuzzles") is None:
    %pip install -q "tritonpuzzles[plot]"
%reload_ext tritonpuzzles
%workspace"""

BADGE = """

[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]\
(https://colab.research.google.com/github/{repository}/blob/main/notebooks/{stem}.ipynb)"""

REFERENCE = """\
## What to compute

The definition in PyTorch, to play with. The check compares your kernel with it, computed in float64."""

SOLVE = """\
## Your kernel

Write the part marked `TODO`, then run the cell. It is the whole of `{file}` but for the story above: running it checks
the cell, in a process of its own, and writes that file. A kernel that crashes ends that process and not this notebook;
the stop button ends a check. What the file held before is put aside; `%tritonpuzzles restore {number}` brings it back.
What was edited elsewhere is not replaced unasked. `%puzzle {number}` brings the file's code into a cell."""

CHECK = """\
## Check again

Checks `{file}` as it is, with the cell's line numbers where it came from a cell. Each check draws new shapes and
numbers; `%check {number} --seed 1` always the same."""

TRACE = """\
## What your kernel reads and writes

How often each element is read and written, by which program and in which order, and what each line costs."""

BENCH = """\
## How fast it is

Needs an NVIDIA GPU. Times your kernel over a range of sizes, beside PyTorch and a plain copy."""

NEXT = "**Next:** [{following.number}. {following.title}]({following.stem}.ipynb)"

LAST = "That was the last puzzle. [Back to the start](00_start.ipynb)"

INTRO = """\
# Triton puzzles

Write GPU kernels in [Triton](https://triton-lang.org), from a naive softmax to FlashAttention-2. You need no GPU:
without one, your kernel runs in an interpreter that counts every byte it moves, and is compiled for GPUs that are not
there. With one, it also runs on it and is timed.

**How a puzzle's notebook works.** It tells a story, gives the definition in PyTorch, and has one cell that begins with
`%%puzzle`. Running that cell checks it, in a process of its own, and writes it to its file in `puzzles/`. A kernel that
crashes ends that process and not the notebook. A terminal works on the same files and keeps the same progress:
`tritonpuzzles check 3` there is `%check 3` here."""

PROBE = """\
## Does it work here?

This checks the solution of puzzle {number} on the CPU, and shows what a report looks like."""

PROGRESS = "Your progress, with links that also work where this notebook does not lie beside the others:"

MAGICS = """\
## What you can run in a cell

| | does |
|---|---|
| `%%puzzle 3` | checks the cell and writes it to the puzzle's file; `--replace` also over what was edited elsewhere |
| `%puzzle 3` | brings the file's code into the cell, after work in another editor |
| `%check 3` | checks the file; `--seed 1` always with the same shapes and numbers, `--solution` the shipped solution |
| `%hint 3` | shows the next of three hints |
| `%words mask` | explains a word of the stories and reports; without one, all of them |
| `%trace 3` | shows which program reads and writes which element, and what each line costs |
| `%bench 3` | times the kernel on a GPU |
| `%solution 3` | shows the solution, once you have passed, or with `--force` |
| `%workspace` | goes to the folder with `puzzles/`, and makes it where there is none |
| `%tritonpuzzles reset 3` | runs any command of the terminal: `reset`, `swap`, `restore`, `inspect`, `list`, `doctor` |

In Python, `tritonpuzzles.check(3)` returns the report, with `passed`, `findings` and `to_dict()`."""
