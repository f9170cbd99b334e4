"""Every puzzle of the curriculum, enumerated: nothing can be added half."""

import ast
import difflib
import random
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.call import Call
from tritonpuzzles.curriculum.expressions import evaluate, fraction, shape_of
from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import UnknownPuzzleError, load_curriculum
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.judge.inputs import draw, flags_of
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.results.codes import CODES
from tritonpuzzles.wire.authored import named

ROOT = Path(__file__).parents[2]
CURRICULUM = load_curriculum()
PUZZLES = pytest.mark.parametrize("puzzle", CURRICULUM.puzzles, ids=lambda puzzle: puzzle.stem)
CODE_COLUMNS = 76  # of 80, with a margin on both sides


def stub(puzzle: Puzzle) -> str:
    return (ROOT / "puzzles" / f"{puzzle.stem}.py").read_text()


def solution(puzzle: Puzzle) -> str:
    return (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()


@PUZZLES
def test_hints_answer_findings_that_there_are(puzzle: Puzzle) -> None:
    assert set(puzzle.answers) <= {*CODES, *puzzle.mistakes}
    assert set(puzzle.mistakes) <= set(puzzle.answers)


@PUZZLES
def test_code_in_hints_fits_a_terminal_without_a_break(puzzle: Puzzle) -> None:
    texts = [text.split("```")[1::2] for text in (*puzzle.hints, *puzzle.answers.values())]
    long = [line for blocks in texts for block in blocks for line in block.splitlines() if len(line) > CODE_COLUMNS]
    assert long == []


def test_numbers_never_change() -> None:
    assert [puzzle.stem for puzzle in CURRICULUM.puzzles][:9] == [
        "p00_vector_add",
        "p01_softmax",
        "p02_blocked_softmax",
        "p03_online_softmax",
        "p04_tiled_softmax",
        "p05_flash_attention",
        "p06_persistent_softmax",
        "p07_matmul",
        "p08_matmul_autograd",
    ]


@PUZZLES
def test_stub_and_solution_agree_outside_the_learners_part(puzzle: Puzzle) -> None:
    left, right = stub(puzzle).splitlines(), solution(puzzle).splitlines()
    changes = [code for code in difflib.SequenceMatcher(None, left, right).get_opcodes() if code[0] != "equal"]
    assert changes
    for _, start, end, _, _ in changes:
        assert "# TODO:" in left[start], left[start:end]
        assert end - start <= 2


@PUZZLES
def test_stub_is_short_plain_and_quiet(puzzle: Puzzle) -> None:
    source = stub(puzzle)
    assert 40 <= len(source.splitlines()) <= 110
    assert source.startswith("# %% [markdown]\n# # ")
    tree = ast.parse(source)
    assert "tritonpuzzles" not in ast.unparse(tree)  # a learner can paste it anywhere
    assert all(isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)) for node in tree.body)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert functions[0] == "reference"
    assert functions[-1] == puzzle.host
    host = tree.body[-1]
    assert isinstance(host, ast.FunctionDef)
    assert [argument.arg for argument in host.args.args] == [argument.name for argument in puzzle.arguments]
    assert ast.get_docstring(host)


@PUZZLES
def test_record_names_things_that_exist(puzzle: Puzzle) -> None:
    resolved = resolve(puzzle)
    assert callable(resolved.reference)
    assert puzzle.benchmark is not None
    assert all(callable(named(dotted)) for dotted in (*resolved.baselines.values(), *resolved.families.values()))
    for case in puzzle.cases:
        assert case.why.endswith("."), case.name
    names = dict.fromkeys((*puzzle.dims, "itemsize", "gradients", "passes"), 8)
    assert evaluate(puzzle.benchmark.work, names) > 0
    assert evaluate(puzzle.benchmark.moved, names) > 0
    tile = puzzle.limits.tile.limit if puzzle.limits.tile else 1
    for limit in (*puzzle.limits.loads.values(), *puzzle.limits.stores.values(), tile):
        assert fraction(limit, names) >= 0
    tensors = {*(argument.name for argument in puzzle.tensors), *(output.name for output in puzzle.compared)}
    assert set(puzzle.limits.loads) == set(puzzle.limits.stores) == tensors


