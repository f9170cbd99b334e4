"""Compare tools on bugs that others reported: one row a bug of tests/verify/bugs, as a Markdown table.

    python benchmarks/verify_bugs.py > table.md
    python benchmarks/verify_bugs.py --viz VENV                   # and triton-viz, of an environment that has it
    python benchmarks/verify_bugs.py apply_penalty matmul_edges

Every tool runs the cases of the file. Where `verify` finds the bug in a case that it makes itself, the other tools are
given such a case, too, so that they have the same chance; what takes more than 2^31 elements they cannot be given.
compute-sanitizer needs a GPU: its column is read from the record of `verify_gpu.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.verify.corpus import HOME, Example, examples  # noqa: E402

RECORD = ROOT / "benchmarks" / "records" / "verify_bugs_gpu.json"  # of `verify_gpu.py`
SECONDS = 120
TELLING = {  # a case that shows what the file's own cases do not
    "conv_gradient_layout": lambda: {"dy": torch.randn(37, 80)[:, :40], "weight": torch.randn(40, 4)},
    "layer_norm_strided": lambda: {
        "x": torch.randn(6, 200)[:, ::2],
        "weight": torch.randn(100),
        "bias": torch.randn(100),
    },
    "norm_row_blocks": lambda: {"x": torch.randn(50, 24), "weight": torch.randn(24)},
    "top_p_contiguous": lambda: {"logits": torch.randn(5, 200)[:, :100], "threshold": torch.randn(5)},
    "transpose_tiles": lambda: {"x": torch.randn(50, 70)},
    "variance_of_padding": lambda: {"x": torch.randn(8, 50) + 2, "weight": torch.randn(50), "bias": torch.randn(50)},
}
NO, OPEN = "no", "needs a GPU"
SAID = {"memcheck": "out of bounds", "initcheck": "uninitialised"}
ALARM = "Violation address"


@dataclass(frozen=True)
class Row:
    """What the tools said of one bug."""

    bug: Example
    ours: str
    line: str
    interpreter: str
    sanitizer: str
    on_gpu: str

    def text(self) -> str:
        """Return it as a row of the table."""
        cells = (self.bug.name, self.bug.reported, self.ours, self.line, self.interpreter, self.sanitizer, self.on_gpu)
        return f"| {' | '.join(cells)} |"


HEADER = """\
| bug | reported | verify | at its line | Triton's interpreter, allclose | triton-viz's sanitizer | compute-sanitizer |
|---|---|---|---|---|---|---|"""


def run_cases(place: str) -> None:
    """In a child: run the cases of "bugs/name" as a program would, compare the values, and print what came out."""
    bug = Example(HOME / f"{place}.py")
    name = bug.name
    cases = bug.cases() + ([TELLING[name]()] if name in TELLING else [])
    wrong = False
    for case in cases:
        copies = {key: value.clone() if isinstance(value, torch.Tensor) else value for key, value in case.items()}
        expected = bug.module.reference(**copies)
        returned = bug.module.run(**case)
        pairs = [(returned, expected)] if isinstance(returned, torch.Tensor) else zip(returned, expected, strict=True)
        wrong |= any(not torch.allclose(y, truth.to(y.dtype), 1e-2, 1e-2, equal_nan=True) for y, truth in pairs)
        wrong |= any(
            not torch.allclose(case[key], copies[key], equal_nan=True)
            for key in case
            if isinstance(case[key], torch.Tensor) and key not in getattr(bug.module, "OPTIONS", {}).get("mutates", ())
        )
    print("values are wrong" if wrong else "values are right")


def in_child(command: list[str], environment: dict[str, str]) -> str:
    """Return the output of a command, or that it took too long."""
    command = [*command, str(Path(__file__).resolve())]
    told = dict(os.environ, **environment)
    try:
        done = subprocess.run(command, env=told, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "not ended"
    return done.stdout + done.stderr + ("" if done.returncode >= 0 else f"\nended by signal {-done.returncode}")


def by_interpreter(bug: Example) -> str:
    """Run Triton's own interpreter."""
    output = in_child([sys.executable], {"TRITON_INTERPRET": "1", "VERIFY_BUG": f"bugs/{bug.name}"})
    if "values are right" in output:
        return NO
    if "values are wrong" in output:
        return "wrong values"
    last = output.strip().splitlines()[-1]
    return "stops: an assumption is false" if "AssertionError" in last else f"fails: {last[:60]}"


def by_sanitizer(bug: Example, environment: Path | None) -> str:
    """Run triton-viz's sanitizer; what it says of the right kernel, too, says nothing."""
    if environment is None:
        return "not run"
    output = in_child([str(environment / "bin" / "triton-sanitizer")], {"VERIFY_BUG": f"bugs/{bug.name}"})
    if ALARM in output:
        right = in_child([str(environment / "bin" / "triton-sanitizer")], {"VERIFY_BUG": f"right/{bug.name}"})
        return "fails: alarm at the right kernel, too" if ALARM in right else "out of bounds"
    if "values are" in output:
        return NO
    return f"fails: {output.strip().splitlines()[-1][:60]}"


def by_compute_sanitizer(bug: Example) -> str:
    """Return what the record of `verify_gpu.py` says; an alarm at the right kernel, too, says nothing."""
    if not RECORD.is_file():
        return OPEN
    files = json.loads(RECORD.read_text(encoding="utf-8"))["files"]
    here, right = (files[f"{folder}/{bug.name}"]["compute-sanitizer"] for folder in ("bugs", "right"))
    found = [SAID[tool] for tool, said in here.items() if said == "alarm" and right[tool] != "alarm"]
    return ", ".join(found) or NO


def by_us(bug: Example) -> tuple[str, str]:
    """Run `verify`; return the code that it names, and whether at the line of the mistake."""
    told = bug.told(bug.verified())
    at_line = [finding for finding in told if finding.line in bug.lines]
    first = (at_line or told or [None])[0]
    return (NO, NO) if first is None else (first.code, "yes" if at_line else NO)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--viz", type=Path, metavar="VENV", help="an environment with triton-viz and PyTorch")
    options = parser.parse_args()
    bugs = [bug for bug in examples("bugs") if not options.names or bug.name in options.names]
    print(HEADER)
    rows = []
    for bug in bugs:
        rows.append(
            Row(bug, *by_us(bug), by_interpreter(bug), by_sanitizer(bug, options.viz), by_compute_sanitizer(bug))
        )
        print(rows[-1].text(), flush=True)
    found = [sum(cell not in (NO, "not run") and "fails" not in cell for cell in cells) for cells in (
        [row.ours for row in rows], [row.line for row in rows], [row.interpreter for row in rows],
        [row.sanitizer for row in rows], [row.on_gpu for row in rows],
    )]  # fmt: skip
    print(f"| of {len(rows)} | | {found[0]} | {found[1]} | {found[2]} | {found[3]} | {found[4]} |")


if __name__ == "__main__":
    if name := os.environ.get("VERIFY_BUG"):
        run_cases(name)
    else:
        main()
