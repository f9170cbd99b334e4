"""What a record of a backward call must hold, so that a submission can satisfy it: autograd has rules of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tritonpuzzles.curriculum.record import CASE_DTYPE, FLOATS, Argument, Puzzle


def gradient_problems(puzzle: Puzzle) -> Iterator[str]:
    """Yield what is wrong with the arguments that require a gradient, and with a backward call, as sentences."""
    wanted = [argument for argument in puzzle.arguments if argument.requires_grad]
    for argument in (*wanted, *puzzle.gradients):
        yield from _differentiable(argument)
    if puzzle.gradients:
        yield from _backward_problems(puzzle, wanted)


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


def _differentiable(argument: Argument) -> Iterator[str]:
    what = "requires a gradient" if argument.requires_grad else "is a gradient"
    if not argument.is_tensor:
        yield f"{argument.name!r} {what} and is no tensor"
    elif argument.dtype not in (CASE_DTYPE, *FLOATS):
        yield f"{argument.name!r} {what} and is {argument.dtype}: only floating point numbers can be differentiated"


def _dtype(name: str) -> str:
    return "in the case's dtype" if name == CASE_DTYPE else name