@PUZZLES
def test_every_case_can_be_drawn_and_no_shape_can_be_hard_coded(puzzle: Puzzle) -> None:
    drawn = {seed: draw(puzzle, seed, "cpu") for seed in (1, 2)}
    for case in drawn[1]:
        arguments = Call(puzzle, case.case).tensors
        assert list(case.tensors) == [argument.name for argument in arguments]
        for argument, layout in zip(arguments, case.inputs, strict=True):
            tensor, asked = layout.tensor(), case.case.layout_of(argument)
            assert tuple(tensor.shape) == shape_of(argument.shape, case.dims, flags_of(case.values))
            gaps = tensor.ndim > 1 and tensor.stride(0) > tensor.shape[1]
            dense = ("contiguous", "transposed", "broadcast", "broadcast_column", "broadcast_number")
            turned = ("transposed", "every_other_column", "broadcast_column", "broadcast_number")
            assert gaps == (tensor.ndim > 1 and asked not in dense) or not tensor.numel()
            assert (tensor.stride(0) == 0) == (asked in ("broadcast", "broadcast_number")) or not tensor.numel()
            assert (tensor.ndim > 1 and tensor.stride(1) != 1) == (asked in turned) or not tensor.numel()
    changed = sum(a.shape != b.shape for a, b in zip(drawn[1], drawn[2], strict=True))
    assert changed > len(drawn[1]) // 2


@PUZZLES
@pytest.mark.parametrize("need", ["one", "empty", "strided", "float16", "bfloat16", "float32"])
def test_what_every_puzzle_asks_for(puzzle: Puzzle, need: str) -> None:
    rng = random.Random(1)
    layouts = {layout for case in puzzle.cases for layout in (case.layout, *case.layouts.values())}
    met = {
        "one": any(evaluate(case.shape[0], rng=rng) == 1 for case in puzzle.cases),  # row, or element of a vector
        "empty": any(0 in case.shape for case in puzzle.cases),
        "strided": "padded" in layouts or (len(puzzle.dims) == 1 and "column_slice" in layouts),  # vectors have no rows
        **{dtype: any(case.dtype == dtype for case in puzzle.cases) for dtype in ("float16", "bfloat16", "float32")},
    }
    if puzzle.host in ("matmul", "dot"):  # whose tensor cores take 16 bits
        met["float32"] = not met["float32"]
    assert met[need]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (("3",), [3]),
        (("0",), [0]),
        (("all",), [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        (("0-2", "4"), [0, 1, 2, 4]),
        (("online_softmax", "p03", "p00"), [0, 3]),
    ],
)
def test_selection(words: tuple[str, ...], numbers: list[int]) -> None:
    assert [puzzle.number for puzzle in CURRICULUM.select(words)] == numbers


@pytest.mark.parametrize(
    ("word", "hint"), [("onlin_softmax", "online_softmax"), ("99", "0 (vector_add), 1 (softmax)"), ("4-2", "empty")]
)
def test_unknown_puzzles_get_the_nearest_name(word: str, hint: str) -> None:
    with pytest.raises(UnknownPuzzleError) as caught:
        CURRICULUM.select((word,))
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('host = "square"', "", "'host' is missing"),
        ("number = 1", "number = 2", "p02_square"),
        ('dtype = "float16"', 'dtype = "float17"', "dtype 'float17' is not known. Did you mean 'float16'?"),
        ("shape = [0]", "shape = [0, 1]", "'shape' has 2 of 1 sizes: n"),
        ('name = "nothing"', 'name = "float16"', "two cases are called 'float16'"),
        ("number = 1", "number = ", "Invalid value"),
        ("shape = [0]", 'shape = [0]\nlayouts = { y = "padded" }', "'y'"),
        ("shape = [0]", 'shape = [0]\nlayouts = { x = "paded" }', "Did you mean 'padded'?"),
    ],
)
def test_a_bad_record_says_what_is_wrong(old: str, new: str, words: str, tmp_path: Path) -> None:
    fixture = ROOT / "tests" / "fixture"
    record = tmp_path / "p01_square.toml"
    text = (fixture / "records" / "p01_square.toml").read_text()
    assert old in text
    record.write_text(text.replace(old, new))
    with pytest.raises(RecordError, match=r"p01_square\.toml") as caught:
        load_puzzle(record, fixture / "hints" / "p01_square.md")
    assert words in str(caught.value)
