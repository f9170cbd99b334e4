"""Which launch passes an input to a parameter that its kernel stores to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.engine.interpreter import LaunchTrace
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.program import Facts
from tritonpuzzles.results.check import Finding


def with_parameters(
    findings: Sequence[Finding], launches: Sequence[LaunchTrace], facts: Facts, memory: Memory
) -> list[Finding]:
    """Return findings about inputs that were written to, with the launch that passes them to a parameter that is."""
    stored = {
        facts.name(memory.number(argument.storage)): (launch, argument.name)
        for launch in reversed(launches)
        for argument in launch.arguments
        if argument.is_written
    }
    found = []
    for finding in findings:
        launch, parameter = stored.get(str(finding.details["argument"]), (None, ""))
        found.append(finding if launch is None else _with_parameter(finding, launch, parameter))
    return found


def _with_parameter(finding: Finding, launch: LaunchTrace, parameter: str) -> Finding:
    stores = [line for _, line, argument, operation in launch.lines if (argument, operation) == (parameter, "store")]
    there = f" in line {stores[0]}" if stores else ""
    text = f"Line {launch.line} passes it as {parameter}, which {launch.kernel} stores to{there}."
    step = "Compare the arguments of the launch with the kernel's parameters; store to the output only."
    return replace(finding, message=f"{finding.message} {text}", line=launch.line, next_step=step)
