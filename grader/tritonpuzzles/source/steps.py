"""How a kernel's text steps through a tensor: the parts of an address, what advances it, and what its mask bounds."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from tritonpuzzles.source.functions import Function, Loop, Step, factors, is_call, language_calls, lines_of, names_in
from tritonpuzzles.source.loops import PROGRAM

RANGES = ("range", "tl.range")


@dataclass(frozen=True)
class Address:
    """The address of the load or store in a line of a kernel, and its mask."""

    function: Function  # the kernel
    line: int  # of the access in its file
    access: str  # "load" or "store"

    @property
    def _calls(self) -> list[ast.Call]:
        return [call for call in language_calls(self.function.nodes, self.access) if call.lineno == self.line]

    @cached_property
    def steps(self) -> list[Step]:
        """Its parts: its own expression, and those of all names that it depends on; none for several in the line."""
        here = [call.args[0] for call in self._calls if call.args]
        return _made_of(self.function, [Step("", here[0], self.line, moves=False)]) if len(here) == 1 else []

    @cached_property
    def mask_steps(self) -> list[Step]:
        """The parts of the mask; see `steps`."""
        words = [word for call in self._calls for word in call.keywords if word.arg == "mask"]
        return _made_of(self.function, [Step("", word.value, self.line, moves=False) for word in words])

    @property
    def moved(self) -> Step | None:
        """The step that advances it in each iteration of a loop, if there is one only."""
        return _nearest(self.steps, [step for step in self.steps if step.moves])

    @property
    def begun(self) -> Step | None:
        """The part that does not start at 0 before the loop around the access, if there is one only.

        A loop's variable starts with the loop; what a loop advances starts with its assignment. Parts that go backwards
        are ignored, because they may start anywhere.
        """
        steps = self.steps
        names = {name for step in steps for name in step.names}
        moved = {step.name for step in steps if step.moves} - {step.name for step in steps if _is_negative(step.added)}
        starts = [step for step in _starts_around(self.function, self.line) if step.name in names]
        starts += [step for step in steps if step.name in moved and not step.moves and not _NUMBERED & step.names]
        late = [step for step in starts if step.text and ast.unparse(step.added) not in ("0", "0.0")]
        return late[0] if len(late) == 1 else None

    @property
    def from_program(self) -> Step | None:
        """The part that multiplies the program id, else the next one that depends on it."""
        steps, reads = self.steps, [step for step in self.steps if PROGRAM in ast.unparse(step.added)]
        scaled = _nearest(steps, [step for step in reads if step.name and len(factors(step.added)) > 1])
        if scaled is not None:
            return scaled
        ids = {step.name for step in reads} - {""}
        found = [step for step in steps[1:] if step.names & ids and step.name not in ids]
        return _nearest(steps, found or [step for step in steps if step.name in ids and _is_sum(step.added)])

    def apart(self, bound: Mapping[str, Any]) -> tuple[int, str, str] | None:
        """Return where it starts at a program id times another constant than its number of lanes: line, constants."""
        for step in self.steps:
            for node in ast.walk(step.added):
                match node:
                    case ast.BinOp(
                        ast.BinOp(ast.Name(), ast.Mult(), ast.Name(begins)),
                        ast.Add(),
                        ast.Call(args=[ast.Constant(0), ast.Name(takes)]),
                    ) if {begins, takes} <= set(self.function.constants) and bound.get(begins) != bound.get(takes):
                        return step.line, begins, takes
        return None

    def unbounded(self, numbers: Mapping[str, Any], shape: Collection[int]) -> str:
        """Return its only name that holds a range and that the mask does not bound; else "".

        The launch passes `numbers` by name. A range of exactly one of the sizes of the tensor, `shape`, needs no mask.
        """
        ranges = ranges_of(self.function)
        in_address = _reached([step.added for step in self.steps], ranges)
        masks = [step.added for step in self.mask_steps]
        in_mask = _reached(masks, ranges)
        named = [added for known in ranges.values() for added in known]
        unnamed = [mask for mask in masks if _has_range(mask) and ast.dump(mask) not in map(ast.dump, named)]
        if not masks or unnamed or in_mask - in_address:
            return ""  # the mask may bound it under another name
        bare = {name for name in in_address - in_mask if not any(_fits(one, numbers, shape) for one in ranges[name])}
        return bare.pop() if len(bare) == 1 else ""

    @property
    def has_fixed_mask(self) -> bool:
        """Whether the mask is the same in every iteration of a loop, by the assignments to its names."""
        passed = [step.added for step in self.mask_steps if not step.name]
        looped = bool(passed) and bool(self.function.around(self.line))
        return looped and not self.function.changing(self.line) & names_in(*passed)


def addresses(function: Function) -> Iterator[list[Step]]:
    """Yield the parts of the address of each load and store."""
    for call in function.accesses:
        yield Address(function, call.lineno, "store" if is_call(call, "store") else "load").steps


def lines_to(function: Function, pointer: str) -> set[int]:
    """Return the lines that compute the addresses of a tensor's loads and stores."""
    of_pointer = (made for made in addresses(function) if any(pointer in step.names for step in made))
    return {step.line for made in of_pointer for step in made}


