"""The published ways to cheat a kernel benchmark are rejected by `verify`, or have no effect; what is not stopped is
written down.

Those of `IN_CI` run always; `pytest -m attacks tests/verify` runs the others. Each has a process of its own: some of
them spoil the one that imports them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.verify.cheated import HERE, Cheat, read_cheats

ROOT = Path(__file__).parents[2]
SECONDS = 300.0
CHEATS = read_cheats()
TRIED = [(cheat, host) for cheat in CHEATS for host in ("record", "eager") if cheat.demand(host)]
IN_CI = {
    ("cached_by_address", "eager"),
    ("forgotten_kernel", "eager"),
    ("learned_and_refuses", "record"),
    ("patched_comparison", "record"),
    ("patched_timers", "record"),
    ("stale_buffer", "record"),
}


def test_ci_knows_its_cheats() -> None:
    assert {(cheat.name, host) for cheat, host in TRIED} >= IN_CI


def test_what_is_not_stopped_is_written_down() -> None:
    _, _, told = (ROOT / "docs" / "security.md").read_text(encoding="utf-8").partition("## What `verify` stops")
    _, _, told = told.partition("### What is not stopped")
    got_through = {cheat.name for cheat, host in TRIED if cheat.demand(host) == "not stopped"}
    assert {name for name in got_through if f"`{name}.py`" in told} == got_through


def tried(name: str, host: str) -> tuple[str, list[str]]:
    """Verify a cheat in a process of its own; return the verdict and the codes of the errors."""
    command = [sys.executable, "-m", "tests.verify.cheated", name, host]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=True)
    told = json.loads(ran.stdout.splitlines()[-1])
    return told["verdict"], told["errors"]


def _parameters(in_ci: bool) -> list[object]:
    return [
        pytest.param(*one, id=f"{one[0].name}-{one[1]}") for one in TRIED if ((one[0].name, one[1]) in IN_CI) is in_ci
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("cheat", "host"), _parameters(in_ci=True))
def test_a_cheat_is_worth_nothing(cheat: Cheat, host: str) -> None:
    before = {path: path.read_bytes() for path in HERE.glob("*.py")}
    assert cheat.problem(host, *tried(cheat.name, host)) == ""
    assert {path: path.read_bytes() for path in HERE.glob("*.py")} == before


@pytest.mark.attacks
@pytest.mark.parametrize(("cheat", "host"), _parameters(in_ci=False))
def test_a_cheat_is_worth_nothing_either(cheat: Cheat, host: str) -> None:
    test_a_cheat_is_worth_nothing(cheat, host)
