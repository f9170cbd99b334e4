"""Explain a fault of the compiler in one plain sentence, with the learner's line and a next step.

Rows that inspect the source are here; those of `phrases.py` need only the message. They are searched in order.
"""

from __future__ import annotations

import ast
import builtins

import triton
import triton.language as tl

from tritonpuzzles.compiler import looks, shapes
from tritonpuzzles.compiler.faults import PASS_FAILED, Fault
from tritonpuzzles.compiler.looks import A_SOFTMAX, MOST, named_in, of_another_loop, referenced, set_inside
from tritonpuzzles.compiler.phrases import BOUND_KNOWN, ONE_TRUTH, PHRASES, RUN_TIME_BOUND, SYNTAX, TILE_ASKED
from tritonpuzzles.compiler.shapes import INNER, meeting
from tritonpuzzles.compiler.wording import Reason, Row, clean, reason_of
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import PASS_FAILS

_CLASH = r"incompatible dimensions at index \d+: (?P<size>\d+) and (?P<other>\d+)"
_MEET = "{first} meets {second}; {size} is not {other}"
_SMALL = "tl.dot needs an inner dimension K of at least {least} for this dtype, and {shapes}"
_TILE = r"<\[.+\], \w+>"
_COLUMN_OR_ROW = r"<\[(?=[^]]*, )(?:'?1'?, )?'?(?P<n>\d+)'?(?:, '?1'?)?\], \w+>"  # (n, 1) or (1, n)
_CHANGED = "{name} is {before:type} before the loop and {after:type} in it"
_NO_NAME = "{name} is not defined"
_OF_PYTHON = "^Unsupported function referenced: (?P<said>.*)"
_ON_THE_HOST = "{name} works on Python numbers and tensors on the host, not on a kernel's values"
_OUTSIDE = r"forget to add @triton\.jit"


def _carried(before: str, after: str) -> str:
    """Return the pattern of Triton's message about a variable that has one type before a loop and another in it."""
    return (
        rf"Loop-carried variable (?P<name>\w+) has initial type (?P<before>{before}) "
        rf"but is re-assigned to (?P<after>{after}) in loop"
    )


def _undefined(names: str) -> str:
    return rf"^(?:name )?'?(?P<name>{names})'? is not defined"