def stepped_by(kernels: Sequence[Function], tensors: Collection[str]) -> dict[str, set[str]]:
    """Return, for each name of a kernel that occurs in the addresses of only one tensor, that tensor.

    Beside the addresses of accesses, what is added to the tensor's own name counts: a helper function may load from it.
    """
    found: dict[str, set[str]] = {}
    for kernel in kernels:
        for made in (*addresses(kernel), *([step] for step in kernel.steps if step.name in tensors)):
            names = {name for step in made for name in (step.name, *step.names)}
            pointers = names & {*tensors}
            for name in names - pointers if len(pointers) == 1 else ():
                found.setdefault(name, set()).update(pointers)
    return {name: pointers for name, pointers in found.items() if len(pointers) == 1}


def _made_of(function: Function, found: list[Step]) -> list[Step]:
    """Return steps, and those that may reach them through the names in them."""
    for step in found:  # it grows meanwhile
        reaching = [one for name in sorted(step.names) for one in function.reaching(name, step.line)]
        found += [one for one in reaching if one not in found]
    return found


def products(steps: Sequence[Step]) -> list[set[str]]:
    """Return the names in each product in an address."""
    return [
        names_in(product)
        for step in steps
        for product in ast.walk(step.added)
        if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult)
    ]


def made_in(function: Function, line: int, name: str) -> int | None:
    """Return the line that defines the value of a name at another line of the file: the only one, or the loop's."""
    made = {step.line for step in function.reaching(name, line)}
    loops = function.around(line)
    inside = made & {*lines_of(loops[-1])} if loops else set[int]()
    return made.pop() if len(made) == 1 else inside.pop() if len(inside) == 1 else None


_NUMBERED = {"tl", "triton"}  # from tl.arange or tl.program_id


def _starts_around(function: Function, line: int) -> Iterator[Step]:
    """Yield the start of each loop over `range` around a line, if it is written."""
    for loop in function.around(line):
        match loop:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=func, args=[start, _, *step])) if ast.unparse(
                func
            ) in RANGES and not any(map(_is_negative, step)):
                yield Step(name, start, loop.lineno, moves=False)


def _is_negative(part: ast.expr) -> bool:
    return isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub)


def _is_sum(part: ast.expr) -> bool:
    """Return whether an expression is a sum, perhaps with a new axis: `(pid + tl.arange(0, 4))[:, None]`."""
    part = part.value if isinstance(part, ast.Subscript) else part
    return isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add)


def _nearest(steps: list[Step], some: list[Step]) -> Step | None:
    """Return the step that the access itself uses, or the only one of some steps; else `None`."""
    own = [step for step in some if step.name in steps[0].names] or some
    return own[0] if len(own) == 1 else None


def ranges_around(function: Function, line: int) -> list[tuple[int, str, str]]:
    """Return the loops over `range` around a line of the file: line, variable, and the name of the end."""
    found = []
    for loop in function.around(line):
        end = end_of(loop)
        if isinstance(end, ast.Name) and isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            found.append((loop.lineno, loop.target.id, end.id))
    return found


def end_of(loop: Loop) -> ast.expr | None:
    """Return the end of a loop over a range, or of `while` with an upper bound, as in the text."""
    match loop:
        case ast.For(iter=ast.Call(func=func, args=[*_, _] as args)) if ast.unparse(func) in RANGES:
            return args[min(len(args), 2) - 1]
        case ast.While(test=ast.Compare(ast.Name(), [ast.Lt() | ast.LtE()], [end])):
            return end
    return None


def unused_strides(function: Function) -> list[str]:
    """Return the parameters named as strides that a kernel's body never reads."""
    strides = [name for name in function.parameters if "stride" in name]
    read = {node.id for node in function.nodes if isinstance(node, ast.Name)} if strides else set()
    return [name for name in strides if read and name not in read]


def is_stride_of(name: str, pointer: str) -> bool:
    """Return whether a parameter is a stride of a tensor, by their names: `x_row_stride` or `stride_xm` of `x_ptr`."""
    stem = re.escape(pointer.removesuffix("_ptr"))
    return re.fullmatch(rf"{stem}_(\w+_)?stride\w*|stride_{stem}(\w|_\w+)?", name) is not None


def loaded_twice(function: Function, lines: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of some lines, in order, that load from the same address in the same iteration of the same loops."""
    loads = sorted(language_calls(function.nodes, "load"), key=lambda load: load.lineno)
    for one, other in combinations([load for load in loads if load.args and load.lineno in lines], 2):
        between = {step.name for step in function.steps if one.lineno < step.line < other.lineno}
        same = ast.dump(one.args[0]) == ast.dump(other.args[0]) and not names_in(one.args[0]) & between
        if same and one.lineno != other.lineno and function.around(one.lineno) == function.around(other.lineno):
            yield one.lineno, other.lineno


def ranges_of(function: Function) -> dict[str, list[ast.expr]]:
    """Return the names that hold a range, each with the expressions assigned to it."""
    found: dict[str, list[ast.expr]] = {}
    for step in function.steps:
        if _has_range(step.added):
            found.setdefault(step.name, []).append(step.added)
    return found


def _reached(parts: Collection[ast.expr], ranges: Collection[str]) -> set[str]:
    return names_in(*parts) & set(ranges)


def _has_range(part: ast.expr) -> bool:
    return bool(language_calls(ast.walk(part), "arange"))


def _fits(part: ast.expr, numbers: Mapping[str, Any], shape: Collection[int]) -> bool:
    """Return whether a range wraps around, or has the length of one of the tensor's axes."""
    if any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) for node in ast.walk(part)):
        return True
    if not (isinstance(part, ast.Call) and language_calls([part], "arange") and part.args):
        return False
    end = part.args[-1]
    size = numbers.get(end.id) if isinstance(end, ast.Name) else getattr(end, "value", None)
    return size in shape
