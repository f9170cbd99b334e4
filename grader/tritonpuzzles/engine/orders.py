"""Run a call again with its programs in other orders, where atomic operations may make the order matter."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from tritonpuzzles.engine.configurations import Chosen
from tritonpuzzles.engine.interpreted import Interpreted, on_cpu, replay
from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.interpreter.errors import Abort
from tritonpuzzles.engine.interpreter.language import patched
from tritonpuzzles.engine.interpreter.note import CONFLICTS
from tritonpuzzles.engine.interpreter.orders import WAYS, Order
from tritonpuzzles.engine.observation import Call, OtherOrder
from tritonpuzzles.results.check import Finding


def in_other_orders(
    call: Call, inputs: Mapping[str, Tensor], configuration: int, first: Tracer
) -> tuple[list[OtherOrder], list[Finding]]:
    """Run a call in each order; return what it gives, and the races that show there.

    Args:
        call: what is run.
        inputs: its tensors, as they were before the first run.
        configuration: number of its autotuners'.
        first: that has traced the call in lockstep.
    """
    steps = {launch: steps for launch, (_, steps) in first.ordered.items()}
    given: list[OtherOrder] = []
    races: dict[tuple[str, str | None, int | None], Finding] = {}
    for way in WAYS if steps else ():
        tracer = Tracer(user_file=str(call.facts.path), check_undefined=False, order=Order(way, steps))
        file, line = min(first.ordered.items())[1][0]
        try:
            with patched():
                program = replay(call, tracer, Chosen(configuration).choose)
                results = program.run(on_cpu(call, inputs), Interpreted(tracer))
            given.append(OtherOrder(way, file, line, results))
        except Abort:  # it takes too long: nothing is known of this order
            break
        except KernelError as error:
            races["", file, line] = _stopped(error, file, line)
        found = [finding for finding in tracer.findings if finding.code in CONFLICTS]
        races |= {(finding.code, finding.file, finding.line): finding for finding in found}
    return given, list(races.values())


def _stopped(error: KernelError, file: str, line: int) -> Finding:
    text = f"When its programs run in another order, the kernel stops: {error.message.rstrip('.')}."
    step = f"What a program sees in line {line} depends on which programs have run: a GPU runs them in any order."
    return Finding("order-dependent", text, file=error.file or file, line=error.line or line, next_step=step)
