"""Make `benchmarks/RESULTS.md` and its plots from the records in `benchmarks/results/`.

    python benchmarks/page.py            # write
    python benchmarks/page.py --check    # exit 1 if what is written is not what the records say

Needs no GPU. A plot says in its last line which numbers, and which drawing code, it was made from: that is what
`--check` compares, as two versions of matplotlib do not draw the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sections import NAMES, Record, ladders, page, read_records

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "RESULTS.md"
RESULTS = ROOT / "benchmarks" / "results"
TITLES = {**NAMES, "attention": "FlashAttention"}
DRAWING = ROOT / "grader" / "tritonpuzzles" / "front" / "bench" / "plot.py"


def drawings(records: Sequence[Record]) -> dict[str, Any]:
    """Return what each plot shows, by file name: a title, and benches."""
    made = {f"{record.stem}.svg": (TITLES[record.kind], record.benches) for record in records}
    return {**made, **{f"{name}_ladder.svg": (None, benches) for name, benches in ladders(records).items()}}


def stamp(drawing: Any) -> str:
    """Return the last line of a plot: what it was made from."""
    made_from = hashlib.sha256(repr(drawing).encode() + DRAWING.read_bytes()).hexdigest()
    return f"<!-- made from {made_from[:32]} -->\n"


def draw(drawing: Any) -> str:
    """Return a plot as SVG."""
    from tritonpuzzles.front.bench.plot import ladder_figure, overview_figure
    from tritonpuzzles.front.pictures import to_svg

    title, benches = drawing
    figure = ladder_figure(benches) if title is None else overview_figure(benches, title)
    return f"{to_svg(figure).rstrip()}\n{stamp(drawing)}"


def out_of_date(records: Sequence[Record]) -> list[Path]:
    """Return what is not as the records say, plots of no record among it."""
    stale = [PAGE] if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page(records) else []
    wanted = {RESULTS / name: stamp(drawing) for name, drawing in drawings(records).items()}
    for path in sorted({*wanted, *RESULTS.glob("*.svg")}):
        if path not in wanted or not path.is_file() or not path.read_text(encoding="utf-8").endswith(wanted[path]):
            stale.append(path)
    return stale


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if something is out of date")
    check: bool = parser.parse_args().check
    records = read_records(RESULTS)
    if check:
        stale = out_of_date(records)
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: python benchmarks/page.py", file=sys.stderr)
        return int(bool(stale))
    PAGE.write_text(page(records), encoding="utf-8")
    for name, drawing in drawings(records).items():
        (RESULTS / name).write_text(draw(drawing), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
