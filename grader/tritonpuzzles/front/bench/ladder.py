"""The ladder: every puzzle at one size, in shares of what the hardware does, from naive PyTorch to tuned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rich.text import Text

from tritonpuzzles.front.bench.table import NONE, Series, machine, table
from tritonpuzzles.front.page.model import Gap, Paragraph, Title, View
from tritonpuzzles.front.page.terminal import Lines, rendered
from tritonpuzzles.front.text import dimensions, one_line, percent, significant
from tritonpuzzles.results.bench import Bench, Contender

NAIVE, LIBRARY = "naive torch", "PyTorch"  # names that puzzles share
WHOLE = "Hardware: a copy of the same size (GB/s), or a large matrix product (TFLOP/s)."
FILES = ("solution", "tuned")
RUNGS = ("naive", "library", "best")


@dataclass(frozen=True)
class Rung:
    """One puzzle at one size."""

    name: str  # `p03 4096 x 131072`
    whole: str  # what 100 % are: `4,240 GB/s`
    shares: dict[str, float]  # contender -> share, naive PyTorch first, the learner's file last
    looks: dict[str, str]  # contender -> its place on the ladder, for PyTorch's own


def rungs_of(benches: Sequence[Bench]) -> list[Rung]:
    """Return the rungs of several puzzles, each of its largest size; none where the hardware's rate is not known."""
    rungs = []
    for bench in benches:
        ceiling = bench.ceiling_at(len(bench.points) - 1)
        if ceiling is None:
            continue
        speeds = {_common(found): found.speeds[len(bench.points) - 1] for found in bench.contenders}
        looks = {_common(found): found.rung for found in bench.contenders if found.rung is not None}
        rates = {name: speed.counted_rate for name, speed in speeds.items() if speed.counted_rate is not None}
        order = sorted(rates, key=partial(_rank, looks=looks))
        shares = {name: rates[name] / ceiling for name in order}
        name = f"p{bench.puzzle:02d} {dimensions(bench.points[-1].shape)}"
        rungs.append(Rung(name, f"{significant(ceiling)} {bench.unit}", shares, looks))
    return rungs


def _common(contender: Contender) -> str:
    """Return a name that puzzles share: PyTorch's own fast kernel is `PyTorch` in each."""
    return {"naive": NAIVE, "library": LIBRARY}.get(contender.rung or "", one_line(contender.name))


def _rank(name: str, looks: Mapping[str, str]) -> int:
    """Return where a contender stands: PyTorch's own from naive to best, the shipped files, any other."""
    order = (*RUNGS, *FILES)
    place = looks.get(name, name)
    return order.index(place) if place in order else len(order)


def names_of(rungs: Sequence[Rung]) -> list[str]:
    """Return every contender of a ladder once: naive PyTorch first, files of other names last."""
    seen = dict.fromkeys(name for rung in rungs for name in rung.shares)
    looks = {name: look for rung in rungs for name, look in rung.looks.items()}
    return sorted(seen, key=lambda name: _rank(name, looks))


def ladder_lines(benches: Sequence[Bench], view: View) -> Lines:
    """Return the ladder: every puzzle in shares of what the hardware does, from naive PyTorch to tuned."""
    rungs = rungs_of(benches)
    names = names_of(rungs)
    made = [Series("", tuple(rung.name for rung in rungs), "bold")]
    made += [Series(name, tuple(_share(rung.shares.get(name)) for rung in rungs)) for name in names]
    made.append(Series("hardware", tuple(rung.whole for rung in rungs), "dim"))
    title = Title(Text.assemble(("From naive to tuned", "bold"), "  share of what the hardware does"))
    about = [Paragraph(machine(bench), "dim") for bench in benches[:1]]
    return rendered([title, *about, Gap(), *table(made, view), Gap(), Paragraph(WHOLE, indent=0)], view)


def _share(share: float | None) -> str:
    return NONE if share is None else percent(share)
