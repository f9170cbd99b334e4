"""A text is the language of kernels or is refused, with one sentence, before anything of it runs."""

from __future__ import annotations

import linecache
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.runtime.jit import JITFunction

from tritonpuzzles.compiler import TARGETS, Launch, compile_launch
from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.text.kernels import Refused, build_kernels
from tritonpuzzles.engine.text.language import ALLOWED, present, python_builtins
from tritonpuzzles.wire.kernels import read_kernels

from .texts import FILE, HEAD, LINE, PARAMETERS, TL, built, described, kernel_of, parameter, text_of

HELPER = {"helper": {"kernel": 0}}
TRITON = {"triton": {"language": "triton"}}

UNSAFE = {
    "class of a value": "y.__class__",
    "another spelling of class": "y.__cl\N{MATHEMATICAL FRAKTUR SMALL A}ss__",
    "subclasses": "().__class__.__base__.__subclasses__()",
    "module behind the language": "tl.core.knobs.runtime",
    "builtins behind the language": "tl.core.builtins.open('x')",
    "inspect behind the language": "tl.core.inspect",
    "loader of extra": "tl.extra.module_from_spec(1)",
    "decorators of Triton": "tl.core.builtin(n)",
    "private function": "tl.core._unwrap_if_constexpr(n)",
    "globals of a builtin": "tl.load.__globals__",
    "self of print": "print.__self__",
    "getattr": "getattr(x, '__class__')",
    "getattr of what is computed": "getattr(x, 'han' + 'dle')",
    "getattr by keyword": "getattr(x, name='handle')",
    "getattr of starred arguments": "getattr(*(tl.load, '__globals__'), 'value')",
    "getattr of starred arguments and nothing": "getattr(*(tl.load, '__globals__'), 'value', *())",
    "getattr with more keywords": "getattr(x, 'value', default=1)",
    "hasattr": "hasattr(x, 'handle')",
    "hasattr of starred arguments": "hasattr(*(x, 'handle'))",
    "a list": "a = list((1, 2))",
    "a comprehension's variable again": "a = [n for n in (1, 2)]",
    "getattr by another name": "g: tl.constexpr = getattr",
    "format string": "'{0.__class__}'.format(x)",
    "format_map": "'{x}'.format_map(n)",
    "attribute in an f-string": "f'{x.__class__}'",
    "handle": "x.handle",
    "handle of a transposed block": "tl.load(x).T.handle.data.tofile('x')",
    "engine": "_tp.builder.memory",
    "locals": "_tp_locals()",
    "dunder import": "__import__('os')",
    "dunder builtins": "__builtins__['open']",
    "dunder name in a store": "__name__ = 'triton.language.core'",
    "code of a lambda": "(lambda: 0).__code__",
    "frame of a generator": "(v for v in range(3)).gi_frame",
    "frame by attribute": "tl.load(x).gi_frame.f_back",
    "traceback": "n.tb_frame",
    "function inside a kernel": "tl.sum.fn",
    "source inside a kernel": "helper.raw_src",
    "run of a kernel": "helper.run(x)",
    "launch": "helper[(1,)](x)",
    "launch of Triton's own": "tl.sum[(1,)](x, 0)",
    "launch by another name": "g: tl.constexpr = helper[(1,)]",
    "call of a call": "helper(x)(y)",
    "Triton's own argument": "tl.load(x, _semantic=n)",
    "module as a value": "m = tl",
    "module in a condition": "(tl if n else x).core",
    "module and variable": "tl = 3",
    "walrus": "(a := x.__dict__)",
    "a tensor out of nothing": "tl.tensor(1, tl.int32)",
    "the runtime": "triton.runtime.driver",
    "the compiler": "triton.compiler",
    "power tower": "a = 10 ** 10 ** 9",
    "power": "a = n ** 1_000_000_000",
    "repeated text": "a = 'a' * 10 ** 12",
    "repeated list": "a = [0] * 1_000_000_000",
    "shift": "a = 1 << 10 ** 9",
    "factorial by hand": "a = " + " * ".join(["99999999999999999999"] * 80),
    "huge integer": f"a = {'9' * 200}",
    "long text": f"a = '{'a' * 5000}'",
    "deep expression": f"a = {'-' * 250}1",
    "mro": "tl.float32.mro()",
    "exception's traceback": "ValueError().with_traceback(n)",
    "module of a function": "tl.load.__module__",
    "nested function's attribute": "def f(v):\n    return v.__class__\nf(x)",
    "comprehension": "[v.__class__ for v in (1, 2)]",
    "attribute in an annotation": "a: x.__class__ = 1",
    "slice": "y[x.__class__:]",
    "after a return": "return\nx.__class__",
    "unreachable": "if False:\n    x.__class__",
}

