"""What the text of a file's kernels explains: the loop at whose addresses something is wrong, or a mistake in the text.

Elements that nothing or several programs write, and reads past the end: a loop ends too early, its address does not
move, or its iterations are not divided among programs. Also notes on what a kernel leaves to Triton.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.wording.unwritten import FILL_GAPS
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind
from tritonpuzzles.results.cover import ACCESSED, BY_PROGRAM, INT32_OVERFLOW, OPEN, UNWRITTEN
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.source import Source
from tritonpuzzles.source.computing import called_by, computing_calls
from tritonpuzzles.source.functions import is_call
from tritonpuzzles.source.loops import Loop
from tritonpuzzles.source.steps import loaded_twice
from tritonpuzzles.wire.observed import LaunchSummary

NO_LOOP = "Check the grid, the offsets and the mask of tl.store."
MOVE = "Use the loop's variable in the address, or move the pointer by one tile in every iteration."
LAST_TURN = "Work out by hand the first and the last iteration of line {loop}, and the mask of line {store} there."
SEVERAL = frozenset({"written-twice", "race-write-write"})
OTHER_AXIS = re.compile(r"program_id\((axis=)?0\).*num_programs\((axis=)?[12]\)")
FIXED = re.compile(r"\d+|[A-Z][A-Z0-9_]*")  # a number or a constexpr, which is no number of programs
ANY_ORDER = "lets the compiler put the elements in any order: the CPU check mixes them"
KNOWN = {
    "log2(e)": math.log2(math.e),
    "ln(2)": math.log(2),
    "the largest finite float32": 3.4028234663852886e38,
    "the largest finite bfloat16": 3.3895313892515355e38,
}
NEAR, EXACT, COPIED = 0.03, 1e-4, 4  # relative; numbers of more than four digits were copied
CORRECT = "Correct the digits of that number."


def at_the_loop(finding: Finding, source: Source) -> Finding:
    """Return a finding with the loop that causes it, if the file's text shows that."""
    store = finding.line
    if finding.code == UNWRITTEN and store is not None:
        loop = source.storing_loop({store})
        if loop is not None and store in loop.staying("store"):
            still = f"The loop of line {loop.line} does not move the address of the store in line {store}."
            return finding.adding(still, next_step=MOVE)
        finding = _ending(finding, source, loop)
    if finding.code in SEVERAL and "other_program" in finding.details:
        return _of_several(finding, source)
    if finding.code == "too-many-loads":
        return _loaded_again(finding, source)
    return _with_range(finding, source)


def _loaded_again(finding: Finding, source: Source) -> Finding:
    """Return a finding on a load from the same addresses as another one, or in every iteration, with the cause."""
    for before, line in (pair for kernel in source.kernels for pair in loaded_twice(kernel, finding.details["lines"])):
        text = f"Line {line} loads again what line {before} has loaded."
        return finding.adding(text, line, f"Keep the tile of line {before} in a variable.")
    loop = source.around(finding.line)
    if loop is None or finding.details.get("lines") != [finding.line] or finding.line not in loop.staying("load"):
        return finding
    text = f"Every iteration of the loop of line {loop.line} loads the same."
    return finding.adding(text, next_step=f"Load it once, before line {loop.line}.")


def _ending(finding: Finding, source: Source, loop: Loop | None) -> Finding:
    """Return a finding on unwritten elements of unknown cause, with the loop that stores."""
    if OPEN not in finding.details:
        return finding
    if loop is None:
        return replace(finding, next_step=FILL_GAPS if source.loops else NO_LOOP)
    if "written" not in finding.details or loop.by_program:
        return finding
    text = f"The loop of line {loop.line} ends there, or the mask keeps no more lanes on."
    step = LAST_TURN.format(loop=loop.line, store=finding.line)
    return finding.adding(text, loop.line, step).noting({ACCESSED: finding.line})


def _with_range(finding: Finding, source: Source) -> Finding:
    """Return a finding with the range of the loop around its line, if that divides iterations among programs."""
    loop = next((loop for loop in source.walks if loop.by_program and loop.holds(finding.line)), None)
    if loop is None or finding.kind is not Kind.SAFETY or finding.code == INT32_OVERFLOW:  # other causes
        return finding
    line = loop.end_line or loop.line if finding.code == UNWRITTEN else finding.line  # the range decides what is stored
    return finding.adding(f"The loop around it, in line {loop.line}, is {loop.range}.", line)


def _of_several(finding: Finding, source: Source) -> Finding:
    """Move a finding on a store by several programs to the line that makes them meet, or sets the address."""
    around = (loop for loop in source.walks if loop.holds(finding.line) and loop.slow)
    ruling = (loop for loop in source.walks if finding.line in loop.rules)
    loop = next(around, None) or next(ruling, None)
    account = _account(loop) if loop is not None else None
    if account is None:
        line = finding.details.get(BY_PROGRAM)
        return _with_range(replace(finding, line=line) if isinstance(line, int) else finding, source)
    line, why, step = account
    return replace(finding, line=line, message=f"{why} {finding.message}", next_step=step)


