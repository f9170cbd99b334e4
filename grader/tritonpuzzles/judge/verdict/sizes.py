"""Where a host function sets the sizes that a kernel is compiled with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import listed
from tritonpuzzles.source import Source

LARGEST = "largest"  # in details: the constant that is a tile's largest side


def with_places(finding: Finding, source: Source) -> Finding:
    """Return a finding with the lines of the host function that set the sizes that it blames."""
    told = finding.details.get("sizes")
    lines = source.host.size_lines(told if isinstance(told, list) else [])
    if not lines or finding.next_step is None:
        return finding
    where = f"line{'s' * (len(lines) > 1)} {listed([str(line) for line in sorted(lines)])}"
    return replace(finding, next_step=f"{finding.next_step} See {where}.")


def at_their_sizes(findings: Sequence[Finding], source: Source) -> list[Finding]:
    """Return findings, those on a tile where the host function sets its largest side, if one line does."""
    return [_at_its_size(finding, source) if LARGEST in finding.details else finding for finding in findings]


def _at_its_size(finding: Finding, source: Source) -> Finding:
    lines = source.host.size_lines([finding.details[LARGEST]])
    return replace(finding, line=lines.pop()) if len(lines) == 1 else finding
