"""The ladder: every puzzle at one size, in shares of what the hardware does, from naive PyTorch to tuned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from tritonpuzzles.front.bench.table import NONE, Column, machine, table
from tritonpuzzles.front.report.style import Lines, View, indented
from tritonpuzzles.front.text import dimensions, one_line, percent, significant
from tritonpuzzles.sweeping import Contender, Sweep

PYTORCH = {"torch.softmax": "PyTorch", "FlashAttention-2": "PyTorch"}
WHOLE = "Hardware: a copy of the same size (GB/s), or a large matrix product (TFLOP/s)."
ORDER = ("naive torch", "PyTorch", "cuDNN", "solution", "tuned")


@dataclass(frozen=True)
class Rung:
    """One puzzle at one size.

    Attributes:
        name: `p03 4096 x 131072`.
        whole: what 100 % are: `4,240 GB/s`.
        shares: contender -> share, naive PyTorch first, the learner's file last.
    """

    name: str
    whole: str
    shares: dict[str, float]


def rung_of(sweep: Sweep) -> Rung | None:
    """Return the rung of a sweep's largest size; `None` where the hardware's rate is not known."""
    index = len(sweep.points) - 1
    ceiling = sweep.ceiling_at(index)
    if ceiling is None:
        return None
    speeds = {_common(found): found.speeds[index] for found in sweep.contenders}
    rates = {name: speed.rate for name, speed in speeds.items() if speed.counted and speed.rate is not None}
    shares = {name: rates[name] / ceiling for name in sorted(rates, key=_rank)}
    name = f"p{sweep.puzzle:02d} {dimensions(sweep.points[index].shape)}"
    return Rung(name, f"{significant(ceiling)} {sweep.unit}", shares)


def _common(contender: Contender) -> str:
    """Return a name that puzzles share: PyTorch's own fast kernel is `PyTorch` in each."""
    return PYTORCH.get(contender.name, one_line(contender.name))


def _rank(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)


def rungs_of(sweeps: Sequence[Sweep]) -> list[Rung]:
    """Return the rungs of several puzzles, in order."""
    return [rung for sweep in sweeps if (rung := rung_of(sweep)) is not None]


def names_of(rungs: Sequence[Rung]) -> list[str]:
    """Return every contender of a ladder once: naive PyTorch first, files of other names last."""
    seen = dict.fromkeys(name for rung in rungs for name in rung.shares)
    return sorted(seen, key=_rank)


def ladder_lines(sweeps: Sequence[Sweep], view: View) -> Lines:
    """Return the ladder: every puzzle in shares of what the hardware does, from naive PyTorch to tuned."""
    rungs = rungs_of(sweeps)
    names = names_of(rungs)
    made = [Column("", tuple(rung.name for rung in rungs), "bold")]
    made += [Column(name, tuple(_share(rung.shares.get(name)) for rung in rungs)) for name in names]
    made.append(Column("hardware", tuple(rung.whole for rung in rungs), "dim"))
    title = Text.assemble(("From naive to tuned", "bold"), "  share of what the hardware does")
    head: Lines = [title, *(indented(Text(machine(sweep), style="dim")) for sweep in sweeps[:1]), Text()]
    return [*head, *table(made, view), Text(), Text(WHOLE)]


def _share(share: float | None) -> str:
    return NONE if share is None else percent(share)
