"""The text of a new puzzle's files: a kernel that doubles every element. `<slug>` and its like are filled in."""

from __future__ import annotations

TODO = "TODO(author)"  # `dev check` says where it still stands

PACK = """# A pack of puzzles. `tritonpuzzles docs packs` says what may stand here and in a record.
format = <format>
title = "<title>"
puzzles = ["<stem>"]

# What `dev check` asks of each puzzle; without this table, 15 wrong and 6 right kernels.
[demands]
wrong = 1
right = 1
"""

ANSWERS = '''"""What is right: references in PyTorch, called with float64 copies of the exact inputs."""

from __future__ import annotations

from torch import Tensor


def doubled(x: Tensor) -> Tensor:
    """Return 2 x, for x of any shape."""
    return 2 * x
'''

RECORD = """# <title>: what the grader asks. Shapes are drawn anew from the seed of each run. <todo>: all of it.
# `tritonpuzzles docs packs` says what each key means, `tritonpuzzles dev names` which names there are.
number = <number>
slug = "<slug>"
title = "<title>"
idea = "twice every element"
host = "<slug>"
dims = ["n_rows", "n_cols"]
reference = "answers:doubled"

[[arguments]]
name = "x"

[[outputs]]
name = "y"
tolerance = "exact"

[limits]
loads = { x = 1, y = 0 }
stores = { y = 1, x = 0 }
tile = 4096

[[cases]]
name = "ordinary numbers"
why = "The case that every kernel is written for."
family = "normal"
shape = ["between(3, 9)", "prime(500, 900)"]

[[cases]]
name = "float16"
why = "Half precision in and out."
family = "normal"
shape = ["between(3, 9)", "prime(500, 900)"]
dtype = "float16"

[[cases]]
name = "one row"
why = "A matrix of a single row."
family = "normal"
shape = [1, "prime(100, 200)"]
kept_for = "A grid that is right for many rows only."

[[cases]]
name = "nothing"
why = "No element, and no program to launch."
family = "normal"
shape = [0, 5]
kept_for = "A host function that divides by the number of rows."
"""

HINTS = """## Where to begin

<todo>: a nudge, one sentence, no code.

## How it is done

<todo>: the idea in words.

## Almost code

<todo>: nearly the lines.
"""

STORY = """# %% [markdown]
# # <number>. <title>
#
# <todo>: the story, 60 words and more: what is new, what one may keep from the puzzle before, the traffic to reach.
# This puzzle doubles every element of a matrix. One program takes a tile of the elements, which lie one after the
# other in memory; lanes past the last element are masked, so that nothing outside of the tensor is touched. A tile
# has a power of two of elements, a matrix seldom does.
#
# **Traffic to reach:** reads $MN$, writes $MN$.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor) -> torch.Tensor:
    \"\"\"Return 2 x; x: (n_rows, n_cols).\"\"\"
    return 2 * x


# %%
@triton.jit
def <slug>_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols)
    n_elements,  # of both
    BLOCK_SIZE: tl.constexpr,  # elements of a tile
):
    \"\"\"Write twice the elements of one tile.\"\"\"
"""
LEARNERS_PART = "    # TODO: load a tile, double it, store it (about 4 lines)\n"
WRITTEN_PART = """    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, 2 * x, mask=mask)
"""
HOST = """

# %%
def <slug>(x: torch.Tensor) -> torch.Tensor:
    \"\"\"Return 2 x; x: (n_rows, n_cols) contiguous.\"\"\"
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    <slug>_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK_SIZE=256)
    return y
"""
STUB = STORY + LEARNERS_PART + HOST
SOLUTION = STORY + WRITTEN_PART + HOST


def _kernel(docstring: str, body: str) -> str:
    """Return a whole file of the corpus: the solution without its story, with another docstring."""
    imports = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
    code = body.partition("# %%\n@triton.jit")[2]
    return f'"""{docstring}"""\n\n{imports}@triton.jit{code}'


WRONG = _kernel(
    "The last, partial tile is left out: the grid is rounded down.\n\nCode: unwritten-elements\n",
    SOLUTION.replace("triton.cdiv(x.numel(), 256)", "max(1, x.numel() // 256)").replace("\n# %%\ndef", "\ndef"),
)
RIGHT = _kernel("Larger tiles.\n", SOLUTION.replace("256", "1024").replace("\n# %%\ndef", "\ndef"))
