"""Run a call again with its programs in other orders, where atomic operations may make the order matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from torch import Tensor

from tritonpuzzles.engine.configurations import Chosen
from tritonpuzzles.engine.interpreted import Interpreted, on_cpu, replay
from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.interpreter.errors import Abort
from tritonpuzzles.engine.interpreter.language import patched
from tritonpuzzles.engine.interpreter.ledger import Place
from tritonpuzzles.engine.interpreter.note import CONFLICTS
from tritonpuzzles.engine.interpreter.orders import MOST_PARTS, WAYS, Order
from tritonpuzzles.engine.observation import Call, OtherOrder
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.program import Other

FEWEST = 2  # parts


def in_other_orders(
    call: Call,
    inputs: Mapping[str, Tensor],
    configuration: int,
    ordered: Mapping[int, tuple[Place, int]],
    tracer_of: Callable[[Order], Tracer],
) -> tuple[list[OtherOrder], list[Finding]]:
    """Run a call in each order; return what it gives, and the races that show there.

    Args:
        call: what is run.
        inputs: its tensors, as they were before the first run.
        configuration: number of its autotuners'.
        ordered: what the tracer of the first run, in lockstep, has seen of launches whose order may matter.
        tracer_of: returns a tracer for another order.
    """
    steps = {launch: steps for launch, (_, steps) in ordered.items()}
    file, line = min(ordered.items())[1][0]
    given: list[OtherOrder] = []
    races: dict[tuple[str, str | None, int | None], Finding] = {}
    for way in WAYS:
        tracers = [tracer_of(Order(way, steps, most)) for most in (MOST_PARTS, FEWEST)]
        tracer, end = _run(call, inputs, configuration, tracers)
        if isinstance(end, KernelError):
            races["", file, line] = _stopped(end, file, line)
        elif end is not None:
            given.append(OtherOrder(way, file, line, end))
        found = [finding for finding in tracer.findings if finding.code in CONFLICTS]
        races |= {(finding.code, finding.file, finding.line): finding for finding in found}
    return given, list(races.values())


def _run(
    call: Call, inputs: Mapping[str, Tensor], configuration: int, tracers: Sequence[Tracer]
) -> tuple[Tracer, Sequence[Tensor | Other] | KernelError | None]:
    """Run a call in the first order in which no program does alone what all do together; return how it ended."""
    for tracer in tracers:
        program = replay(call, tracer, Chosen(configuration).choose)
        try:
            with patched():
                return tracer, program.run(on_cpu(call, inputs), Interpreted(tracer))
        except Abort:
            continue
        except KernelError as error:
            return tracer, error
    return tracer, None


def _stopped(error: KernelError, file: str, line: int) -> Finding:
    text = f"When its programs run in another order, the kernel stops: {error.message.rstrip('.')}."
    step = f"What a program sees in line {line} depends on which programs have run: a GPU runs them in any order."
    return Finding("order-dependent", text, file=error.file or file, line=error.line or line, next_step=step)