ONLY_COMPILED = {
    "open": "open('/etc/passwd')",
    "exec": "exec('import os')",
    "eval": "eval('1')",
    "globals": "globals()",
    "vars": "vars(x)",
    "type": "type(x)",
    "import": "import os",
    "import from": "from os import system",
    "class": "class C:\n    pass",
    "try": "try:\n    tl.load(x)\nexcept:\n    pass",
    "with": "with tl.load(x) as f:\n    pass",
    "generator": "(v for v in range(3))",
    "yield": "yield 1",
    "global": "global a\na = 1",
    "delete": "del x",
    "match": "match n:\n    case object(__class__=c):\n        pass",
    "attribute of Triton replaced": "tl.load = n",
    "attribute in a loop": "for tl.load in range(3):\n    pass",
    "decorated function": "@n\ndef f():\n    pass",
    "double star": "tl.load(x, **{'_semantic': n})",
    "percent": "a = '%s' % n",
    "format specification": "a = f'{n:>1000000000}'",
    "a list of the file's": "a = table[0]",
    "a lambda of the file's": "a = twice(n)",
    "an array of the file's": "a = array.sum()",
}
UNKNOWN = {
    "table": {"unknown": {"type": "dict", "name": "", "callable": False}},
    "twice": {"unknown": {"type": "function", "name": "", "callable": True}},
    "array": {"unknown": {"type": "ndarray", "name": "", "callable": False}},
}


def one_sentence(result: Any) -> str:
    """Assert that a kernel was refused with one sentence; return it."""
    assert isinstance(result, Refused), result
    message = result.fact.message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 300
    assert result.fact.file == FILE
    assert result.fact.line
    return message


@pytest.mark.parametrize("body", UNSAFE.values(), ids=UNSAFE)
def test_what_harms_is_refused_for_interpreter_and_compiler(body: str) -> None:
    helper = described(name="helper", line=3, parameters=[parameter("v")], names=TL)
    text = "\n\ndef helper(v):\n    return v\n\n\n" + text_of(body)
    kernel = described(line=LINE + 6, names={**TL, **HELPER, **TRITON})
    result = built(text, helper, kernel)[1]
    one_sentence(result)
    assert result.function is None
    assert result.fact.code == "unsupported-operation"


@pytest.mark.parametrize("body", ONLY_COMPILED.values(), ids=ONLY_COMPILED)
def test_what_the_compiler_refuses_by_itself_is_left_to_it(body: str) -> None:
    result = kernel_of(body, UNKNOWN)
    one_sentence(result)
    assert result.fact.line >= LINE
    launch = Launch(result.function, {"x": torch.zeros(64), "y": torch.zeros(64), "n": 100, "B": 64})
    outcome = compile_launch(launch, TARGETS["sm_90"])
    assert not outcome.result.ok or body.startswith("a = ")
    assert all(finding.file == FILE for finding in outcome.findings)


RUN_BY_PYTHON = {
    "class pattern": "match v:\n    case tl.tensor(__init__=i):\n        return i",
    "exception": "try:\n    v()\nexcept ValueError as error:\n    return error",
    "context": "with v as f:\n    return f",
    "class": "class C:\n    pass\nreturn C",
    "import": "import os\nreturn os",
    "attribute replaced": "v.kept = 1",
    "double star": "return tl.load(v, **{'_semantic': v})",
}


@pytest.mark.parametrize("body", RUN_BY_PYTHON.values(), ids=RUN_BY_PYTHON)
def test_the_compiler_is_not_left_what_it_has_python_run(body: str) -> None:
    text = text_of(body, "def f(v):")
    (result,) = built(text, described(name="f", kind="constexpr-function", parameters=[parameter("v")]))
    one_sentence(result)
    assert result.function is None


def test_getattr_is_looked_at_again_where_it_runs() -> None:
    kernel_of("tl.store(y, 1.0)")
    for ask in (python_builtins()["getattr"], CodeGenerator.builtin_namespace["getattr"]):
        assert ask(tl.constexpr(3), "bit_length")() == 2
        assert ask(tl.load, "numel", 3) == 3
        for name in ("__globals__", "handle", tl.constexpr("value")):
            with pytest.raises(AttributeError, match="a value in a kernel has no"):
                ask(tl.load, name)
    for ask in (python_builtins()["hasattr"], CodeGenerator.builtin_namespace["hasattr"]):
        assert not ask(3, "value")
        with pytest.raises(AttributeError):
            ask(tl.load, "__globals__")


