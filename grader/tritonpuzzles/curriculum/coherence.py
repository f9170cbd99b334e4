"""Whether the parts of a record that has been read go with each other."""

from __future__ import annotations

from collections.abc import Iterator

from tritonpuzzles.curriculum.backward import gradient_problems
from tritonpuzzles.curriculum.record import CASE_DTYPE, DTYPES, FAR_LAYOUTS, Argument, Puzzle
from tritonpuzzles.curriculum.tables import nearest


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
        if case.gpu and "cuda" in case.devices:
            yield f'case {case.name!r} names a GPU, which is one that is not there: give it devices = ["cpu"]'
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
