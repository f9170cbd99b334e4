"""Check that the parts of a record fit each other, and that its expressions can be evaluated.

A record of a backward call must also obey autograd's rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tritonpuzzles.curriculum.call import Call
from tritonpuzzles.curriculum.limits import Bound
from tritonpuzzles.curriculum.record import CASE_DTYPE, DTYPES, FAR_LAYOUTS, FLOATS, Argument, Case, Puzzle
from tritonpuzzles.curriculum.tables import check
from tritonpuzzles.decoding.marks import DecodeError, nearest

# Names allowed in limits, besides the dimensions and the kernels' constexprs.
LEDGER_NAMES = ("itemsize", "largest_tile", "gradients", "passes")


def check_expressions(puzzle: Puzzle) -> None:
    """Try every expression of a record; raises DecodeError with the place of the first that cannot be evaluated."""
    flags = (argument.name for argument in puzzle.arguments if argument.kind == "bool")  # shapes may depend on them
    sizes = (*puzzle.dims, *flags)
    for key in ("arguments", "gradients", "outputs"):
        for n, item in enumerate(getattr(puzzle, key)):
            for length in item.shape or ():
                check(length, sizes, key, n, "shape")
            if item.picture is not None:
                check(item.picture.rows, sizes, key, n, "picture", "rows")
                check(item.picture.columns, sizes, key, n, "picture", "columns")
    for n, case in enumerate(puzzle.cases):
        for length in case.shape:
            check(length, (), "cases", n, "shape", draws=True)
    _check_limits(puzzle)
    if puzzle.operations != "":
        check(puzzle.operations, puzzle.dims, "operations")
    if puzzle.benchmark is not None:
        check(puzzle.benchmark.work, (*puzzle.dims, "itemsize"), "benchmark", "work")
        check(puzzle.benchmark.moved, (*puzzle.dims, "itemsize"), "benchmark", "moved")
        bench = puzzle.benchmark.bench
        if bench is not None:
            for key, lengths in (("shape", bench.shape), ("ledger", bench.ledger)):
                for length in lengths:
                    check(length, (bench.axis,), "benchmark", "bench", key)


def _check_limits(puzzle: Puzzle) -> None:
    names, limits = (*puzzle.dims, *LEDGER_NAMES), puzzle.limits
    known = [*(tensor.name for tensor in puzzle.tensors), *(output.name for output in puzzle.compared)]
    for key in ("loads", "stores"):
        for name, times in getattr(limits, key).items():
            if name not in known:
                raise DecodeError(f"there is no tensor {name!r}.{nearest(name, known)}", ("limits", key))
            check(times, names, "limits", key, name, constexprs=True, fractions=True)
    for key, bound in vars(limits).items():
        if isinstance(bound, Bound):
            check(bound.limit, names, "limits", key, constexprs=True)
    if limits.at_once is not None:
        check(limits.at_once.work, puzzle.dims, "limits", "at_once", "work")


def problems(puzzle: Puzzle, stem: str) -> Iterator[str]:
    """Yield what is wrong with a puzzle as a whole, as sentences."""
    if puzzle.stem != stem:
        yield f"number and slug say {puzzle.stem}, the file is called {stem}"
    if not any(argument.is_tensor for argument in puzzle.arguments):
        yield "no argument is a tensor"
    if puzzle.mistakes and not puzzle.mistakes_module:
        yield f"mistakes names {puzzle.mistakes[0]!r}, and there is no mistakes_module that says what it is"
    yield from gradient_problems(puzzle)
    yield from _case_problems(puzzle)


def _case_problems(puzzle: Puzzle) -> Iterator[str]:
    names = [case.name for case in puzzle.cases]
    for name in names:
        if names.count(name) > 1:
            yield f"two cases are called {name!r}"
    for index, case in enumerate(puzzle.cases):
        if case.after is not None and case.after not in names[:index]:
            yield f"case {case.name!r} comes after {case.after!r}, which is no earlier case"
        if case.phantom and ("cpu" not in case.devices or case.after is not None):
            yield f"case {case.name!r} is a phantom: it runs on the CPU, and after no other case"
        if case.gpu and "cuda" in case.devices and (case.cached or puzzle.limits.at_once is not None):
            yield f'case {case.name!r} is held against a GPU that is not there: give it devices = ["cpu"]'
        if case.cached and (case.phantom or not (case.gpu and puzzle.limits.dram_reads)):
            yield f"case {case.name!r} is cached: it needs a gpu, the limits need dram_reads, and it is no phantom"
        for argument in puzzle.tensors:
            if case.layout_of(argument) in FAR_LAYOUTS and not _is_a_matrix(argument):
                yield (
                    f"case {case.name!r}: rows and columns lie far apart in matrices of floating point numbers alone, "
                    f"and {argument.name!r} is none; give it a layout of its own"
                )
    if puzzle.benchmark is not None and puzzle.benchmark.case not in names:
        near = nearest(puzzle.benchmark.case, names)
        yield f"the benchmark names the case {puzzle.benchmark.case!r}, which is not there.{near}"


def _is_a_matrix(argument: Argument) -> bool:
    return argument.dtype in (CASE_DTYPE, *DTYPES) and (argument.shape is None or len(argument.shape) == 2)


def gradient_problems(puzzle: Puzzle) -> Iterator[str]:
    """Yield what is wrong with the arguments that require a gradient, and with a backward call, as sentences."""
    wanted = [argument for argument in puzzle.arguments if argument.requires_grad]
    for argument in (*wanted, *puzzle.gradients):
        yield from _differentiable(argument)
    if puzzle.gradients:
        yield from _backward_problems(puzzle, wanted)
    for case in puzzle.cases:
        yield from _asked_problems(puzzle, case, [argument.name for argument in wanted])


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


def _asked_problems(puzzle: Puzzle, case: Case, able: Sequence[str]) -> Iterator[str]:
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