# Nothing that a kernel can change


@pytest.mark.parametrize("change", ["append(1)", "extend((1,))", "insert(0, 1)", "pop()", "remove(1)", "reverse()"])
def test_a_list_is_not_changed(change: str) -> None:
    result = kernel_of(f"a = [1, 2]\na.{change}\ntl.store(y, 1.0)")
    assert "a list in a kernel cannot be changed" in one_sentence(result)
    launch = Launch(result.function, {"x": torch.zeros(64), "y": torch.zeros(64), "n": 100, "B": 64})
    assert not compile_launch(launch, TARGETS["sm_90"]).result.ok


def test_a_constexpr_function_has_lists_and_returns_none() -> None:
    text = text_of("found = [v, [v]]\nfound.append(v + 1)\nfound += [0]\nreturn found", "def f(v):")
    (function,) = built(text, described(name="f", kind="constexpr-function", parameters=[parameter("v")]))
    assert function(3) == (3, (3,), 4, 0)
    assert function(tl.constexpr(3), _semantic=object()).value == (3, (3,), 4, 0)


@pytest.mark.parametrize("made", ["dict()", "set()", "lambda: v", "zip((1,), (2,))", "(1, dict())"])
def test_a_constexpr_function_returns_nothing_that_changes(made: str) -> None:
    text = text_of(f"return {made}", "def f(v):")
    (function,) = built(text, described(name="f", kind="constexpr-function", parameters=[parameter("v")]))
    with pytest.raises(TypeError, match="a constexpr function returns"):
        function(3)


def test_attributes_that_nobody_has_are_left_to_python() -> None:
    for name in ("astype", "half", "float", "bfloat16", "cuda", "mean", "unsqueeze_", "size", "numpy"):
        assert not present(name), name
    for name in (
        "handle",
        "data",
        "fn",
        "run",
        "format",
        "gi_frame",
        "f_globals",
        "tofile",
        "ctypes",
        "mro",
        "_x",
        "core",
    ):
        assert present(name), name
    assert not any(present(name) for name in ALLOWED)


# Descriptions that lie

LIES: dict[str, dict[str, Any]] = {
    "another line": {"line": LINE + 1},
    "the line of a decorator": {"line": LINE - 1},
    "a line past the end": {"line": 99_999},
    "another file": {"file": "/etc/passwd"},
    "another name": {"name": "j"},
    "another parameter": {"parameters": [parameter("z"), *PARAMETERS[1:]]},
    "a parameter too few": {"parameters": PARAMETERS[1:]},
    "a parameter too many": {"parameters": [*PARAMETERS, parameter("z")]},
    "parameters in another order": {"parameters": PARAMETERS[::-1]},
    "a default that is not there": {"parameters": [*PARAMETERS[:3], parameter("B", "constexpr", [3])]},
    "a part of Triton that is none": {"names": {"tl": {"language": "triton.runtime"}}},
    "a module behind Triton": {"names": {"tl": {"language": "triton.language.core.sys"}}},
    "another module": {"names": {"tl": {"language": "os"}}},
    "getattr by another name": {"names": {**TL, "isinstance": {"python": "builtins.getattr"}}},
    "a builtin": {"names": {**TL, "f": {"python": "builtins.eval"}}},
    "another builtin": {"names": {**TL, "f": {"python": "builtins.open"}}},
    "a function of os": {"names": {**TL, "f": {"python": "os.system"}}},
    "a dtype that is none": {"names": {**TL, "f": {"dtype": "fp31"}}},
    "a field that hides another": {"names": {**TL, "P": {"namedtuple": {"name": "P", "fields": ["handle"]}}}},
    "a field of a frame": {"names": {**TL, "P": {"namedtuple": {"name": "P", "fields": ["gi_frame"]}}}},
    "a keyword as a field": {"names": {**TL, "P": {"namedtuple": {"name": "P", "fields": ["class"]}}}},
    "a module in a tuple": {"names": {**TL, "m": {"tuple": [{"language": "triton.language"}]}}},
    "a module in a constexpr": {"names": {**TL, "m": {"constexpr": {"language": "triton"}}}},
    "math in a tuple": {"names": {**TL, "m": {"tuple": [{"python": "math"}]}}},
    "a file's module in a tuple": {"names": {**TL, "m": {"tuple": [{"module": {"name": "m", "attributes": {}}}]}}},
    "the engine's name": {"names": {**TL, "_tp": 3}},
}  # fmt: skip


