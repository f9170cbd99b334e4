"""What the compiler rejects is said in one plain sentence, at the learner's line."""

from __future__ import annotations

import inspect
import re
from string import Formatter

import pytest
import torch
from triton.runtime.jit import JITFunction

from tritonpuzzles.compiler import TARGETS, Launch, compile_launch
from tritonpuzzles.compiler.explain import compile_finding
from tritonpuzzles.compiler.faults import fault
from tritonpuzzles.compiler.phrases import PHRASES, SYNTAX
from tritonpuzzles.compiler.source import first_line
from tritonpuzzles.compiler.wording import Row
from tritonpuzzles.results.check import Finding

from . import elsewhere, kernels, rejected

# kernel -> (words of the cause, words of the next step)
EXPECTED = {
    "max_of_two": ("tl.max reduces one tile along an axis", "tl.maximum(m, tl.load(x + offsets))"),
    "min_with_a_number": ("1.0 is no axis", "tl.minimum(tl.load(x + offsets), 1.0)"),
    "converts_pointers": ("addresses, which nothing has loaded from", "x = tl.load("),
    "computes_with_pointers": ("nothing has been loaded from them", "x = tl.load("),
    "dtype_of_pointers": ("the dtype of addresses", "x_ptr.dtype.element_ty"),
    "calls_dtype": ("a dtype is called like a function", "x.to(tl.float32)"),
    "dot_trans_b": ("tl.dot has no argument trans_b", "tl.trans(b)"),
    "dot_small_k": ("inner dimension K of at least 16 for this dtype, and a is (16, 8) and b (8, 16)", "at least 16"),
    "multiplies_matrices": ("a (16, 32) meets b (32, 16)", "tl.dot(a, b)"),
    "dot_inner_sizes": ("takes (M, K) and (K, N), and a is (16, 32) and a (16, 32)", "tl.trans"),
    "scalar_accumulator": ("acc is a float32 scalar before the loop and a float32 tile of 64 in it", "tl.zeros"),
    "full_without_dtype": ("tl.full is called without a dtype", "tl.full(shape, value, tl.float32)"),
    "dtype_changes_in_loop": (
        "acc is a float16 tile of 64 before the loop and a float32 tile of 64",
        "dtype=tl.float32",
    ),
    "half_a_tile": ("both bounds of tl.arange must be known", "width: tl.constexpr = B // 2."),
    "size_in_capitals": ("both bounds of tl.arange must be known", "TILE: tl.constexpr."),
    "breaks": ("`break` cannot leave a loop", "`while`"),
    "continues": ("`continue` cannot skip", "`if`"),
    "returns_from_loop": ("`return` cannot leave a loop", "`while`"),
    "appends_to_list": ("a list in a kernel cannot be changed (append)", "tl.zeros"),
    "list_comprehension": ("cannot build a list from a comprehension", "tl.arange"),
    "builds_dict": ("cannot build a dict", "one variable"),
    "defines_lambda": ("cannot define a lambda", "@triton.jit"),
    "defines_function": ("cannot define a function (twice) inside itself", "@triton.jit"),
    "f_string": ("f-string cannot hold a run-time value", "tl.device_print"),
    "tries": ("cannot catch exceptions", "mask"),
    "raises": ("cannot raise", "tl.device_assert"),
    "math_exp": ("math.exp works on Python numbers", "tl.exp"),
    "torch_exp": ("torch.exp works on Python numbers", "tl.exp"),
    "cdiv_of_the_host": ("triton.cdiv takes numbers that are known when the kernel is compiled", "Use tl.cdiv."),
    "cdiv_by_name": ("cdiv takes numbers that are known when the kernel is compiled", "Use tl.cdiv."),
    "power_of_the_host": ("triton.next_power_of_2 takes numbers that are known", "pass it as a tl.constexpr"),
    "own_of_constants": ("half takes numbers that are known", "pass it as a tl.constexpr"),
    "triton_for_tl": ("triton.load does not exist", "Use tl.load."),
    "torch_softmax": ("torch.softmax works on Python numbers", "Use tl.max, tl.exp and tl.sum"),
    "functional_softmax": ("F.softmax works on Python numbers", "Use tl.max, tl.exp and tl.sum"),
    "softmax_without_tl": ("softmax is not defined", "Use tl.max, tl.exp and tl.sum"),
    "misspelled_softmax": ("tl.soft_max does not exist", ""),
    "reads_global": ("reads SCALE, a Python global", "SCALE = tl.constexpr(3)"),
    "python_helper": ("double is an ordinary Python function", "Decorate double with @triton.jit"),
    "prints_tensor": ("first argument of print in a kernel must be a text", "tl.device_print"),
    "static_range_of_n": ("its bound is known only at run time", "range("),
    "one_branch": ("v gets a value only inside a branch of an `if`", "Give v a value"),
    "types_per_branch": ("v is a float32 scalar after the `if` and a float32 tile of 64 after the `else`", "tl.zeros"),
    "type_changes_in_branch": ("v is a float32 tile of 64 before the `if` and a float32 scalar in it", "tl.zeros"),
    "calls_two_types": ("gives an int32 scalar and another a float32 scalar", "same shape and dtype"),
    "misspelled": ("valeu is not defined", "Did you mean value?"),
    "without_tl": ("program_id is not defined", "Write tl.program_id."),
    "adds_pointers": ("two addresses are added", "tl.load(x_ptr + offsets)"),
    "misspelled_tl": ("tl.expp does not exist", "Did you mean tl.exp"),
    "block_of_100": ("must be a power of two", "next_power_of_2"),
    "block_of_n": ("must be known when the kernel is compiled", "tl.constexpr"),
    "zeros_of_n": ("must be known when the kernel is compiled", "tl.constexpr"),
    "sizes_differ": ("the first operand (64,) meets the second (128,); 64 is not 128", "same size"),
    "lacks_an_axis": ("t (16, 64) meets m (16,), which counts as (1, 16); 64 is not 16", "Write m[:, None]"),
    "reduced_along_rows": ("m (16,) meets tl.sum(..., axis=0) (64,); 16 is not 64", "axis=0 leaves one value for each"),
    "lies_across": ("m[None, :] (1, 16) meets t (16, 64); 16 is not 64", "[:, None] makes (n, 1)"),
    "indexes_block": ("cannot be indexed for an element", "tl.load"),
    "assigns_element": ("element of a tile cannot be assigned", "tl.where"),
    "several_names_at_once": ("gives one value to several names", "an assignment for each"),
    "if_on_block": ("asks a whole tile for one truth value", "tl.where"),
    "if_around_loads": (
        "asks a whole tile for one truth value",
        "in place of the `if`: mask=offsets < n.",
    ),
    "if_around_a_store": ("asks a whole tile for one truth value", "mask=(offsets < n) & (v > i)."),
    "half_to_exp": ("a function that takes float32 gets float16", ".to(tl.float32), right after tl.load"),
    "half_to_a_method": ("a function that takes float32 gets bfloat16", ".to(tl.float32), right after tl.load"),
    "half_to_sqrt_rn": ("a function that takes float32 gets float16", ".to(tl.float32), right after tl.load"),
    "half_to_libdevice": ("a function that takes float32 gets float16", ".to(tl.float32), right after tl.load"),
    "half_to_two_of_libdevice": ("a function that takes float32 gets float16", ".to(tl.float32), right after tl.load"),
    "exp_of_pointers": ("nothing has been loaded from them", "x = tl.load("),
    "ternary_on_block": ("are a float32 tile of 64 and a float32 scalar", "tl.where"),
    "stores_block_at_scalar": ("a tile of values meets a single address", "offsets"),
    "stores_to_number": ("tl.store needs a pointer and gets an int32 scalar", "x_ptr + offsets"),
    "no_such_axis": ("no axis 1", "axis 0"),
    "no_such_argument": ("load has no argument `masks`", "mask"),
    "shape_of_pointer": ("x.shape has no such axis", "sizes"),
    "python_builtin": ("Python's enumerate", "range"),
    "static_assert_fails": ("tl.static_assert fails: B must be 128", ""),
    "calls_recursion": ("factorial calls itself", "loop"),
    "matrix_operator": ("`@` does not multiply tiles", "tl.dot(a, b)"),
    "torch_keywords": ("takes `axis` and `keep_dims`", "axis=0"),
    "numpy_method": ("has no `astype`", ".to(tl.float32)"),
    "python_dtype": ("Python's float is no dtype", "tl.float32"),
    "while_on_block": ("the condition of a `while` is a tile", "tl.max"),
    "calls_failing_helper": ("must be known when the kernel is compiled", "tl.constexpr"),
    "calls_other_file": ("cannot build a dict", "one variable"),
    "indexes_pointer": ("x is a pointer, and a kernel has no x[n]", "tl.load(x + n)"),
    "loads_indexed_pointer": ("x is a pointer, and a kernel has no x[n]", "tl.load(x + n)"),
    "reduces_one_number": ("a single number, not a tile", "tl.arange"),
    "starts_beyond_float32": ("3.4028235e+38 is beyond float32", "3.4028234663852886e+38"),
    "value_of_last_turn": ("only inside a loop", "Use v inside the loop, or give v a value"),
    "value_of_another_loop": ("it would be that of the last iteration", "Compute v in each iteration of line"),
    "returns_its_result": ("a launch gives nothing back, and the kernel returns value", "Store it: tl.store("),
    "dot_of_pointers": ("an operand of tl.dot is a tile of pointers", "Load it first"),
}

