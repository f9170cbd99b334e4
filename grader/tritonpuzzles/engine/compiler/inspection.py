"""The rows that `tritonpuzzles inspect` prints: one kernel variant on one target each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.engine.compiler.compile import compile_launch
from tritonpuzzles.engine.compiler.launch import Launch
from tritonpuzzles.engine.compiler.outcome import Resources
from tritonpuzzles.engine.compiler.several import distinct
from tritonpuzzles.engine.compiler.targets import Target
from tritonpuzzles.results import Finding


@dataclass(frozen=True)
class Row:
    """One kernel on one target.

    Attributes:
        kernel, target, gpu: names; `gpu` is an example of the target.
        ok: it compiles and can be launched there.
        resources: `None` where it does not compile.
        findings: of this kernel on this target.
        copy_share: of the copy bandwidth that it can reach, by the bytes that it moves; see `predicted_share`.
    """

    kernel: str
    target: str
    gpu: str
    ok: bool
    resources: Resources | None
    findings: tuple[Finding, ...]
    copy_share: float | None


def inspection(
    launches: Sequence[Launch],
    targets: Sequence[Target],
    cache: Path | None = None,
    *,
    minimum_bytes: int | None = None,
    ledger_bytes: int | None = None,
) -> list[Row]:
    """Compile and disassemble every distinct launch for every target.

    Args:
        launches: of one call of the host function.
        targets: see `TARGETS`.
        cache: folder where outcomes are kept.
        minimum_bytes: DRAM traffic of the puzzle at its least, over one call of the host function.
        ledger_bytes: what the ledger counted over such a call.
    """
    share = predicted_share(minimum_bytes, ledger_bytes)
    return [
        _row(launch, target, cache, share)
        for launch in (distinct(launches, targets[0]) if targets else ())
        for target in targets
    ]


def _row(launch: Launch, target: Target, cache: Path | None, share: float | None) -> Row:
    outcome = compile_launch(launch, target, cache, resources=True)
    result = outcome.result
    return Row(result.kernel, target.name, target.gpu, result.ok, outcome.resources, outcome.findings, share)


def predicted_share(minimum_bytes: int | None, ledger_bytes: int | None) -> float | None:
    """Return the share of copy bandwidth that the traffic allows, at most 1; `None` where a number is missing or 0.

    A kernel that is bound by DRAM takes the time of its bytes. One that reads twice and writes once where a read and
    a write would do (3 to 2) can reach 2/3 of copy; past the L2 cache, kernels reach 95 to 99 % of that.
    """
    if not minimum_bytes or not ledger_bytes:
        return None
    return min(1.0, minimum_bytes / ledger_bytes)