@pytest.mark.parametrize("changes", LIES.values(), ids=LIES)
def test_a_description_that_lies_is_refused(changes: dict[str, Any]) -> None:
    (result,) = built(text_of("tl.store(y, 1.0)"), described(**changes))
    assert isinstance(result, Refused)
    assert result.function is None
    assert result.fact.message.count("\n") == 0


def test_a_name_that_is_said_to_be_unknown_opens_nothing() -> None:
    unknown = {"unknown": {"type": "list", "name": "", "callable": False}}
    for name in ("x", "v"):
        result = kernel_of("v = tl.load(x)\nv.handle\nx.handle", {name: unknown})
        assert "handle" in one_sentence(result)
        assert result.function is None


def test_a_default_is_no_module() -> None:
    text = text_of("m.core.knobs", "def k(m=None):")
    (result,) = built(text, described(parameters=[parameter("m", default=[{"language": "triton.language"}])]))
    one_sentence(result)
    assert result.function is None


def test_kernels_whose_defaults_are_each_other_are_refused() -> None:
    text = "def a(f=None):\n    pass\n\n\ndef b(f=None):\n    pass\n"
    first = described(name="a", line=1, parameters=[parameter("f", default=[{"kernel": 1}])])
    second = described(name="b", line=5, parameters=[parameter("f", default=[{"kernel": 0}])])
    for result in built(text, first, second):
        one_sentence(result)