PLACES = {
    "calls_two_types": rejected.returns_two_types,
    "calls_recursion": rejected.factorial,
    "calls_failing_helper": rejected.helper_fails,
    "calls_other_file": elsewhere.inner,
}


def launch(name: str) -> Launch:
    x = torch.zeros(4096, dtype=torch.float16 if name.startswith("dot") else torch.float32)
    return Launch(getattr(rejected, name), {"x": x, "y": torch.empty(4096), "n": 100, "B": 64})


def rejection(name: str, target: str = "sm_80") -> Finding:
    outcome = compile_launch(launch(name), TARGETS[target])
    assert not outcome.result.ok
    (finding,) = outcome.findings
    return finding


def marked_lines(function: JITFunction) -> set[int]:
    """Return the lines that may be named: two where versions of Triton differ."""
    lines, start = inspect.getsourcelines(function.fn)
    return {start + number for number, line in enumerate(lines) if "# here" in line}


def test_every_kernel_has_an_expectation() -> None:
    names = {name for name, value in vars(rejected).items() if isinstance(value, JITFunction)}
    assert names - {"helper_fails", "factorial", "returns_two_types"} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_cause_step_and_line(name: str) -> None:
    finding = rejection(name)
    function = PLACES.get(name, getattr(rejected, name))
    cause, step = EXPECTED[name]
    assert finding.code == "compile-error"
    assert cause in finding.message
    assert step in (finding.next_step or "")
    assert finding.file == function.fn.__code__.co_filename
    assert finding.line in marked_lines(function)
    assert finding.message.startswith(f"{function.__name__} does not compile: ")
    assert finding.details["kernel"] == name


