"""Reports that give no solution away."""

from __future__ import annotations

import json

from tests.front import samples
from tritonpuzzles.front.report import without_fixes
from tritonpuzzles.results.check import Finding, Verdict
from tritonpuzzles.results.cover import FIX


def test_neither_text_nor_details_tell_what_to_change() -> None:
    fix = "Line 9: the tl.load has no mask. Changing only that makes all 3 cases right."
    found = Finding(
        "wrong-values", f"3 cases have wrong values. {fix}", "k.py", 9, next_step="Pass mask=.",
        details={FIX: fix, "proof": "mended"},
    )  # fmt: skip
    report = samples.report(samples.result(Verdict.FAIL, findings=(found,)))
    (told,) = without_fixes(report).findings
    assert (told.message, told.line, told.details) == ("3 cases have wrong values.", 9, {"proof": "mended"})
    assert "mask" not in json.dumps(without_fixes(report).to_dict())
    assert "mask" in json.dumps(report.to_dict())