TEXTS = {
    "no Python": f"{text_of('pass')}\n)",
    "a number of 5,000 digits": text_of(f"a = {'9' * 5000}"),
    "parentheses": text_of(f"a = {'(' * 5000}1{')' * 5000}"),
    "minus signs": text_of(f"a = {'-' * 50_000}1"),
    "null": text_of("a = '\0'"),
    "a generator of code": text_of("pass") + "\n" + "x = 1\n" * 300_000,
    "async": text_of("pass").replace("def k", "async def k"),
    "nothing": "",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_that_cannot_be_read_is_refused(text: str) -> None:
    (result,) = built(text, described())
    one_sentence(result)
    assert result.function is None


def test_the_text_that_triton_finds_is_looked_at_too() -> None:
    """Triton looks for `def` at the beginning of a line, and takes a docstring for the function."""
    text = 'def \\\n  k(x):\n    """\ndef k(x): x.__class__\n"""\n'
    (result,) = built(text, described(line=1, parameters=[parameter("x")]))
    one_sentence(result)
    assert result.function is None


# Nothing of the file is evaluated


def test_decorators_defaults_and_annotations_are_not_evaluated(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    write = f"open({str(mark)!r}, 'w')"
    text = f"@{write}\ndef k(x, n: tl.float32 = tl.zeros) -> tl.int32:\n    tl.store(x, n)\n"
    two = [parameter("x"), parameter("n", "", [2.5])]
    (function,) = built(text, described(line=2, parameters=two))
    assert isinstance(function, JITFunction)
    assert function.fn.__defaults__ == (2.5,)
    evil = text.replace("tl.zeros", write)
    (result,) = built(evil, described(line=2, parameters=two))
    assert "open" in one_sentence(result)
    assert not mark.exists()


def test_a_kernel_has_no_builtins_but_those_of_kernels() -> None:
    function = kernel_of("tl.store(y, n)")
    assert function.fn.__builtins__.keys().isdisjoint({"open", "eval", "exec", "__import__", "type", "vars", "globals"})
    assert "__builtins__" in function.fn.__globals__


def test_the_interpreter_gives_a_kernel_no_more() -> None:
    frames: list[types.FrameType] = []
    function = kernel_of("tl.store(y, spy(n))", {"spy": {"language": "triton.language.program_id"}})
    function.fn.__globals__["spy"] = lambda value: frames.append(sys._getframe(1)) or 1.0
    with Tracer() as tracer:
        function[(1,)](torch.zeros(1), torch.zeros(1), 3, B=4)
    assert not tracer.facts
    assert "range" in frames[0].f_builtins
    assert frames[0].f_builtins.keys().isdisjoint({"open", "__import__", "eval", "locals"})


def test_an_undefined_name_is_no_builtin_either() -> None:
    function = kernel_of("tl.store(y, valeu)")
    with Tracer(), pytest.raises(KernelError, match="valeu") as caught:
        function[(1,)](torch.zeros(1), torch.zeros(1), 3, B=4)
    assert (caught.value.file, caught.value.line) == (FILE, LINE + 1)


def test_parameters_that_must_be_named_keep_their_defaults() -> None:
    text = text_of("tl.store(x, scale)", "def k(x, /, n=1, *rest, scale=2.0):")
    two = [parameter("x"), parameter("n", "", [1]), parameter("rest"), parameter("scale", "", [3.5])]
    (function,) = built(text, described(parameters=two))
    assert (function.fn.__defaults__, function.fn.__kwdefaults__) == ((1,), {"scale": 3.5})


def test_a_long_sum_is_no_bomb() -> None:
    function = kernel_of("tl.store(y, " + " + ".join(["1.0"] * 130) + ")")
    y = torch.zeros(1)
    with Tracer():
        function[(1,)](torch.zeros(1), y, 3, B=4)
    assert y.item() == 130
    given = {"x": y, "y": y, "n": 3, "B": 4}
    assert compile_launch(Launch(function, given), TARGETS["sm_90"]).result.ok


# Lines


def test_lines_are_those_of_the_text_whatever_is_on_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text("raise SystemExit\n" * 30)
    text = "# a comment\n" * 20 + text_of("a = tl.arange(0, 100)\ntl.store(y, tl.sum(a))")
    table = read_kernels([described(file=str(file), line=LINE + 20)])
    (function,) = build_kernels({str(file): text}, table)
    assert function.starting_line_number == LINE + 20
    assert function.raw_src[0].startswith("def k(")
    outcome = compile_launch(
        Launch(function, {"x": torch.zeros(4), "y": torch.zeros(4), "n": 1, "B": 4}), TARGETS["sm_90"]
    )
    (finding,) = outcome.findings
    assert (finding.file, finding.line) == (str(file), LINE + 21)
    assert "power of two" in finding.message
    linecache.checkcache()
    assert linecache.getline(str(file), LINE + 20).startswith("def k(")


def test_windows_lines_and_a_byte_order_mark_change_nothing() -> None:
    text = "\ufeff" + text_of("tl.store(y, 1.0)").replace("\n", "\r\n")
    (function,) = built(text, described())
    y = torch.zeros(1)
    with Tracer():
        function[(1,)](torch.zeros(1), y, 3, B=4)
    assert y.item() == 1.0


def test_a_kernel_that_calls_what_is_refused_is_refused() -> None:
    text = "def inner(v):\n    return v.__class__\n\n\ndef outer(v):\n    return inner(v)\n"
    inner = described(name="inner", line=1, parameters=[parameter("v")])
    outer = described(name="outer", line=5, parameters=[parameter("v")], names={"inner": {"kernel": 0}})
    for result in built(text, inner, outer):
        assert result.fact.line == 2
        assert result.function is None


def test_the_language_s_own_functions_that_begin_with_an_underscore_are_of_the_language() -> None:
    names = {name: {"language": f"triton.language.standard.{name}"} for name in ("_log2", "_bitonic_merge")}
    body = "v = tl.load(x + tl.arange(0, B))\ntl.store(y + tl.arange(0, B), _bitonic_merge(v, _log2(B), 0, _log2(B)))"
    kernel = kernel_of(body, names)
    values = torch.cat([torch.arange(8.0), torch.arange(8.0).flip(0)])
    result = torch.empty(16)
    with Tracer():
        kernel[(1,)](values, result, 16, B=16)
    assert torch.equal(result, values.sort().values)


def test_a_module_of_the_language_holds_no_way_out() -> None:
    """Whatever the check lets through leads to functions, dtypes, constants and classes of the language."""
    import triton.language as tl

    from tritonpuzzles.engine.text.language import MISSING, ForbiddenError, member

    waiting, seen = [tl], set()
    while waiting:
        module = waiting.pop()
        for name in dir(module):
            try:
                value = member(module, name)
            except ForbiddenError:
                continue
            if isinstance(value, types.ModuleType) and value.__name__ not in seen:
                seen.add(value.__name__)
                waiting.append(value)
            assert value is MISSING or not isinstance(value, types.ModuleType) or "triton.language" in value.__name__
    assert {"triton.language.math", "triton.language.core"} <= seen
    assert HEAD.startswith("import triton")