_CARRIED = _carried(".+", ".+")
_UNDEFINED = _undefined(r"\w+")
ROWS = (
    # Shapes that do not fit each other
    Row(_CLASH, _MEET,
        "axis=0 leaves one value for each column, axis=1 one for each row: see which of them the other operand holds.",
        meeting(shapes.reduced)),
    Row(_CLASH, _MEET,
        "* multiplies element by element; the product of two matrices is tl.dot({names}).",
        meeting(shapes.multiplied)),
    Row(_CLASH, _MEET,
        "Write {vector}[:, None], which is ({rows}, 1): one value for each row.",
        meeting(shapes.lacks_an_axis)),
    Row(_CLASH, _MEET,
        "Give both the same size along each axis, or size 1: of n values [:, None] makes (n, 1), [None, :] (1, n).",
        meeting()),
    Row(INNER, _SMALL,
        "Give both tiles at least {least} elements along it: {small}.",
        shapes.small_product),
    Row(INNER, _SMALL,
        "Give both tiles at least {least} elements along it; mask what lies beyond with other=0.0.",
        shapes.product),
    Row("equal reduction dimensions|are not compatible for matmul",
        "tl.dot(a, b) takes (M, K) and (K, N), and {shapes}",
        "Load b transposed, or use tl.trans(b).",
        shapes.product),
    # Constructs that a kernel cannot contain
    Row("(?s)(?P<said>.+)", "tl.static_assert fails: {said:clean}", None, kind="CompileTimeAssertionFailure"),
    Row("", "tl.static_assert fails", None, kind="CompileTimeAssertionFailure"),
    Row("",
        "a kernel cannot define a function ({name}) inside itself",
        "Move it to the top level of the file, with @triton.jit.",
        looks.nested_function),
    Row("", "{name} calls itself, and a GPU function cannot", "Use a loop.", looks.recursion),
    *SYNTAX,
    # Types that change in a loop
    Row(_CARRIED,
        "{literal} is beyond float32, so that {name} becomes {after:type} in the loop",
        f"The largest finite float32 is {MOST!r}.",
        looks.beyond_float32),
    Row(_carried(r"<(?P<shape>\[.+\]), \w+>", "<(?P=shape), fp32>"), _CHANGED,  # any other dtype would round the state
        "Start {name} as float32: tl.zeros or tl.full with dtype=tl.float32, before the loop.",
        looks.started),
    Row(_carried(r"<(?P<shape>\[.+\]), \w+>", r"<(?P=shape), \w+>"), _CHANGED,
        "Convert what is assigned to {name} with .to(tl.{before:element}), or start it as {after:element}.",
        looks.carried),
    Row(_carried(r"\w+", _TILE), _CHANGED,
        "If {name} is one number, reduce the tile first, by tl.sum or tl.max. If not, start {name} as {after:type}: "
        "tl.zeros or tl.full of that shape and dtype, before the loop.",
        looks.carried),
    Row(_carried(_COLUMN_OR_ROW, r"<\['?(?P=n)'?, '?(?P=n)'?\], \w+>"), _CHANGED,  # (n,) was added to it
        "One size along an axis has become two: give what is added to {name} keep_dims=True, or [:, None].",
        looks.carried),
    Row(_carried(_TILE, _TILE), _CHANGED,
        "If {name} is a tile of {before:sizes}, something in the loop has another shape, by the axis= of a reduction, "
        "perhaps. If it is one of {after:sizes}, start it so.",
        looks.carried),
    Row(_carried(".+", "fp16|bf16|fp32|fp64"), _CHANGED,
        "Start {name} as {after:type} before the loop, with a point in its number.",
        looks.carried),
    Row(_carried(".+", r"\w+"), _CHANGED, "Start {name} as {after:type} before the loop.", looks.carried),
    Row(_CARRIED, _CHANGED,
        "Start {name} as {after:type}: tl.zeros or tl.full of that shape and dtype, before the loop.",
        looks.carried),
    # Names
    Row(r"Cannot access global variable (?P<name>\w+)",
        "the kernel reads {name}, a Python global, which may change after it is compiled",
        "Pass it as a tl.constexpr parameter, or write {name} = tl.constexpr({shown}).",
        looks.shown_global),
    Row(_UNDEFINED,
        "{name} is used before it gets a value, on line {at}",
        "Move the assignment up.",
        set_inside(), "NameError"),
    Row(_UNDEFINED,
        "{name} gets a value only inside a branch of an `if`, on line {at}, and may have none here",
        "Give {name} a value of the same shape and dtype before line {before}.",
        set_inside(ast.If), "NameError"),
    Row(_UNDEFINED,
        "{name} gets its value in the loop of line {before}, on line {at}: in the loop of line {here} it would be that "
        "of the last iteration, each time",
        "Compute {name} in each iteration of line {here} too, as line {at} does.",
        of_another_loop, "NameError"),
    Row(_UNDEFINED,
        "{name} gets a value only inside a loop, on line {at}, and may have none here",
        "Use {name} inside the loop, or give {name} a value of the same shape and dtype before line {before}.",
        set_inside(ast.For, ast.While), "NameError"),
    Row(_UNDEFINED,
        "Python's {name} is not there in a kernel",
        "Use range or the functions of tl.",
        named_in(builtins), "NameError"),
    Row(_undefined("math|np|numpy|torch"),
        "{name} is not defined, and a kernel has no use for it",
        "Use the functions of triton.language.", kind="NameError"),
    Row(_undefined("inf|nan"), _NO_NAME, 'Write float("{name}").', kind="NameError"),
    Row(_undefined("softmax"), _NO_NAME, A_SOFTMAX, kind="NameError"),
    Row(_UNDEFINED, _NO_NAME, "Write tl.{name}.", named_in(tl), "NameError"),
    Row(_UNDEFINED, _NO_NAME, "Did you mean {similar}?", looks.similar, "NameError"),
    Row(_UNDEFINED, _NO_NAME, None, kind="NameError"),
    Row(r"module 'triton' has no attribute '(?P<name>\w+)'",
        "triton.{name} does not exist",
        "{instead}",
        looks.in_place_of),
    Row(r"module 'triton\.language' has no attribute '(?P<name>inf|nan)'",
        "tl.{name} does not exist",
        'Write float("{name}").'),
    Row(r"module 'triton\.language(?:\.\w+)*' has no attribute '(?P<name>\w+)'",
        "tl.{name} does not exist",
        "Did you mean tl.{similar}?",
        looks.similar_in_language),
    Row(r"module 'triton\.language(?:\.\w+)*' has no attribute '(?P<name>\w+)'", "tl.{name} does not exist", None),
    # Functions of Python
    Row(_OF_PYTHON,
        "{name} is an ordinary Python function, and a kernel can call only @triton.jit functions",
        "{decorated}",
        referenced(is_dotted=False)),
    Row(_OF_PYTHON, _ON_THE_HOST, "{instead}", referenced(is_dotted=True)),
    Row(_OF_PYTHON, "it calls an ordinary Python function", "Decorate the function with @triton.jit."),
    Row(_OUTSIDE,
        "{name} takes numbers that are known when the kernel is compiled, and gets one that is not",
        "{instead}",
        looks.of_constants),
    # Later stages
    Row(rf"tt\.return|return operand|{PASS_FAILED}",
        "a launch gives nothing back, and the kernel returns {value}",
        "Store it: tl.store(pointer + offsets, {value}, mask=...).",
        looks.returned),
    Row(PASS_FAILED,
        f"a pass of Triton {triton.__version__}'s compiler fails without a reason, a fault of the compiler's",
        PASS_FAILS),
    Row(r"(?m)^ptxas .*?(?:error|fatal) *: (?P<said>.+?)\.*\s*$",
        "ptxas, which assembles what Triton made of it, says: {said}",
        None, kind="PTXASError"),
    Row("",
        "ptxas rejects what Triton made of it",
        "Try other tile sizes, fewer stages or more warps.", kind="PTXASError"),
    # Faults that Triton's message alone does not distinguish from others
    Row("",
        "{name} reduces one tile along an axis, and {second} is no axis",
        "Write {meant}({first}, {second}).",
        looks.two_values),
    Row("", _ON_THE_HOST, "{instead}", looks.python_call),
    Row("out of range",
        "{name}.shape has no such axis; a pointer has none at all",
        "Pass the sizes as parameters.",
        looks.shape),
    Row("",
        "the first argument of print in a kernel must be a text, and it is a value",
        'Write tl.device_print("{value}", {value}).',
        looks.printed),
    Row(_OUTSIDE,
        "{name} is a pointer, and a kernel has no {element}",
        "Move the pointer and load: tl.load({name} + {index}).",
        looks.indexed),
    Row(TILE_ASKED, ONE_TRUTH,
        "Give the condition to each load and store, in place of the `if`: mask={test}.",
        looks.guard),
    Row(RUN_TIME_BOUND, BOUND_KNOWN, "Declare it as a constant: {declared}.", looks.nearly_constant),
    *PHRASES,
)  # fmt: skip


def compile_finding(fault: Fault, target: str) -> Finding:
    """Return the finding for a fault of a kernel that was compiled for a target."""
    said = clean(fault.text)
    reason = reason_of(ROWS, fault.text, fault) or Reason(said)
    blamed = shapes.blamed_sizes(fault)
    details = {"kernel": fault.kernel.__name__, "target": target, "triton": said}
    return Finding(
        "compile-error",
        f"{fault.function.__name__} does not compile: {reason.cause}.",
        file=reason.file or fault.file,
        line=reason.line or fault.line,
        next_step=None if reason.step is None else shapes.with_names(reason.step, fault.sizes),
        details={**details, "sizes": blamed} if blamed else details,
    )


def phrased(text: str) -> Reason | None:
    """Explain a message of Triton, with a next step, if its text alone identifies it; else return `None`."""
    return reason_of((*SYNTAX, *PHRASES), text)
