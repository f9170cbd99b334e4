"""Rewrite a kernel's Python so that the engine handles its assignments, loops and branches.

The rewritten function has the learner's file name and line numbers, its own copy of the globals, and is never stored
in the learner's module. `_tp` is the engine (`control.Control`) in those globals.
"""

from __future__ import annotations

import ast
import textwrap
from types import CodeType
from typing import Any, cast

from tritonpuzzles.compiler.answers import decided_by, is_question, place_of
from tritonpuzzles.engine.interpreter.errors import KernelError
from tritonpuzzles.engine.interpreter.keeping import Keeping
from tritonpuzzles.engine.interpreter.loops import assigned, called_in, can_mask, carries, deciding
from tritonpuzzles.engine.interpreter.syntax import (
    ENGINE,
    assign,
    attribute,
    engine_call,
    if_then,
    later,
    load,
    locals_now,
    method,
    placed,
    strings,
)

EARLY = f"{ENGINE}_early"  # the tensor, if any, that has decided whether a function returns early


def compile_kernel(function: Any, *, asks: bool, tells: bool) -> CodeType:
    """Return code that, when executed, defines the rewritten `JITFunction` without its defaults.

    With `asks` it reports answers to the questions in the source to the engine, with `tells` the values of variables.
    Raises KernelError for syntax that Triton does not have.
    """
    file, first_line = function.fn.__code__.co_filename, function.starting_line_number
    tree = ast.parse(textwrap.dedent("".join(function.raw_src)))
    definition = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    definition.decorator_list = []
    definition.returns = None
    given = definition.args
    given.defaults = [ast.Constant(None) for _ in given.defaults]
    given.kw_defaults = [default and ast.Constant(None) for default in given.kw_defaults]
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    if tells:
        definition = Keeping(first_line).visit(definition)
    rewriter = _Rewriter(file, first_line, definition if asks else None)
    rewritten = ast.Module(body=[rewriter.visit(definition)], type_ignores=[])
    ast.fix_missing_locations(rewritten)
    ast.increment_lineno(rewritten, first_line - 1)
    return compile(rewritten, file, "exec")