def _account(loop: Loop) -> tuple[int, str, str] | None:
    """Return the line at which programs meet in a loop, why, and the next step; `None` if this is not proven."""
    in_tiles = loop.by_program and isinstance(loop.bounds[0], ast.BinOp)  # not in tile numbers or rows
    why, share = f"The loop over {loop.variable}", f", {loop.end}, tl.num_programs(0){f' * {loop.step}' * in_tiles})."
    if (slow := loop.slow) is not None:
        why = f"The loop of line {loop.line} has the step {loop.step}"
        step = f"Move {slow.name} by as many rows as the step of the loop: {slow.name} += {loop.step} * {slow.text}."
        return slow.line, f"{why}, and line {slow.line} moves {slow.name} by {slow.text} only.", step
    if not loop.by_program:
        step = f"Begin at the program's number: range(tl.program_id(0){share}"
        return loop.line, f"{why} has the same iterations in every program.", step
    step = f"Step by the number of programs: range({loop.begin}{share}"
    if loop.at_program and OTHER_AXIS.search(loop.range):
        return loop.line, f"{why} is {loop.range}: along another axis there is one program.", step
    if loop.at_program and FIXED.fullmatch(loop.step):
        begin = loop.begin if in_tiles else "the program's number"
        return loop.line, f"{why} begins at {begin} and has the step {loop.step}.", step
    return None


def ready_made(task: Task, file: Submission) -> Iterator[Finding]:
    """Yield a note for each kernel call of a function that does all of the puzzle's work."""
    for node in (node for kernel in file.source.kernels for node in kernel.nodes):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in task.taught:
            text = f"It passes, and tl.{node.func.attr} does all that this puzzle is about (line {node.lineno})."
            step = task.taught[node.func.attr]
            yield Finding("ready-made", text, file=str(file), line=node.lineno, next_step=step)


def nobody_calls(task: Task) -> set[str]:
    """Return the names of functions that nobody calls, though the host function or PyTorch might."""
    return {"reference"} if any(argument.requires_grad for argument in task.arguments) else {"reference", "backward"}


def computed_elsewhere(task: Task, file: Submission, has_run: Callable[[ast.stmt], bool]) -> Iterator[Finding]:
    """Yield an error for each use of PyTorch that could do the kernel's work on a path that no case takes.

    It is for files without other errors: the recorder refuses such a call where it runs. A function that is verified
    without a puzzle has calls of its user's alone, and may do as it likes in others.
    """
    if task.computes or not task.cases:
        return
    for name, line in computing_calls(file.source, task.host, nobody_calls(task), has_run):
        text = (
            f"Line {line} uses {name}: of PyTorch, the host may only allocate, reshape, and ask for sizes and device."
        )
        step = "Do that work in the kernel, too, for every size and layout."
        yield Finding("torch-compute", text, file=str(file), line=line, next_step=step)


def versions_hidden(task: Task, file: Submission) -> Iterator[Finding]:
    """Yield an error for each `.data` of an argument of a forward pass: what it keeps changes, and nothing raises."""
    for function in called_by(task.host, file.source) if "backward" not in nobody_calls(task) else ():
        for node in function.nodes if function.name in ("forward", "setup_context") else ():
            if isinstance(node, ast.Attribute) and node.attr == "data" and not task.computes:
                name = ast.unparse(node.value)
                text = f"{name}.data hides changes of {name} from PyTorch: gradients would be wrong without an error."
                step = (
                    "Pass the tensor itself to ctx.save_for_backward, and take it from ctx.saved_tensors in backward."
                )
                yield Finding("version-hidden", text, file=str(file), line=node.lineno, next_step=step)


def without_tiles(launches: Sequence[LaunchSummary], file: Submission) -> Iterator[Finding]:
    """Yield a note if no launch of the largest case processes more than one element at a time."""
    if launches and all(launch.largest_tile == 1 for launch in launches):
        kernel, line = launches[0].kernel, launches[0].line
        text = f"It passes, and {kernel} has no tile: it processes one element at a time, and a GPU processes many."
        step = "Load a tile, tl.load(x_ptr + tl.arange(0, BLOCK_SIZE), mask=...), in steps of BLOCK_SIZE."
        yield Finding("no-tile", text, file=str(file), line=line, next_step=step)


def may_reorder(file: Submission) -> Iterator[Finding]:
    """Yield a note for each tile whose order the compiler may change: by `can_reorder=True` or `view`."""
    for node in (node for kernel in file.source.kernels for node in kernel.nodes if isinstance(node, ast.Call)):
        if is_call(node, "view"):
            name, step = ast.unparse(node.func), "Write tl.reshape(x, shape), which keeps the order."
        elif is_call(node, "reshape", "ravel", "cat") and "can_reorder=True" in map(ast.unparse, node.keywords):
            instead = "Use tl.join and tl.reshape" if is_call(node, "cat") else "Leave it out"
            name, step = "can_reorder=True", f"{instead}, unless the order does not matter."
        else:
            continue
        yield Finding("may-reorder", f"{name} {ANY_ORDER}.", file=str(file), line=node.lineno, next_step=step)


def misspelt(source: Source) -> tuple[int, str] | None:
    """Return the line of the first number close to a known constant but with wrong digits, and a sentence on both."""
    nodes = (node for node in source.nodes if isinstance(node, ast.Constant))
    for line, number in sorted((node.lineno, node.value) for node in nodes if isinstance(node.value, float)):
        digits = repr(number).partition("e")[0].replace(".", "").strip("-0")
        off, name, value = min((abs(number / value - 1), name, value) for name, value in KNOWN.items())
        if len(digits) > COPIED and EXACT < off < NEAR:
            return line, f"Line {line} has {number!r}, and {name} is {value!r}."
    return None
