"""Run a call for what it touches alone, and model a small GPU's L2 cache over it: is what programs share read once?

The tensors are too large for the CPU to be worth comparing, and hold zeros; every program runs, and every turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tritonpuzzles.compiler import Launch
from tritonpuzzles.compiler.cache import compiled_in
from tritonpuzzles.engine.at_once import with_fits
from tritonpuzzles.engine.cached import Setting, behind, names_of
from tritonpuzzles.engine.configurations import Chosen
from tritonpuzzles.engine.cpu import summary
from tritonpuzzles.engine.interpreted import Interpreted
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Call, LaunchSummary, Observation
from tritonpuzzles.engine.phantom import phantoms, unwritten, zeros
from tritonpuzzles.engine.replay import Replay
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.hardware.l2 import L2, l2_told
from tritonpuzzles.results.inspect import variant_of
from tritonpuzzles.wire.device import Device
from tritonpuzzles.wire.job import JobCase


def run_behind_l2(call: Call, case: JobCase, configuration: int, cache: str | None) -> Observation:
    """Interpret a call, and say what DRAM reads for it on the call's GPU.

    Args:
        call: what is run; it has a GPU.
        case: its tensors.
        configuration: number of its autotuners'.
        cache: folder for compile results, or nothing; what a program takes of a multiprocessor, the compiler says.
    """
    assert call.gpu is not None
    tracer = Tracer(footprints=True, user_file=str(call.facts.path), check_undefined=False)
    noted: list[Launch] = []

    def note(kernel: Any, arguments: dict[str, Any], options: dict[str, Any]) -> None:
        if not isinstance(kernel, Refused):  # which the interpreter stops at
            noted.append(Launch(kernel, arguments, options).without_data())

    memory = Memory(list(phantoms(case, zeros).values()), call.facts.offsets, zeros)
    program = Replay(call.facts.program, call.kernels, Chosen(configuration).choose)
    results = program.run(memory, Interpreted(tracer, note))
    summaries, answers = map(summary, tracer.launches), [launch.answers for launch in tracer.launches]
    launches, rejected = with_fits(list(summaries), noted, answers, call.gpu, compiled_in(cache))
    names = names_of(tracer.launches, call, memory)
    setting = Setting(_l2(call.gpu), per_multiprocessor=_room(launches))
    return Observation(
        results=results,
        findings=[*call.facts.findings(), *tracer.findings, *unwritten(call, tracer, results), *rejected],
        launches=launches,
        cache=behind(tracer.launches, setting, names, in_order=True),
    )


def _l2(gpu: Device) -> L2:
    return l2_told(gpu.name, gpu.capability, gpu.l2_bytes, gpu.multiprocessors, gpu.threads_per_multiprocessor)


def _room(launches: Sequence[LaunchSummary]) -> dict[str, int]:
    """Return how many programs of each variant a multiprocessor has room for, where the compiler could say."""
    fits = {variant_of(launch.kernel, launch.constants): launch.fit for launch in launches}
    return {variant: fit.per_multiprocessor for variant, fit in fits.items() if fit is not None}
