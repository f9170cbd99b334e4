"""Find the host code's line that explains a finding on a grid, a size, an early return, or an output's form."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.verdict.compare import GRADIENT_OF, OUTPUT
from tritonpuzzles.judge.verdict.limits import NEEDLESS
from tritonpuzzles.judge.verdict.traffic import TOO_MANY_READS
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import GRADIENTS, IS_EMPTY, LIMITS, NO_WORK, PASSED, PROGRAMS, SIZES, TILE, UNWRITTEN
from tritonpuzzles.results.words import listed
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import Function, assignments_in, factors, is_call
from tritonpuzzles.source.passing import argument_line

ROWS = "Let each program take several rows, in a loop: for row in range(tl.program_id(0), n_rows, tl.num_programs(0))."
OF_THE_GPU = frozenset({"more-programs-than-fit", "idle-multiprocessors"})
OTHER_MEMORY = "wrong-memory"
FEW = 4  # cases in which a condition prevents a launch
LARGE = 16  # fewer than the multiprocessors of any GPU here
ALIASES = "aliases-input"
FORMS = frozenset({"wrong-type", "wrong-shape", "wrong-dtype", "wrong-device", "wrong-strides", OTHER_MEMORY, ALIASES})
NEEDS = "needs_input_grad"
IN_ORDER = "Return the gradients in the order of forward's arguments: check the place of each."
PLACES = f"ctx.{NEEDS} follows the arguments of forward: place"


def in_the_host_code(findings: Sequence[Finding], task: Task, source: Source) -> list[Finding]:
    """Return findings; those that the host function's text explains get its line."""
    rare = sum(finding.code == OTHER_MEMORY for finding in findings) <= FEW
    found = [_with_a_loop(finding, task, source) for finding in findings]
    found = [_of_a_whole_row(finding, task, source) for finding in found]
    found = [_left_early(finding, source) if rare else finding for finding in found]
    always = {finding.line for finding in found if IS_EMPTY not in finding.details}
    found = [finding if finding.line in always else _of_nothing(finding, source) for finding in found]
    for place in (_of_another_gpu, at_the_numbering, at_the_grid, at_the_argument, _of_a_dropped_copy, with_places):
        found = [place(finding, source) for finding in found]
    misshapen = {finding.details.get(OUTPUT) for finding in found if finding.code == "wrong-shape"}
    found = [_for_nothing(finding, task, source) for finding in found]
    return [at_their_making(finding, task, source, misshapen) for finding in found]


def _with_a_loop(finding: Finding, task: Task, source: Source) -> Finding:
    """Where the number of programs is limited, report that a kernel without loops needs one over its rows."""
    few = finding.code == UNWRITTEN and PROGRAMS in finding.details
    if not few or task.limits.at_once is None or source.loops:
        return finding
    accesses = (access for kernel in source.kernels for access in kernel.accesses)
    line = min((access.lineno for access in accesses if is_call(access, "store")), default=None)
    text = f"{finding.message} The kernel has no loop over further rows."
    return replace(finding, message=text, line=line, next_step=ROWS, details={})


def _of_a_whole_row(finding: Finding, task: Task, source: Source) -> Finding:
    """Where a tile may be as large as a row, name the line that sets a tile size smaller than the row."""
    asked = task.limits.tile if TILE in finding.details else None
    if asked is None or isinstance(asked.limit, int):
        return finding
    name, launch = finding.details[TILE]
    line = argument_line(source, [launch], name)
    return replace(finding, line=line, next_step=f"Let {name} be as large as a row, or larger: a row is one tile here.")


def _of_nothing(finding: Finding, source: Source) -> Finding:
    """Move an exception of a call that has nothing to compute to the return before the launch, if there is only one."""
    returns = [line for line, is_return in source.host.guards.items() if is_return]
    if IS_EMPTY not in finding.details or finding.line is None or len(returns) != 1:
        return finding
    text = f"It is raised in line {finding.line}: line {returns[0]} does not return in this call."
    return finding.adding(text, returns[0])


def _left_early(finding: Finding, source: Source) -> Finding:
    """Name the return or the condition that prevents a launch, if there is only one."""
    guards = source.host.guards
    line = next(iter(guards)) if finding.line is None and len(guards) == 1 else finding.line
    if finding.code not in NO_WORK or finding.case is None or line not in guards:
        return finding
    returns = guards[line]
    does = "returns before the launch," if returns else "launches only"
    text = f"Line {line} {does} if its condition is true."
    step = f"Check which calls have nothing to write: only those may {'return' if returns else 'go without a launch'}."
    return finding.adding(text, line, step)


