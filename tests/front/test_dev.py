"""`dev check`: what it asks of a puzzle, on made-up results; `tests/mutants` runs it for real."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.front import samples
from tests.front.conftest import Run
from tests.front.samples import known_as
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.dev.demands import demands, further_demands, matrix_page
from tritonpuzzles.front.dev.proof import Mutant, Proof, read_corpus
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.results.check import CaseResult, Finding, Mismatch, PuzzleResult, Verdict
from tritonpuzzles.results.states import NOT_MATCHED, RowStates, VariableValue

PACK = load_curriculum()
PUZZLE = PACK.find("online_softmax")
HELD = VariableValue(1, (0, 0), 7, "m", "the running maximum", 1.0, 1.0, True)
FOLLOWED = RowStates("ordinary numbers", "y", 0, "row", "column", 1, (), (HELD,))


def result(verdict: Verdict, code: str | None = None, dead: tuple[str, ...] = (), file: str = "a.py") -> PuzzleResult:
    cases = [
        CaseResult(case.name, (1, 1), case.dtype, Verdict.FAIL if case.name in dead else Verdict.PASS, case.why)
        for case in PUZZLE.cases
        if "cpu" in case.devices
    ]
    findings = (Finding(code, "It is wrong."),) if code else ()
    return PuzzleResult(PUZZLE.number, PUZZLE.slug, known_as(file), verdict, "cpu", 1, findings, tuple(cases))


def good(puzzle: Puzzle = PUZZLE) -> Proof:
    """A proof that holds: every case is failed by the first wrong kernel."""
    everything = tuple(case.name for case in puzzle.cases)
    killed = result(Verdict.FAIL, "sum-not-rescaled", everything)
    mutants = [Mutant(Path(f"m{number}.py"), "sum-not-rescaled") for number in range(20)]
    right = tuple(result(Verdict.PASS, file=f"r{number}.py") for number in range(6))
    stub, solution = result(Verdict.UNSOLVED), replace(result(Verdict.PASS), states=FOLLOWED)
    return Proof(puzzle, "cpu", stub, solution, tuple((mutant, killed) for mutant in mutants), right)


def unmet(proof: Proof) -> list[str]:
    return [demand.text for demand in demands(proof, PACK.pack) if not demand.ok]


def test_all_is_well() -> None:
    assert unmet(good()) == []


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (None, "walk softmax: variables of the solution hold its quantities"),
        (replace(FOLLOWED, variables=(), note=NOT_MATCHED), "hold its quantities: No variable of the kernel follows"),
        (replace(FOLLOWED, variables=(replace(HELD, right=False),)), "and the walk finds it wrong: m in line 7"),
    ],
)
def test_the_walk_fits_the_solution(states: RowStates | None, said: str) -> None:
    (text,) = unmet(replace(good(), solution=replace(good().solution, states=states)))
    assert said in text


def test_a_further_corpus_is_judged_and_not_counted() -> None:
    few = replace(good(), wrong=good().wrong[:1], right=good().right[:1])
    assert [demand.text for demand in further_demands(few)] == [
        "1 of 1 wrong kernels rejected",
        "1 of 1 named with their code (at least 90%)",
        "1 of 1 right kernels pass",
    ]
    survivor = (few.wrong[0][0], result(Verdict.PASS))
    assert not all(demand.ok for demand in further_demands(replace(few, wrong=(survivor,))))


def test_a_wrong_kernel_that_passes() -> None:
    proof = good()
    survivor = (Mutant(Path("cunning.py"), "sum-not-rescaled"), result(Verdict.PASS))
    (text,) = unmet(replace(proof, wrong=(*proof.wrong, survivor)))
    assert text == "20 of 21 wrong kernels rejected: not cunning"


def test_the_graders_own_fault_rejects_nothing() -> None:
    proof = good()
    broken = (Mutant(Path("cunning.py"), "sum-not-rescaled"), result(Verdict.INFRA_ERROR))
    assert "not cunning" in unmet(replace(proof, wrong=(*proof.wrong, broken)))[0]


def test_more_than_a_tenth_without_their_code() -> None:
    proof = good()
    other = result(Verdict.FAIL, "wrong-values")
    few = tuple((mutant, other) for mutant, _ in proof.wrong[-2:])
    assert unmet(replace(proof, wrong=(*proof.wrong[:-2], *few))) == []
    more = tuple((mutant, other) for mutant, _ in proof.wrong[-3:])
    assert "17 of 20 named" in unmet(replace(proof, wrong=(*proof.wrong[:-3], *more)))[0]


def test_hints_that_answer_a_finding_that_there_is_not() -> None:
    answers = {"sum-not-rescaled": "a", "too-many-loads": "b", "sum-not-rescalled": "c"}
    (text,) = unmet(good(replace(PUZZLE, answers=answers)))
    assert text == "the hints name codes after `after:` that no finding has: sum-not-rescalled"


def test_a_right_kernel_that_does_not_pass() -> None:
    proof = good()
    rejected = result(Verdict.FAIL, "wrong-values", file="honest.py")
    assert unmet(replace(proof, right=(*proof.right, rejected))) == ["6 of 7 right kernels pass: not honest"]


def test_stub_and_solution() -> None:
    proof = replace(good(), stub=result(Verdict.FAIL, "wrong-values"), solution=result(Verdict.FAIL, "wrong-values"))
    assert unmet(proof) == ["stub: fail (unsolved)", "solution: fail (pass)"]


@pytest.mark.parametrize(("error", "asks"), [(4e-6, True), (4e-2, False)])
def test_a_tolerance_that_the_solution_nearly_meets_is_asked_about(error: float, asks: bool) -> None:
    wrong = samples.case("small", Verdict.FAIL, Mismatch("y", 3, 9, (0,), 0.25, 0.250004, "all over"), max_error=error)
    solution = replace(result(Verdict.FAIL, "wrong-values"), cases=(wrong,))
    asked = demands(replace(good(), solution=solution), PACK.pack)
    (reasons,) = [one.reasons for one in asked if one.text.startswith("solution")]
    assert ("4 times what is allowed, at most: is the tolerance too tight?" in reasons[0]) == asks


def test_a_case_that_rejects_nothing_says_why() -> None:
    case = PUZZLE.cases[0]
    wrong = tuple(
        (mutant, result(Verdict.FAIL, mutant.code, tuple(c.name for c in PUZZLE.cases[1:])))
        for mutant, _ in good().wrong
    )
    assert unmet(replace(good(), wrong=wrong))[0].endswith(f"not {case.name}")
    kept = replace(PUZZLE, cases=(replace(case, kept_for="It guards the guard."), *PUZZLE.cases[1:]))
    assert unmet(replace(good(kept), wrong=wrong)) == []


def test_too_few_kernels() -> None:
    assert len(unmet(replace(good(), wrong=good().wrong[:14], right=good().right[:5]))) == 2


def test_the_page_counts_cases_by_family() -> None:
    text = matrix_page([good()], seed=1)
    assert "20 of 20 rejected, 20 named with their own code, 6 of 6 right kernels pass." in text
    row = next(line for line in text.splitlines() if line.startswith("| m0 "))
    normal = sum(case.family == "normal" and "cpu" in case.devices for case in PUZZLE.cases)
    assert row.split(" | ")[2] == str(normal)


def test_a_wrong_kernel_without_a_code(tmp_path: Path) -> None:
    folder = tmp_path / PUZZLE.stem / "wrong"
    folder.mkdir(parents=True)
    (folder / "nameless.py").write_text('"""Is wrong."""\n')
    with pytest.raises(FrontError, match=r"nameless\.py names no code"):
        read_corpus(tmp_path, PUZZLE, "cpu")


def test_what_only_a_gpu_shows_is_left_to_it(tmp_path: Path) -> None:
    folder = tmp_path / PUZZLE.stem / "wrong"
    folder.mkdir(parents=True)
    (folder / "large.py").write_text('"""Overflows.\n\nCode: int32-overflow\nDevice: cuda\n"""\n')
    assert read_corpus(tmp_path, PUZZLE, "cpu").wrong == ()
    assert [mutant.name for mutant in read_corpus(tmp_path, PUZZLE, "cuda").wrong] == ["large"]


def test_a_gpu_may_show_another_side(tmp_path: Path) -> None:
    folder = tmp_path / PUZZLE.stem / "wrong"
    folder.mkdir(parents=True)
    (folder / "lanes.py").write_text(
        '"""Loads without other.\n\nCode: undefined-lane\nCode on cuda: wrong-values\n"""\n'
    )
    codes = {device: read_corpus(tmp_path, PUZZLE, device).wrong[0].code for device in ("cpu", "cuda")}
    assert codes == {"cpu": "undefined-lane", "cuda": "wrong-values"}


def all_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("taken", ["hints", "mutants", "curriculum.toml"])
def test_a_new_puzzle_that_cannot_be_written_leaves_nothing(taken: str, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    if taken == "curriculum.toml":
        (folder / taken).mkdir()  # the last one to be written
    else:
        (folder / taken).write_text("a file where a folder belongs")
    assert run("dev", "new", "mine", cwd=folder, judge=False, TRITONPUZZLES_PACK="").returncode == 3
    assert all_in(folder) == [taken]


def test_a_copy_of_a_puzzle_without_kernels_has_no_folders_for_them(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    done = run("dev", "new", "mine", "--like", "3", cwd=folder, judge=False, TRITONPUZZLES_PACK="")
    assert (done.returncode, (folder / "mutants").exists()) == (0, False)
    told = run("dev", "told", "1", cwd=folder, judge=False, TRITONPUZZLES_PACK="")
    assert (told.returncode, "no wrong kernels yet" in told.stdout) == (0, True)
