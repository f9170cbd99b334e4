"""Stories and hints on a terminal: formulas in plain letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonpuzzles.front.story import plain_formula, readable, story

ROOT = Path(__file__).parents[2]


def test_the_story_is_the_leading_markdown_cells() -> None:
    source = "# %% [markdown]\n# # Title\n#\n# a\n# %% [markdown]\n# b\n# %%\nx = 1\n# %% [markdown]\n# not this\n"
    assert story(source) == "# Title\n\na\nb"
    assert story("x = 1\n") == ""


@pytest.mark.parametrize(
    ("formula", "plain"),
    [
        (r"e^{m - m'} \cdot l", "e^(m - m') · l"),
        (r"e^{s - m_{new}}", "e^(s - m_new)"),
        (r"m' = \max(m, \max_{k \in \text{tile}} x_k)", "m' = max(m, max_(k ∈ tile) x_k)"),
        (r"\frac{Q K^T}{\sqrt{d}}", "(Q K^T) / (√d)"),
        (r"\begin{aligned} a &= b \\ c &\leftarrow d \end{aligned}", "a = b\nc ← d"),
        (r"(\text{BLOCK\_M}, \text{BLOCK\_N})", "(BLOCK_M, BLOCK_N)"),
        (r"\{1, \ldots, n\}", "{1, ..., n}"),
        (r"n = 16{,}384", "n = 16,384"),
        (r"\operatorname{rowmax} s \qquad\text{and}\qquad l", "rowmax s and l"),
        (r"\unknown x", "unknown x"),
    ],
)
def test_formulas(formula: str, plain: str) -> None:
    assert plain_formula(formula) == plain


def test_code_and_prices_are_left_alone() -> None:
    assert readable("`$x$` and \\$5") == "`$x$` and \\$5"
    assert readable("a $m_i$ b $$x^2$$") == "a `m_i` b \n```text\nx^2\n```\n"


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[2] / "puzzles").glob("*.py")), ids=lambda p: p.stem)
def test_no_latex_is_left_in_the_stories(path: Path) -> None:
    text = readable(story(path.read_text()))
    assert text
    assert not [word for word in ("\\frac", "\\text", "begin{", "aligned", "$$", "\\_", "qquad") if word in text]


@pytest.mark.parametrize(
    ("puzzle", "topics"),
    [
        (
            "p00_vector_add",
            [
                "add_kernel[grid](",
                "tl.program_id(0)",
                "*program*",
                "*pointer*",
                "*tile*",
                "*lane*",
                "*mask*",
                "There is no indexing",
                "tl.constexpr",
                "tl.int64",
            ],
        ),
        (
            "p01_softmax",
            [
                "*scalar*",
                "*tile*",
                "other=",
                ".to(tl.float32)",
                "`num_warps`",
                "BLOCK_SIZE // 512",
                "warp is 32 threads",
                "DRAM, the GPU's large memory",
            ],
        ),
        (
            "p02_blocked_softmax",
            ["registers, the", "so write 0.0", "tl.maximum(a, b)", "`num_warps`", "L2 cache, a fast memory"],
        ),
        (
            "p04_tiled_softmax",
            ["`&`", "`and`", "tl.full((BLOCK_ROWS,), value, tl.float32)", "broadcasting", "[:, None]"],
        ),
        (
            "p05_flash_attention",
            ["(M, K) by (K, N)", "tl.trans", "at least 16", ".to(v.dtype)", "TF32, with 11", "scratch"],
        ),
        (
            "p06_persistent_softmax",
            ["`tl.num_programs(0)`", "multi_processor_count", "65,536 registers", "`n_regs`", "*occupancy*"],
        ),
        (
            "p07_matmul",
            ["once for each *column* of tiles", "L2 cache", "*groups* of GROUP_M", "`key`", "constexpr", "two strides"],
        ),
        (
            "p08_matmul_autograd",
            [
                "`torch.autograd.Function`",
                "`ctx.needs_input_grad`",
                "`retain_graph=True`",
                "strides exchanged",
                "$dX = G",
            ],
        ),
    ],
)
def test_stories_explain_what_comes_up_first_in_them(puzzle: str, topics: list[str]) -> None:
    text = " ".join(story((ROOT / "puzzles" / f"{puzzle}.py").read_text()).split())
    assert [topic for topic in topics if topic not in text] == []


@pytest.mark.parametrize("path", sorted((ROOT / "puzzles").glob("*.py")), ids=lambda p: p.stem)
def test_stories_are_short(path: Path) -> None:
    words = [line for line in story(path.read_text()).splitlines() if not line.startswith("    ")]  # no pictures
    assert len(" ".join(words).split()) <= 550