def _of_another_gpu(finding: Finding, source: Source) -> Finding:
    """Name the line of a constant that the grid is computed from, whatever the GPU."""
    asked = PROGRAMS in finding.details and finding.code in OF_THE_GPU
    fixed = [made for made in source.host.behind_grids if _is_fixed(made.value)] if asked else []
    if len(fixed) != 1:
        return finding
    made = fixed[0]
    return finding.adding(f"{made.targets[0]} is {made.text} on every GPU, in line {made.line}.", made.line)


def _is_fixed(value: ast.expr) -> bool:
    """Return whether a value is a large number, or a product with one, that no call or attribute enters."""
    numbers = [factor.value for factor in factors(value) if isinstance(factor, ast.Constant)]
    asked = any(isinstance(node, (ast.Call, ast.Attribute)) for node in ast.walk(value))
    return not asked and any(type(number) is int and number > LARGE for number in numbers)


def _sizes_in(line: int | None, source: Source) -> dict[str, int | None]:
    """Return the constants that a kernel's line names."""
    named = {
        node.id for one in source.kernels for node in one.nodes if isinstance(node, ast.Name) and node.lineno == line
    }
    return {name: None for kernel in source.kernels for name in kernel.constants if name in named}


def with_places(finding: Finding, source: Source) -> Finding:
    """Return a finding at the line of the host function that makes the sizes it blames, or with all such lines."""
    told = finding.details.get(SIZES) or (_sizes_in(finding.line, source) if LIMITS[0] in finding.message else {})
    sizes = told if isinstance(told, dict) else {}  # the recorder of a hostile file may send anything
    lines = {line for name, value in sizes.items() for line in source.host.size_lines(name, value)}
    if len(lines) == 1:
        inside = any(finding.line in kernel.body for kernel in source.kernels)
        line = lines.pop()
        return finding.adding(f"It is seen in line {finding.line}.", line) if inside else replace(finding, line=line)
    if not lines or finding.next_step is None:
        return finding
    where = f"lines {listed([str(line) for line in sorted(lines)])}"
    return replace(finding, next_step=f"{finding.next_step} See {where}.")


def at_the_grid(finding: Finding, source: Source) -> Finding:
    """Move a finding on the number of programs from the launch to the line of the grid."""
    asked = PROGRAMS in finding.details or finding.code == "grid-too-large"
    lines = source.host.grid_lines(finding.line) if asked else set()
    return replace(finding, line=lines.pop()) if len(lines) == 1 else finding


def at_the_argument(finding: Finding, source: Source) -> Finding:
    """Move a finding on an argument of a launch to the line where it is computed or passed."""
    if PASSED not in finding.details or finding.line is None:
        return finding
    return replace(finding, line=argument_line(source, [finding.line], finding.details[PASSED], same=True))


def _of_a_dropped_copy(finding: Finding, source: Source) -> Finding:
    """Where a wrong stride is passed, name the line that makes a contiguous copy and drops it."""
    dropped = source.host.dropped_copies if PASSED in finding.details else []
    if len(dropped) != 1:
        return finding
    line, text = dropped[0]
    return finding.adding(f"{text} of line {line} returns a copy, which is not used.", line)


def at_the_numbering(finding: Finding, source: Source) -> Finding:
    """Move a finding on DRAM reads to the line that numbers the tiles, unless a size is to blame."""
    if finding.code != TOO_MANY_READS or SIZES in finding.details:
        return finding
    return replace(finding, line=source.numbering_line or finding.line)


def _for_nothing(finding: Finding, task: Task, source: Source) -> Finding:
    """Move a finding on an unrequested gradient to its line, or to the only line that keeps what is needed.

    The one on the number of gradients is moved to the return.
    """
    backward = next((function for function in source.functions if function.name == "backward"), None)
    if backward is not None and GRADIENTS in finding.details and (last := _last_return(backward)) is not None:
        return replace(finding, line=last.lineno)
    if finding.code != NEEDLESS or backward is None:
        return finding
    asked = [made.line for made in backward.assignments if NEEDS in made.text]
    if len(asked) == 1:
        return replace(finding, line=asked[0])
    others = {argument.name for argument in task.arguments if argument.requires_grad} - {*finding.details["wanted"]}
    places = [place for place, argument in enumerate(task.arguments) if argument.name in others]
    unasked = [place for place in places if _asked(backward, place) is None]
    return replace(finding, line=_line(backward, unasked[0], alone=False)) if len(unasked) == 1 else finding


