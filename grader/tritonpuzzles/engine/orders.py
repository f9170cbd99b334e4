"""Run a call again with its programs in other orders, where atomic operations may make the order matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from torch import Tensor

from tritonpuzzles.engine.configurations import Chosen
from tritonpuzzles.engine.failures import MOST_TEXT
from tritonpuzzles.engine.interpreted import Interpreted, on_cpu, replay
from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.interpreter.errors import Abort
from tritonpuzzles.engine.interpreter.language import patched
from tritonpuzzles.engine.interpreter.ledger import Place
from tritonpuzzles.engine.interpreter.orders import MOST_PARTS, WAYS, Order
from tritonpuzzles.engine.observation import Call, OtherOrder
from tritonpuzzles.results.words import without_addresses
from tritonpuzzles.wire.facts import BadAccess, Fact, Stopped, StoredTwice
from tritonpuzzles.wire.program import Other

FEWEST = 2  # parts
CONFLICTS = (*get_args(StoredTwice), "race-read-write")


def in_other_orders(
    call: Call,
    inputs: Mapping[str, Tensor],
    configuration: int,
    ordered: Mapping[int, tuple[Place, int]],
    tracer_of: Callable[[Order], Tracer],
) -> tuple[list[OtherOrder], list[Fact]]:
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
    races: dict[tuple[str, str, int], Fact] = {}
    for way in WAYS:
        tracers = [tracer_of(Order(way, steps, most)) for most in (MOST_PARTS, FEWEST)]
        tracer, end = _run(call, inputs, configuration, tracers)
        if isinstance(end, KernelError):
            why = without_addresses(end.message.rstrip("."))[:MOST_TEXT]
            races["", file, line] = Stopped("order-dependent", why, end.file or file, end.line or line, seen=line)
        elif end is not None:
            given.append(OtherOrder(way, file, line, end))
        found = [fact for fact in tracer.facts if isinstance(fact, BadAccess) and fact.code in CONFLICTS]
        races |= {(fact.code, fact.file, fact.line): fact for fact in found}
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
