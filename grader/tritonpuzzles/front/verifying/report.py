"""What `verify` returns: a report that is true where the function passes, and that shows itself."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.front.check import CheckReport


@dataclass(frozen=True, repr=False)
class VerifyReport(CheckReport):
    """The report on one function; true if it passes: `assert report, report`."""

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return self.text