def at_their_making(finding: Finding, task: Task, source: Source, misshapen: Collection[str | None] = ()) -> Finding:
    """Return a finding on the form of an output with the line that makes it, if the file's text shows it.

    `misshapen` are outputs with a wrong shape in some case. If a gradient is computed under the condition of another
    one, a wrong shape shows that it is the other's gradient.
    """
    alone = task.outputs[0].name if finding.code == ALIASES and len(task.outputs) == 1 else None
    output = finding.details.get(OUTPUT, alone)
    if finding.code not in FORMS or finding.line is not None or output is None:
        return finding
    functions = {function.name: function for function in source.functions}
    outputs = [known.name for known in task.outputs]
    followed = [argument.name for argument in task.arguments if argument.requires_grad]
    of = finding.details.get(GRADIENT_OF)
    if not of and task.gradients and output in outputs:
        of = followed[outputs.index(output)]
    results = task.results if task.gradients else task.outputs
    names = [known.name for known in (task.arguments if of else results)]
    maker = functions.get("backward" if of else "forward") or functions.get(task.host)
    if maker is None:
        return finding
    position = names.index(of or output)
    exchanged = _exchanged(maker, position, {names.index(name) for name in followed}) if of else None
    if exchanged is not None and exchanged.position < len(names):
        other, flag = names[exchanged.position], exchanged.text
        text = f"It is computed where {flag} is true, which says whether {other} needs a gradient."
        last = _last_return(maker)
        if exchanged.is_mutual and last is not None and output in misshapen:
            return finding.adding(text, last.lineno, IN_ORDER)
        return finding.adding(text, exchanged.line, f"{PLACES} {position} is {of}'s.")
    return replace(finding, line=_line(maker, position, alone=len(names) == 1))


@dataclass(frozen=True)
class _Flag:
    """A flag of `ctx.needs_input_grad`: its position, its text in a condition, the lines that read and test it."""

    position: int
    text: str
    line: int
    asked: int
    is_mutual: bool = False  # whether each of two gradients is computed under the flag of the other


def _exchanged(backward: Function, position: int, places: set[int]) -> _Flag | None:
    """Return the flag under which a gradient is computed, if it belongs to another argument.

    If all other gradients use their own flags, the flag is read correctly but tested at the wrong place.
    """
    flag = _asked(backward, position)
    if flag is None or flag.position == position:
        return None
    others = [(other, _asked(backward, other)) for other in places - {position}]
    right = all(asked is not None and asked.position == other for other, asked in others)
    other = _asked(backward, flag.position)
    is_mutual = other is not None and other.position == position
    return replace(flag, is_mutual=is_mutual, line=flag.asked if right and others else flag.line)


def _asked(backward: Function, position: int) -> _Flag | None:
    """Return the flag under which the gradient at a position is computed."""
    last = _last_return(backward)
    elements = last.value.elts if last is not None and isinstance(last.value, ast.Tuple) else []
    name = ast.unparse(elements[position]) if position < len(elements) else ""
    tests = [
        branch.test
        for branch in backward.branches
        for made in assignments_in(branch.body)
        for target in made.targets
        if target == name
    ]
    return _flag(backward, tests[0], tests[0]) if len(tests) == 1 else None


def _flag(backward: Function, test: ast.expr, taken: ast.expr) -> _Flag | None:
    """Return the flag that a test reads, by index or by the variable that holds it."""
    match taken:
        case ast.Subscript(value, ast.Constant(int(position))) if ast.unparse(value).endswith(NEEDS):
            return _Flag(position, ast.unparse(test), taken.lineno, test.lineno)
        case ast.Name(name):
            for made in backward.assignments:
                if name in made.names and NEEDS in made.text:
                    several = _Flag(made.names.index(name), name, made.line, test.lineno)
                    return _flag(backward, test, made.value) if made.name else several
    return None


def _last_return(function: Function) -> ast.Return | None:
    returns = [node for node in function.returns if node.value is not None]
    return max(returns, key=lambda node: node.lineno, default=None)


def _line(function: Function, position: int, alone: bool) -> int | None:
    """Return the last line that assigns the result at a position of the last `return`, else that `return`'s."""
    last = _last_return(function)
    if last is None:
        return None
    value = last.value
    if isinstance(value, ast.Tuple) and not (alone and len(value.elts) > 1):
        value = value.elts[position] if position < len(value.elts) else None
    name = value.id if isinstance(value, ast.Name) else ""
    return max((made.line for made in function.giving(name) if made.line < last.lineno), default=last.lineno)
