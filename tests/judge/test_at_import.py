"""What a learner leaves at the end of a file runs while it is imported: a call is left out, and the check goes on."""

from __future__ import annotations

import pytest

from tests.conftest import Check
from tests.judge.test_survival import SOLUTION, at_import
from tritonpuzzles.results.check import Verdict

LINE = SOLUTION.count("\n") + 2  # of the first statement that `at_import` adds
ON_A_GPU = 'x = torch.randn(9, device="cuda")\ny = square(x)\nassert torch.allclose(y, x * x)\nprint(y)'
LEFT_OUT = {
    "square(torch.ones(9))": "a kernel is launched while the file is imported",
    "print(square(torch.randn(9)))": "a kernel is launched while the file is imported",
    "assert torch.allclose(square(torch.ones(9)), torch.ones(9))": "a kernel is launched while the file is imported",
    "triton.testing.do_bench(lambda: square(torch.ones(9)))": "a kernel is launched while the file is imported",
    "for n in (1, 2):\n    square(torch.ones(n))": "a kernel is launched while the file is imported",
    ON_A_GPU: "there is no GPU while a file is imported",
    "print(square(torch.ones(9).cuda()))": "there is no GPU while a file is imported",
    "square()": "it raises TypeError: square() missing 1 required positional argument: 'x'",
}


@pytest.mark.slow
@pytest.mark.parametrize("statement", LEFT_OUT)
def test_a_call_at_the_end_is_left_out(statement: str, check_source: Check) -> None:
    result = check_source(at_import(statement))
    assert result.verdict is Verdict.PASS, result
    (note,) = result.findings
    assert (note.code, note.line) == ("left-out", LINE + statement.startswith("for"))
    assert LEFT_OUT[statement] in note.message
    assert "__main__" in str(note.next_step)


def test_what_follows_the_call_counts(check_source: Check) -> None:
    """A kernel, a function and an import behind it; the file's own future statement holds for them too."""
    moved = SOLUTION.replace("x * x", "twice(x) * x * 0.5").replace("import torch", f"{FUTURE}\nimport torch", 1)
    code = "print(square(torch.ones(9)))\n\n@triton.jit\ndef twice(x) -> no_such_name:\n    return x + x"
    result = check_source(moved + "\n" + code + "\n")
    assert [finding.code for finding in result.findings] == ["left-out"]
    assert result.verdict is Verdict.PASS


FUTURE = "from __future__ import annotations"


def test_a_wrong_file_is_judged_all_the_same(check_source: Check) -> None:
    result = check_source(at_import("print(square(torch.ones(9)))").replace("x * x,", "x + x,"))
    assert result.verdict is Verdict.FAIL
    assert result.findings[0].code == "wrong-values"
    assert result.findings[-1].code == "left-out"


@pytest.mark.parametrize(
    "source",
    [
        at_import("print(square(torch.ones(9)))\nimport no_such_module"),
        SOLUTION.replace("\ndef square(", "\nsquare_kernel[(1,)](torch.ones(9), torch.ones(9), 9, 16)\n\ndef square("),
    ],
)
def test_what_the_file_needs_is_not_left_out(source: str, check_source: Check) -> None:
    result = check_source(source)
    assert (result.verdict, result.findings[0].code) == (Verdict.ERROR, "import-error")
