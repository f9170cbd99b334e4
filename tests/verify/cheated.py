"""Verify one cheat, in this process: `python -m tests.verify.cheated NAME record|eager`; prints a JSON object.

A cheat says in its docstring what is expected:

    Expected: rejected as CODE or CODE | has no effect | not stopped      as FILE:FUNCTION, in a process of its own
    Eager: the same                                                       as a function, in this process
    Shape: 3x4096                                                         of x, where it is not 5x70
    Mutates: x                                                            what the call says that it changes
"""

from __future__ import annotations

import ast
import importlib
import json
import random
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "cheats"


@dataclass(frozen=True)
class Cheat:
    """One file.

    Attributes:
        tries: what it does, in one sentence.
        lines: of its docstring, by their first word.
    """

    name: str
    tries: str
    lines: dict[str, str] = field(default_factory=dict)

    def demand(self, host: str) -> str | None:
        """Return what is expected with a host; `None` where it is not tried."""
        return self.lines.get("Expected" if host == "record" else "Eager")

    def problem(self, host: str, verdict: str, codes: list[str]) -> str:
        """Return what is not as expected, in words; nothing if all is."""
        demand = self.demand(host) or ""
        if demand in ("has no effect", "not stopped"):
            return "" if verdict == "pass" and not codes else f"It is rejected ({', '.join(codes)})."
        known = demand.removeprefix("rejected as ").split(" or ")
        if verdict == "pass":
            return "It passes."
        return "" if set(known) & set(codes) else f"{verdict} with {', '.join(codes)}, not {demand}."


def read_cheat(path: Path) -> Cheat:
    """Return a file as its docstring describes it.

    Raises:
        ValueError: if that lacks a sentence, where the cheat was published, or what is expected.
    """
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    tries, lines = text.partition("\n")[0], dict(re.findall(r"^([A-Z][a-z]+): (.+)$", text, re.MULTILINE))
    expected = [lines.get("Expected", "")] + [lines[name] for name in ("Eager",) if name in lines]
    form = re.compile(r"rejected as [a-z-]+( or [a-z-]+)*|has no effect|not stopped")
    if not (tries.endswith(".") and "Published" in lines and all(map(form.fullmatch, expected))):
        raise ValueError(f"{path.name} does not say what it tries, where that was published, and what is expected.")
    return Cheat(path.stem, tries, lines)


def read_cheats() -> tuple[Cheat, ...]:
    """Return all of them, by name; a file whose name begins with `_` is what others import."""
    return tuple(read_cheat(path) for path in sorted(HERE.glob("*.py")) if not path.name.startswith("_"))


def case_of(shape: str) -> dict[str, Any]:
    """Return the user's case: numbers of a seed that anybody can guess."""
    import torch

    if shape == "1x8 by random":
        rng = random.Random(0)
        return {"x": torch.tensor([[rng.gauss(0.0, 1.0) for _ in range(8)]])}
    torch.manual_seed(0)
    return {"x": torch.randn(*map(int, shape.split("x")))}


def main(name: str, host: str) -> None:
    """Verify a cheat and print verdict and codes."""
    import tritonpuzzles

    cheat = read_cheat(HERE / f"{name}.py")
    function: Any = f"{HERE / name}.py:softmax"
    sys.path.insert(0, str(HERE))
    if host == "eager":
        function = importlib.import_module(name).softmax
    cases, mutates = [case_of(cheat.lines.get("Shape", "5x70"))], tuple(cheat.lines.get("Mutates", "").split())
    reference = f"{HERE / '_reference.py'}:softmax"
    report = tritonpuzzles.verify(function, reference, cases, mutates=mutates, host=host, device="cpu", seed=1)
    (result,) = report.to_dict()["results"]
    codes = {severity: [] for severity in ("error", "warning", "note")}
    for finding in result["findings"]:
        codes[finding["severity"]].append(finding["code"])
    json.dump({"verdict": result["verdict"], "errors": codes["error"], "notes": codes["note"]}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
