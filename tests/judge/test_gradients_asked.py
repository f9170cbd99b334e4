"""Cases of a backward call ask for some of its gradients, once or twice; what is done beyond that is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tritonpuzzles.curriculum.coherence import gradient_problems
from tritonpuzzles.curriculum.record import Case, Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.verdict.advice import suggest_line
from tritonpuzzles.judge.verdict.limits import without_needless
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PUZZLE = load_curriculum().find("matmul_autograd")
SOLUTION = ROOT / "solutions" / f"{PUZZLE.stem}.py"


def with_case(**changes: object) -> Puzzle:
    """Return the puzzle with one small case, both matrices transposed."""
    case = Case("some", "Some.", "signs", (5, 7, 3), "float16", values={"transpose_a": True, "transpose_b": True})
    puzzle: Puzzle = replace(PUZZLE, cases=(replace(case, **changes),), benchmark=None)  # type: ignore[arg-type]
    return puzzle


def drawn(**changes: object) -> DrawnCase:
    """Return a small case of the puzzle with both matrices transposed."""
    return draw(with_case(**changes), 1, "cpu")[0]


def result(wrong: str, case: str) -> PuzzleResult:
    """Return what is said of a wrong kernel of the corpus, in one case."""
    file = ROOT / "tests" / "mutants" / PUZZLE.stem / "wrong" / f"{wrong}.py"
    alone = replace(PUZZLE, cases=tuple(item for item in PUZZLE.cases if item.name == case), benchmark=None)
    options = CheckOptions(device="cpu", seed=1, case=case, targets=())
    return check([(alone, file if wrong else SOLUTION)], options).results[0]


def codes(found: PuzzleResult) -> set[str]:
    return {finding.code for finding in found.errors}


@pytest.mark.parametrize(
    ("asked", "passes", "names"),
    [
        (None, 1, ["da", "db", "c"]),
        (("b",), 1, ["db", "c"]),
        ((), 1, ["c"]),
        (None, 2, ["da", "db", "da_2", "db_2", "c"]),
        (("a",), 3, ["da", "da_2", "da_3", "c"]),
    ],
)
def test_what_a_case_asks_for(asked: tuple[str, ...] | None, passes: int, names: list[str]) -> None:
    case = drawn(gradients_of=asked, passes=passes)
    assert [output.name for output in case.outputs] == names
    assert [case.in_record(name) for name in names] == [name.partition("_")[0] for name in names]
    assert case.against == ("g", "g_2", "g_3")[:passes]
    assert {name for name, made in case.tensors.items() if made.requires_grad} == set(case.wanted)
    assert case.wanted == (("a", "b") if asked is None else asked)


def test_the_truth_of_each_pass_is_that_of_its_own_gradient() -> None:
    case = drawn(passes=2)
    a, b = (case.tensors[name].tensor().double().requires_grad_() for name in ("a", "b"))
    c = a.T @ b.T
    expected = []
    for name in ("g", "g_2"):
        g = case.tensors[name].tensor().double()
        expected += torch.autograd.grad(c, (a, b), g, retain_graph=True)
    assert not torch.equal(expected[0], expected[2])
    for given, wanted in zip(case.golden, [*expected, c.detach()], strict=True):
        torch.testing.assert_close(given, wanted)


@pytest.mark.parametrize(
    "case", ["no gradient", "only b, both transposed", "differentiated twice", "differentiated twice, only b"]
)
def test_the_solution_does_what_is_asked(case: str) -> None:
    found = result("", case)
    assert (found.verdict, codes(found)) == (Verdict.PASS, set())


def test_a_gradient_that_nobody_asks_for() -> None:
    found = result("both_gradients_always", "only b needs a gradient")
    (needless,) = (finding for finding in found.errors if finding.code == "needless-gradient")
    assert needless.message.startswith(
        "3 kernels are launched where only the gradient of b is asked for, and 2 would be enough"
    )
    assert "too-many-launches" not in codes(found)


def test_one_launch_too_many_where_all_gradients_are_asked_for() -> None:
    found = codes(result("forward_again_in_backward", "ordinary numbers"))
    assert "too-many-launches" in found
    assert "needless-gradient" not in found


def test_what_is_launched_too_often_everywhere_is_no_needless_gradient() -> None:
    needless, too_many, other = (Finding(code, "") for code in ("needless-gradient", "too-many-launches", "tf32"))
    assert without_needless([needless, other]) == [needless, other]
    assert without_needless([needless, too_many, other]) == [too_many, other]


def test_a_copy_is_one_only_where_something_is_copied() -> None:
    found = result("operands_made_contiguous", "a transposed")
    (copied,) = found.errors
    assert (copied.code, copied.line) == ("operand-copied", line_of("operands_made_contiguous", ".contiguous()"))
    assert copied.message.startswith("The host function copies a: ")
    assert result("operands_made_contiguous", "ordinary numbers").verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("wrong", "code", "outputs"),
    [
        ("memory_of_the_first_pass", "passes-share-memory", {"da", "db"}),
        ("first_pass_kept", "first-pass-kept", {"da_2", "db_2"}),
        ("added_to_the_first_pass", "passes-added", {"da", "db", "da_2", "db_2"}),
    ],
)
def test_what_a_second_pass_does_to_the_first(wrong: str, code: str, outputs: set[str]) -> None:
    found = result(wrong, "differentiated twice")
    assert code in codes(found)
    mismatch = found.cases[0].mismatch
    assert mismatch is not None
    assert mismatch.output in outputs


def test_the_line_of_a_mistake_of_the_host_function() -> None:
    found = result("gradients_not_turned", "squares, both transposed")
    (named,) = (finding for finding in found.errors if finding.code == "gradient-not-turned")
    assert named.line == line_of("gradients_not_turned", "multiply(g, y.T, da)")


def test_the_sizes_of_a_gradient_are_not_exchanged() -> None:
    """dX is (M, K): its launch passes K for N, and that is no mistake."""
    assert "sizes-exchanged" not in codes(result("starts_at_one", "ordinary numbers"))


def test_a_line_is_looked_for_in_kernels_or_beside_them() -> None:
    source = Submission.of(SOLUTION).source
    text = source.text.splitlines()
    inside, outside = (suggest_line(source, (r"=.*strid",), host=host) for host in (False, True))
    assert (inside, outside) == (number(text, "x_ptrs = x_ptr +"), number(text, "strides = ("))


def number(lines: list[str], piece: str) -> int:
    return next(count for count, line in enumerate(lines, 1) if piece in line)


def line_of(wrong: str, piece: str) -> int:
    """Return the first line of a wrong kernel's file that holds a piece of text."""
    lines = (ROOT / "tests" / "mutants" / PUZZLE.stem / "wrong" / f"{wrong}.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if piece in line and "Mistake at" not in line)


def test_another_call_in_between_must_not_matter() -> None:
    case = "another call in between"
    assert result("", case).verdict is Verdict.PASS
    found = result("flags_on_the_class", case)
    assert codes(found) == {"kept-outside-ctx"}
    assert all(result("flags_on_the_class", other).verdict is Verdict.PASS for other in ("squares", "both transposed"))


def test_a_call_in_between_is_of_a_backward_call_with_all_plain_arguments() -> None:
    flags = {"transpose_a": False, "transpose_b": False}
    assert not list(gradient_problems(with_case(between=flags)))
    for changes in ({"between": {"transpose_a": False}}, {"between": flags, "gradients_of": ()}):
        (problem,) = gradient_problems(with_case(**changes))
        assert "has a call between: it needs transpose_a, transpose_b, and a gradient to ask for" in problem
    forward = replace(load_curriculum().find("1"), cases=(Case("some", "Some.", "normal", (5, 7), between=flags),))
    (problem,) = gradient_problems(forward)
    assert problem == "case 'some' has gradients_of, passes, graded or between, which a forward call has not"


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("written_into_the_gradient_that_is_there", "aliases-input"),
        ("nothing_where_a_gradient_is_there", "wrong-type"),
    ],
)
def test_a_gradient_that_is_there_already_is_left_alone(wrong: str, code: str) -> None:
    case = "a gradient is there already"
    assert result("", case).verdict is Verdict.PASS
    assert code in codes(result(wrong, case))
    assert result(wrong, "ordinary numbers").verdict is Verdict.PASS


def test_what_is_there_already_are_numbers_of_its_own() -> None:
    case = drawn(graded=True, gradients_of=("b",))
    assert list(case.beside) == ["b.grad"]
    assert list(case.sent) == ["a", "b", "g", "b.grad"]
    grad, b = case.beside["b.grad"].tensor(), case.tensors["b"].tensor()
    assert grad.shape == b.shape
    assert grad.untyped_storage().data_ptr() != b.untyped_storage().data_ptr()


def test_a_backward_pass_sets_no_grad() -> None:
    found = result("gradient_set_by_hand", "ordinary numbers")
    assert (found.verdict, codes(found)) == (Verdict.FAIL, {"grad-set"})
