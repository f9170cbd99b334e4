"""Join the results of one file on several devices, and explain why CPU engine and GPU judge it differently.

The engine runs programs in a fixed order, counts every access and knows the value of each masked-off lane. A GPU runs
programs at once and returns whatever is in memory. The list of codes says which findings come from such a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.hardware.l2 import l2_named
from tritonpuzzles.results.check import Finding, Predicted, PuzzleResult, Verdict
from tritonpuzzles.results.codes import code_named
from tritonpuzzles.results.cover import in_order

DECIDED = (Verdict.PASS, Verdict.FAIL, Verdict.ERROR)
LARGE_CASES = "Every case that ran on both is right on both; the large cases run on the GPU only."
UNKNOWN_GPU = "Undefined memory that the engine fills otherwise, TF32, or a race between programs can be the cause."
UNKNOWN_CPU = "Undefined memory, rounding, or the order of the programs can be the cause."
WORSE_AND_WORSE = (Verdict.PASS, Verdict.SKIP, Verdict.UNSOLVED, Verdict.FAIL, Verdict.ERROR, Verdict.INFRA_ERROR)


def disagreement(cpu: PuzzleResult, gpu: PuzzleResult) -> Finding | None:
    """Return a note with the reason; `None` if both agree or one of them has no pass, fail or error."""
    if cpu.verdict not in DECIDED or gpu.verdict not in DECIDED or cpu.passed == gpu.passed:
        return None
    codes = [code_named(found.code) for found in (cpu if gpu.passed else gpu).errors]
    if gpu.passed:
        text = "The GPU accepts this kernel, the CPU engine does not."
        why = next(filter(None, (code.on_cpu_alone for code in codes)), UNKNOWN_CPU)
    else:
        text = "The CPU engine accepts this kernel, the GPU does not."
        both = {case.name for case in cpu.cases}
        bad = {case.name for case in gpu.cases if case.verdict is not Verdict.PASS}
        unknown = LARGE_CASES if bad and not bad & both else UNKNOWN_GPU
        why = next(filter(None, (code.on_gpu_alone for code in codes)), unknown)
    return Finding("devices-disagree", f"{text} {why}", file=str(cpu.file))


def off(predicted: Predicted | None, timed: PuzzleResult) -> Finding | None:
    """Return a note if timing and prediction for the same GPU differ more than in nine of ten cases."""
    found = timed.benchmark
    if predicted is None or predicted.rate is None or found is None or found.labels or found.unit != predicted.unit:
        return None
    l2 = l2_named(found.device)
    apart = max(found.rate / predicted.rate, predicted.rate / found.rate) - 1
    if l2 is None or l2.gpu != predicted.gpu or apart <= predicted.band:
        return None
    slower = found.rate < predicted.rate
    text = (
        f"The {predicted.gpu} reaches {found.rate:,.0f} {found.unit}, and {predicted.rate:,.0f} is predicted: "
        f"it is {'slower' if slower else 'faster'} than the model explains."
    )
    step = "Look for costs that bytes, instructions and waiting do not show: bank conflicts, atomics, locks."
    return Finding("prediction-off", text, file=str(timed.file), next_step=step if slower else None)


def combine(results: Sequence[PuzzleResult]) -> PuzzleResult:
    """Join the results of one file on several devices: the worst verdict, all findings in order, the GPU's speed.

    If the devices disagree, a note says why. The traffic is the CPU's, because a GPU does not count bytes.
    """
    reason = disagreement(results[0], results[-1])
    worst = max(results, key=lambda result: WORSE_AND_WORSE.index(result.verdict))
    counted = next((result for result in results if result.traffic), results[-1])
    predicted = next((result.predicted for result in results if result.predicted), None)
    notes = (reason, off(predicted, results[-1]))
    return replace(
        results[-1],
        verdict=worst.verdict,
        findings=in_order([*(finding for result in results for finding in result.findings), *filter(None, notes)]),
        cases=tuple(case for result in results for case in result.cases),
        traffic=counted.traffic,
        traffic_case=counted.traffic_case,
        lines=counted.lines,
        compile=tuple(item for result in results for item in result.compile),
        output="".join(result.output for result in results),
        states=next((result.states for result in results if result.states), None),
        occupancy=next((result.occupancy for result in reversed(results) if result.occupancy), None),
        dram=next((result.dram for result in results if result.dram), None),
        predicted=predicted,
    )