class _Rewriter(ast.NodeTransformer):
    """Replace syntax whose meaning differs between Triton and Python by calls of the engine.

    These are assignments, chained comparisons as in `a < b < c`, `and`, `or`, `not`, `for`, `while`, `if` and more.

    `first_line` is the line of the function's source in its file.
    """

    def __init__(self, file: str, first_line: int, asking: ast.FunctionDef | None) -> None:
        self._file, self._first_line = file, first_line
        self._asking = asking  # the function, if the answers to its questions are to be reported
        self._decide: set[ast.AST] = set()
        self._loops = 0  # number of loops around the visited node
        self._leaves_early = False  # whether a branch of the function returns
        self._names = 0

    def visit(self, node: ast.AST) -> Any:
        """Rewrite a node; if it is a question, also report question and answer to the engine."""
        self._decide.update(decided_by(node))
        decides = node in self._decide
        if self._asking is None or not isinstance(node, ast.expr) or not (decides or is_question(node)):
            return super().visit(node)
        asked = self._told("ask", ast.Constant(cast(Any, place_of(node, self._asking.lineno))))
        return placed(engine_call("answered", asked, ast.Constant(decides), super().visit(node)), node)

    def _told(self, what: str, *arguments: ast.expr) -> ast.Call:
        """Return a call that reports a position in the source to the engine."""
        return engine_call(f"asking.{what}", *arguments, ast.Constant(self._loops))

    def _at(self, node: ast.expr, begins: bool) -> ast.expr:
        """Return an expression that reports that a comprehension, or an item of it, begins, then evaluates `node`."""
        if self._asking is None:
            return node
        both = ast.Tuple([self._told("item", ast.Constant(begins)), node], ast.Load())
        return ast.Subscript(both, ast.Constant(1), ast.Load())

    def _inside(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Visit what is inside a loop."""
        self._loops += 1
        visited = self.generic_visit(ast.Module(body, []))
        self._loops -= 1
        return cast(ast.Module, visited).body

    def visit_Tuple(self, node: ast.Tuple | ast.List) -> Any:
        """Turn a tuple or list display into a tuple of Triton."""
        self.generic_visit(node)
        return node if isinstance(node.ctx, ast.Store) else placed(engine_call("items", *node.elts), node)

    visit_List = visit_Tuple

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        first = node.generators[0]
        first.iter = self._at(self.visit(first.iter), True)
        parts: list[Any] = self._inside(cast(Any, [*first.ifs, node.elt]))
        *first.ifs, node.elt = [self._at(parts[0], False), *parts[1:]]
        return placed(engine_call("items", ast.Starred(node, ast.Load())), node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Keep the tuple in the index of a block a Python tuple."""
        if not isinstance(node.slice, ast.Tuple):
            return self.generic_visit(node)
        node.value, node.slice.elts = self.visit(node.value), [self.visit(item) for item in node.slice.elts]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Make `.value` work on values that are constexprs to the compiler, and plain values here."""
        self.generic_visit(node)
        return placed(engine_call("constant", node.value), node) if node.attr == "value" else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None or not isinstance(node.target, ast.Name):
            return node
        return placed(assign(node.target.id, engine_call("annotated", node.annotation, self.visit(node.value))), node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        if len(node.targets) > 1:
            text = "SyntaxError: Triton has no chained assignment such as a = b = 0"
            raise KernelError(text, self._file, self._first_line + node.lineno - 1)
        method = "value" if isinstance(node.targets[0], ast.Name) else "taken_apart"
        node.value = placed(engine_call(method, self.visit(node.value)), node.value)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        node.value = placed(engine_call("value", self.visit(node.value)), node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Rewrite `a += b` as `a = a + b`."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        made = ast.BinOp(load(node.target.id), node.op, node.value)
        return placed(assign(node.target.id, engine_call("value", made)), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        return placed(engine_call("chosen", node.test, later(node.body), later(node.orelse)), node)

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        if self._leaves_early and node.value is not None:
            node.value = placed(engine_call("chosen_by", load(EARLY), node.value), node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """In a function with a `return` in a branch, keep the tensor that decides whether it is taken."""
        self._leaves_early = any(isinstance(inner, ast.If) and _leaves(inner) for inner in ast.walk(node))
        self.generic_visit(node)
        if self._leaves_early:
            node.body.insert(0, placed(assign(EARLY, ast.Constant(None)), node.body[0]))
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Mark an atomic operation that is a statement, such as `tl.atomic_add(...)`: its result is dropped."""
        match node.value:
            case ast.Call(ast.Attribute(attr=name) | ast.Name(name) as operation, arguments, named) if _is_atomic(name):
                node.value = placed(ast.Call(attribute(ENGINE, "dropped"), [operation, *arguments], named), node.value)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        names = ast.Tuple([ast.Constant(type(op).__name__) for op in node.ops], ast.Load())
        return placed(engine_call("compare", names, node.left, *node.comparators), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """Make `a and b` a call: on tensors it works element by element, and both sides are evaluated."""
        self.generic_visit(node)
        return placed(engine_call("boolean", ast.Constant(type(node.op).__name__), *map(later, node.values)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        return placed(engine_call("negated", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_For(self, node: ast.For) -> Any:
        target = node.target.id if isinstance(node.target, ast.Name) else None
        names = [name for name in assigned(node.body) if name != target]  # every iteration sets it anew
        masked, called = can_mask(node.body) and not node.orelse, called_in(node.body)
        carried = ast.Constant(carries(node.body, target))
        node.iter = self.visit(node.iter)
        node.body, node.orelse = self._inside(node.body), self._inside(node.orelse)
        if self._asking is not None and target is not None:
            node.body.insert(0, placed(ast.Expr(self._told("turn", load(target))), node))
        if not masked:
            return node
        loop = self._name("loop")
        node.body = _guarded(loop, names, node.body, self._name("old"))
        statements = [assign(loop, engine_call("loop", node.iter, strings(names), strings(called), carried)), node]
        node.iter = load(loop)
        if isinstance(node.target, ast.Name):
            statements.append(if_then(attribute(loop, "diverged"), [assign(node.target.id, method(loop, "last"))]))
        return [placed(statement, node) for statement in statements]

    def visit_While(self, node: ast.While) -> Any:
        names = assigned([*node.body, ast.Expr(node.test)])
        masked, called = can_mask(node.body) and not node.orelse, called_in(node.body)
        known = deciding(node.test, node.body)
        self.generic_visit(node)
        if not masked:
            return node
        loop = self._name("while")
        node.body = _guarded(loop, names, node.body, self._name("old"))
        node.test = placed(engine_call("test", load(loop), node.test), node.test)
        given = ast.Constant(None) if known is None else strings(list(known))
        return [placed(assign(loop, engine_call("repeat", strings(names), strings(called), given)), node), node]

    def visit_If(self, node: ast.If) -> Any:
        names = assigned([*node.body, *node.orelse])
        masked = can_mask(node.body) and can_mask(node.orelse)
        self.generic_visit(node)
        if _leaves(node):
            test = self._name("test")
            decided, node.test = assign(test, node.test), load(test)
            told = assign(EARLY, engine_call("early", load(EARLY), load(test)))
            return [placed(statement, node) for statement in (decided, told, node)]
        if not masked:
            return node
        branch, old = self._name("if"), self._name("old")
        statements: list[ast.stmt] = [assign(branch, engine_call("branch", node.test, strings(names)))]
        statements.append(if_then(method(branch, "then"), _guarded(branch, names, node.body, old)))
        if node.orelse:
            statements.append(if_then(method(branch, "otherwise"), _guarded(branch, names, node.orelse, old)))
        statements.append(ast.Expr(method(branch, "end")))
        return [placed(statement, node) for statement in statements]

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{ENGINE}_{kind}{self._names}"


def _is_atomic(name: str) -> bool:
    return name.startswith("atomic_")


def _leaves(branch: ast.If) -> bool:
    """Return whether a branch contains a `return`."""
    return any(isinstance(node, ast.Return) for node in ast.walk(branch))


def _guarded(region: str, names: list[str], body: list[ast.stmt], old: str) -> list[ast.stmt]:
    """Keep the values of `names` for programs that are not live: snapshot before the body, select after it."""
    masked = attribute(region, "masked")
    before = if_then(masked, [assign(old, engine_call("snapshot", locals_now()))])
    after: list[ast.stmt] = [assign(old, method(region, "merge", load(old), locals_now()))]
    for name in names:
        has = ast.Compare(ast.Constant(name), [ast.In()], [load(old)])
        after.append(if_then(has, [assign(name, ast.Subscript(load(old), ast.Constant(name), ast.Load()))]))
    return [placed(before, body[0]), *body, placed(if_then(masked, after), body[-1])] if names else body
