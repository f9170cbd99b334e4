"""What a record of a backward call must hold: autograd has rules of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tritonpuzzles.curriculum.call import Call
from tritonpuzzles.curriculum.record import CASE_DTYPE, FLOATS, Argument, Case, Puzzle


def gradient_problems(puzzle: Puzzle) -> Iterator[str]:
    """Yield what is wrong with the arguments that require a gradient, and with a backward call, as sentences."""
    wanted = [argument for argument in puzzle.arguments if argument.requires_grad]
    for argument in (*wanted, *puzzle.gradients):
        yield from _differentiable(argument)
    if puzzle.gradients:
        yield from _backward_problems(puzzle, wanted)
    for case in puzzle.cases:
        yield from _case_problems(puzzle, case, [argument.name for argument in wanted])


def _backward_problems(puzzle: Puzzle, wanted: Sequence[Argument]) -> Iterator[str]:
    if len(wanted) != len(puzzle.outputs):
        names = ", ".join(argument.name for argument in wanted)
        require = "1 argument requires" if len(wanted) == 1 else f"{len(wanted)} arguments require"
        outputs = "is 1 output" if len(puzzle.outputs) == 1 else f"are {len(puzzle.outputs)} outputs"
        yield f"{require} a gradient ({names or 'none'}), and there {outputs}: one for each, in their order"
    for gradient in puzzle.gradients:
        if gradient.requires_grad:
            yield f"{gradient.name!r} is a gradient and cannot require one itself"
    for argument, output in zip(wanted, puzzle.outputs, strict=False):
        if output.dtype != argument.dtype:
            yield (
                f"output {output.name!r} is {_dtype(output.dtype)}, and its argument {argument.name!r} "
                f"{_dtype(argument.dtype)}: autograd gives a gradient in its argument's own dtype"
            )


def _case_problems(puzzle: Puzzle, case: Case, able: Sequence[str]) -> Iterator[str]:
    who = f"case {case.name!r}"
    if (case.gradients_of is not None or case.passes != 1 or case.graded or case.between) and not puzzle.gradients:
        yield f"{who} has gradients_of, passes, graded or between, which a forward call has not"
        return
    plain = {argument.name for argument in puzzle.arguments if not argument.is_tensor}
    if case.between and (set(case.between) != plain or not Call(puzzle, case).wanted):
        yield f"{who} has a call between: it needs {', '.join(sorted(plain))}, and a gradient to ask for after it"
    for name in case.gradients_of or ():
        if name not in able:
            yield f"{who} asks for the gradient of {name!r}, which is no argument that requires one"
    earlier = next((other for other in puzzle.cases if other.name == case.after), case)
    if (earlier.gradients_of, earlier.passes) != (case.gradients_of, case.passes):
        yield f"{who} comes after {case.after!r}, whose tensors it gets, and asks for other gradients"
    if case.passes < 1 or (case.passes > 1 and not Call(puzzle, case).wanted):
        yield f"{who} has {case.passes} passes: 1 or more, and 1 where no gradient is asked for"


def _differentiable(argument: Argument) -> Iterator[str]:
    what = "requires a gradient" if argument.requires_grad else "is a gradient"
    if not argument.is_tensor:
        yield f"{argument.name!r} {what} and is no tensor"
    elif argument.dtype not in (CASE_DTYPE, *FLOATS):
        yield f"{argument.name!r} {what} and is {argument.dtype}: only floating point numbers can be differentiated"


def _dtype(name: str) -> str:
    return "in the case's dtype" if name == CASE_DTYPE else name
