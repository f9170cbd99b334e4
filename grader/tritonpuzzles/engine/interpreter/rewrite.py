"""Rewrite a kernel's Python so that the engine sees its assignments, loops and branches.

The rewritten function has the learner's file name and line numbers, its own copy of the globals, and is never stored
in the learner's module. `_tp` is the engine (`control.Control`) in those globals.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable
from types import CodeType
from typing import Any, cast

from tritonpuzzles.compiler.answers import decided_by, is_question, place_of
from tritonpuzzles.engine.interpreter.errors import KernelError
from tritonpuzzles.engine.interpreter.loops import assigned, called_in, can_mask, carries, deciding

ENGINE = "_tp"
LOCALS = "_tp_locals"  # Python's `locals`: a kernel may have none of Python's builtins


def compile_kernel(
    function: Any,
    source: Iterable[str],
    first_line: int,
    before: ast.NodeTransformer | None = None,
    *,
    asks: bool = False,
) -> CodeType:
    """Return code that defines the rewritten function when it is executed, without its defaults.

    Args:
        function: the Python function, for its file name.
        source: its source lines, decorators included.
        first_line: line number of the first of them.
        before: rewrites the kernel first.
        asks: the engine is told what the questions in the text are answered.

    Raises:
        KernelError: for what Triton does not know.
    """
    tree = ast.parse(textwrap.dedent("".join(source)))
    definition = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    definition.decorator_list = []
    definition.returns = None
    given = definition.args
    given.defaults = [ast.Constant(None) for _ in given.defaults]
    given.kw_defaults = [default and ast.Constant(None) for default in given.kw_defaults]
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    if before is not None:
        definition = before.visit(definition)
    file = function.__code__.co_filename
    rewriter = _Rewriter(file, first_line, definition if asks and before is None else None)
    rewritten = ast.Module(body=[rewriter.visit(definition)], type_ignores=[])
    ast.fix_missing_locations(rewritten)
    ast.increment_lineno(rewritten, first_line - 1)
    return compile(rewritten, file, "exec")


class _Rewriter(ast.NodeTransformer):
    """Route what Triton does not do as Python does through the engine.

    Assignments, comparisons chained as in `a < b < c`, `and`, `or`, `not`, `for`, `while` and `if`.

    Args:
        file: of the kernel.
        first_line: in that file, of the text that is rewritten.
        asking: the function whose questions the engine is told the answers of; `None` for no such function.
    """

    def __init__(self, file: str, first_line: int, asking: ast.FunctionDef | None) -> None:
        self._file, self._first_line, self._asking = file, first_line, asking
        self._decide: set[ast.AST] = set()
        self._loops = 0  # around what is visited
        self.count = 0

    def visit(self, node: ast.AST) -> Any:
        """Rewrite a node, and have the engine told of what is asked there."""
        self._decide.update(decided_by(node))
        decides = node in self._decide
        if self._asking is None or not isinstance(node, ast.expr) or not (decides or is_question(node)):
            return super().visit(node)
        asked = self._told("ask", ast.Constant(cast(Any, place_of(node, self._asking.lineno))))
        return _copy(_call("answered", asked, ast.Constant(decides), super().visit(node)), node)

    def _told(self, what: str, *arguments: ast.expr) -> ast.Call:
        """Tell the engine where the text is."""
        method = ast.Attribute(_attribute(ENGINE, "asking"), what, ast.Load())
        return _call_on(method, *arguments, ast.Constant(self._loops))

    def _at(self, node: ast.expr, begins: bool) -> ast.expr:
        """Tell that a comprehension begins, or an item of it, before a part of it is evaluated."""
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
        """Make a tuple or list that is written out one of Triton's tuples."""
        self.generic_visit(node)
        return node if isinstance(node.ctx, ast.Store) else _copy(_call("items", *node.elts), node)

    visit_List = visit_Tuple

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        first = node.generators[0]
        first.iter = self._at(self.visit(first.iter), True)
        parts: list[Any] = self._inside(cast(Any, [*first.ifs, node.elt]))
        *first.ifs, node.elt = [self._at(parts[0], False), *parts[1:]]
        return _copy(_call("items", ast.Starred(node, ast.Load())), node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Leave the tuple between the brackets of a block as it is."""
        if not isinstance(node.slice, ast.Tuple):
            return self.generic_visit(node)
        node.value, node.slice.elts = self.visit(node.value), [self.visit(item) for item in node.slice.elts]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Take `.value` of what is a constant to the compiler, and itself here."""
        self.generic_visit(node)
        return _copy(_call("constant", node.value), node) if node.attr == "value" else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None or not isinstance(node.target, ast.Name):
            return node
        return _copy(_assign(node.target.id, _call("annotated", node.annotation, self.visit(node.value))), node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        if len(node.targets) > 1:
            text = "SyntaxError: Triton has no chained assignment such as a = b = 0"
            raise KernelError(text, self._file, self._first_line + node.lineno - 1)
        method = "value" if isinstance(node.targets[0], ast.Name) else "taken_apart"
        node.value = _copy(_call(method, self.visit(node.value)), node.value)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        node.value = _copy(_call("held", self.visit(node.value)), node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
            node.value = _copy(_call("added", _load(node.target.id), node.value), node.value)
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Say of `tl.atomic_add(...)` as a statement that its result is dropped."""
        match node.value:
            case ast.Call(ast.Attribute(attr=name) | ast.Name(name) as operation, arguments, named) if _is_atomic(name):
                node.value = _copy(ast.Call(_attribute(ENGINE, "dropped"), [operation, *arguments], named), node.value)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        names = ast.Tuple([ast.Constant(type(op).__name__) for op in node.ops], ast.Load())
        return _copy(_call("compare", names, node.left, *node.comparators), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """Make `a and b` a call: on tensors it works element by element, and both sides are evaluated."""
        self.generic_visit(node)
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        later = [ast.Lambda(nothing, value) for value in node.values]
        return _copy(_call("boolean", ast.Constant(type(node.op).__name__), *later), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        return _copy(_call("negated", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_For(self, node: ast.For) -> Any:
        target = node.target.id if isinstance(node.target, ast.Name) else None
        names = [name for name in assigned(node.body) if name != target]  # every iteration gives it a value anew
        masked, called = can_mask(node.body) and not node.orelse, called_in(node.body)
        carried = ast.Constant(carries(node.body, target))
        node.iter = self.visit(node.iter)
        node.body, node.orelse = self._inside(node.body), self._inside(node.orelse)
        if self._asking is not None and target is not None:
            node.body.insert(0, _copy(ast.Expr(self._told("turn", _load(target))), node))
        if not masked:
            return node
        loop = self._name("loop")
        node.body = _guarded(loop, names, node.body, self._name("old"))
        statements = [_assign(loop, _call("loop", node.iter, _strings(names), _strings(called), carried)), node]
        node.iter = _load(loop)
        if isinstance(node.target, ast.Name):
            statements.append(_if(_attribute(loop, "diverged"), [_assign(node.target.id, _method(loop, "last"))]))
        return [_copy(statement, node) for statement in statements]

    def visit_While(self, node: ast.While) -> Any:
        names = assigned([*node.body, ast.Expr(node.test)])
        masked, called = can_mask(node.body) and not node.orelse, called_in(node.body)
        known = deciding(node.test, node.body)
        self.generic_visit(node)
        if not masked:
            return node
        loop = self._name("while")
        node.body = _guarded(loop, names, node.body, self._name("old"))
        node.test = _copy(_call("test", _load(loop), node.test), node.test)
        given = ast.Constant(None) if known is None else _strings(list(known))
        return [_copy(_assign(loop, _call("repeat", _strings(names), _strings(called), given)), node), node]

    def visit_If(self, node: ast.If) -> Any:
        names = assigned([*node.body, *node.orelse])
        masked = can_mask(node.body) and can_mask(node.orelse)
        self.generic_visit(node)
        if not masked:
            return node
        branch, old = self._name("if"), self._name("old")
        statements: list[ast.stmt] = [_assign(branch, _call("branch", node.test, _strings(names)))]
        statements.append(_if(_method(branch, "then"), _guarded(branch, names, node.body, old)))
        if node.orelse:
            statements.append(_if(_method(branch, "otherwise"), _guarded(branch, names, node.orelse, old)))
        statements.append(ast.Expr(_method(branch, "end")))
        return [_copy(statement, node) for statement in statements]

    def _name(self, kind: str) -> str:
        self.count += 1
        return f"{ENGINE}_{kind}{self.count}"


def _is_atomic(name: str) -> bool:
    return name.startswith("atomic_")


def _guarded(region: str, names: list[str], body: list[ast.stmt], old: str) -> list[ast.stmt]:
    """Keep the values of `names` for programs that are not live: snapshot before the body, select after it."""
    masked = _attribute(region, "masked")
    before = _if(masked, [_assign(old, _call("snapshot", _locals()))])
    merged = _call_on(_attribute(region, "merge"), _load(old), _locals())
    after: list[ast.stmt] = [_assign(old, merged)]
    for name in names:
        has = ast.Compare(ast.Constant(name), [ast.In()], [_load(old)])
        after.append(_if(has, [_assign(name, ast.Subscript(_load(old), ast.Constant(name), ast.Load()))]))
    return [_copy(before, body[0]), *body, _copy(_if(masked, after), body[-1])] if names else body


def _copy(new: Any, old: ast.AST) -> Any:
    """Give every new node without a place the place of the statement that it stands for."""
    for node in ast.walk(new):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
            for name in ("lineno", "col_offset"):  # Python tells of a call by the last of its lines
                setattr(node, f"end_{name}", getattr(node, name))
    return new


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _attribute(name: str, attribute: str) -> ast.Attribute:
    return ast.Attribute(_load(name), attribute, ast.Load())


def _call_on(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.Call(function, list(arguments), [])


def _call(method: str, *arguments: ast.expr) -> ast.Call:
    return _call_on(_attribute(ENGINE, method), *arguments)


def _method(name: str, method: str) -> ast.Call:
    return _call_on(_attribute(name, method))


def _locals() -> ast.Call:
    return _call_on(_load(LOCALS))


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _if(test: ast.expr, body: list[ast.stmt]) -> ast.If:
    return ast.If(test, body, [])


def _strings(names: list[str]) -> ast.Tuple:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())