@pytest.mark.parametrize("name", EXPECTED)
def test_sentence_is_plain(name: str) -> None:
    finding = rejection(name)
    for text in (finding.message, finding.next_step or "ok."):
        assert len(text) < 180
        assert text.endswith((".", "?"))
        assert not text.endswith("..")
        assert not any(noise in text for noise in ("\n", "Error", "<[", "constexpr[", " at 0x", "fp32"))


@pytest.mark.parametrize("name", [name for name in EXPECTED if "softmax" in name])
def test_no_step_offers_all_of_a_softmax_at_once(name: str) -> None:
    assert "tl.softmax" not in (rejection(name).next_step or "")


@pytest.mark.parametrize(("name", "chooses"), [("if_on_block", True), ("if_around_loads", False)])
def test_tl_where_is_offered_for_values_and_not_around_loads(name: str, chooses: bool) -> None:
    assert ("tl.where" in (rejection(name).next_step or "")) is chooses


@pytest.mark.parametrize("name", ["python_helper", "one_branch", "calls_other_file"])
def test_second_target_says_the_same(name: str) -> None:
    first, second = rejection(name), rejection(name, "sm_90")
    assert (first.message, first.line) == (second.message, second.line)


def test_undefined_in_one_branch_names_both_lines() -> None:
    finding, start = rejection("one_branch"), first_line(rejected.one_branch)
    assert f"on line {start + 2}" in finding.message
    assert f"before line {start + 1}" in (finding.next_step or "")


def test_literal_list_is_accepted() -> None:
    """A list that never changes is a tuple to the compiler; only changing it is rejected."""
    assert compile_launch(Launch(kernels.literal_list, {"y_ptr": torch.empty(4)}), TARGETS["sm_80"]).result.ok


@pytest.mark.parametrize("row", [*SYNTAX, *PHRASES], ids=lambda row: row.pattern)
def test_a_row_that_looks_at_no_source_says_what_its_pattern_finds(row: Row) -> None:
    fields = [name for sentence in (row.cause, row.step or "") for _, name, *_ in Formatter().parse(sentence) if name]
    assert row.look is None
    assert set(fields) <= re.compile(row.pattern).groupindex.keys()


def test_unknown_message_is_cleaned() -> None:
    text = "Something odd: <['64', '2'], fp32> at fp16[constexpr[64]] of <core.slice object at 0x7f22>.\nmore"
    finding = compile_finding(fault(ValueError(text), "", kernels.scale), "sm_80")
    words = "scale does not compile: Something odd: float32 tile of 64 x 2 at float16 tile of 64 of slice."
    assert finding.message == words
    assert finding.line == first_line(kernels.scale)


def test_diagnostic_of_a_later_stage_gives_the_line() -> None:
    noise = 'loc("/tmp/p07.py":31:12): error: operation does not fit\n  note: see current operation\n'
    finding = compile_finding(fault(RuntimeError("PassManager::run failed"), noise, kernels.scale), "sm_80")
    assert (finding.file, finding.line) == ("/tmp/p07.py", 31)
    assert finding.message == "scale does not compile: operation does not fit."
