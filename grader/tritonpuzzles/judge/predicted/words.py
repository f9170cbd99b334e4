"""Put into words why a kernel would be slow: the limiting factor, its line, and what to try."""

from __future__ import annotations

from collections.abc import Sequence

from tritonpuzzles.judge.predicted.costs import PYTORCH, Costs
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.words import plural
from tritonpuzzles.source.functions import language_calls
from tritonpuzzles.speed.cost import WARP, Cost
from tritonpuzzles.speed.machine import Machine
from tritonpuzzles.speed.model import LINE, fastest
from tritonpuzzles.speed.reasons import CANNOT_CHOOSE, Reason

STEPS = {
    "strided-loads": "Let lanes that stand next to each other in a tile load elements that lie next to each other.",
    "narrow-loads": "Let the compiler see a stride of 1: pass x.stride(1) as it is, and do without do_not_specialize.",
    "spills": "Take smaller tiles, or more warps for a tile (num_warps=8), so that the values fit into registers.",
    "few-programs": "Launch more programs, a few for each multiprocessor: give each of them less work.",
    "wave-tail": "Let the number of programs be a multiple of how many run at once, or make it many times as large.",
    "tiny-tiles": "Take larger tiles: a few thousand elements, so that more bytes are on their way while others wait.",
    "few-warps": "Launch with num_warps=4 or 8: more threads share a tile, and more loads are on their way at once.",
    "extra-pass": "Read each element once less often: keep in registers what is needed again, or join two passes.",
    "no-tensor-cores": "Multiply with tl.dot, its factors in 16 bits: x.to(tl.float16), and sum in float32.",
    "no-pipelining": "Launch with num_stages=3 or 4, in a loop over range or tl.range: next tiles are loaded ahead.",
    "autotuner-cannot-choose": "Give it configurations that differ in their tiles, warps and stages.",
    "many-launches": "Join the launches: one launch whose programs do all of the work.",
}

BY_PYTORCH = "Allocate with torch.empty_like: what the kernel writes need not be filled, or copied, before."


def why(reason: Reason, costs: Costs, machine: Machine, file: Submission) -> Finding:
    """Return a note on what limits a kernel's speed."""
    chosen = fastest(costs.launches, machine)
    cost = chosen[reason.launch]
    what = _what(reason, cost, costs, chosen, machine)
    text = f"{what} Without that it would take about {100 * reason.gain:.0f} % less time."
    by_pytorch = reason.code == "extra-pass" and any(one.kernel == PYTORCH for one in chosen)
    return Finding(
        reason.code,
        text,
        file=str(file),
        line=None if by_pytorch else _line(reason, costs, file),
        next_step=BY_PYTORCH if by_pytorch else STEPS[reason.code],
        details={"gain": round(reason.gain, 3), "gpu": machine.gpu, "kernel": cost.kernel.split(" ")[0]},
    )


def _what(reason: Reason, cost: Cost, costs: Costs, chosen: Sequence[Cost], machine: Machine) -> str:
    per = cost.per_multiprocessor
    at_once = per * machine.multiprocessors
    match reason.code:
        case "strided-loads":
            asked = cost.lines * LINE / max(1.0, cost.asked_bytes + cost.stored_bytes)
            return f"Lanes next to each other load from far apart: {asked:.0f} times the bytes that are needed pass by."
        case "narrow-loads":
            return "Each thread loads 2 bytes at a time: the compiler does not see that elements lie side by side."
        case "spills":
            return f"{cost.stack_bytes:,} bytes of each thread do not fit into registers, and go through memory."
        case "few-programs":
            programs = plural(cost.programs, "program")
            return f"{programs} on {machine.multiprocessors} multiprocessors of the {machine.gpu}."
        case "wave-tail":
            rest = cost.programs % at_once
            return f"{cost.programs:,} programs, of which {at_once:,} run at once: the last {rest:,} run nearly alone."
        case "no-tensor-cores":
            return "Its products run on the ordinary units, an instruction for each multiplication of 32 lanes."
        case "no-pipelining":
            return "Every iteration waits for its tiles before it multiplies: nothing is loaded ahead."
        case code if code == CANNOT_CHOOSE:
            count = len(costs.launches[reason.launch])
            return f"The autotuner's {count} configurations take the same time, and all of them are slow."
        case "tiny-tiles" if cost.operations:
            each = max(loop.tensor_operations for loop in cost.code.loops) * cost.warps
            return f"A program makes {each:,} operations, then waits for tiles, again and again."
        case "tiny-tiles":
            return f"Each program loads {_at_once(cost):,} bytes at a time and waits for them, again and again."
        case "few-warps":
            each = _at_once(cost) // (WARP * cost.warps)
            return f"{plural(cost.warps, 'warp')} for a tile: one thread has {each:,} bytes of it."
        case "extra-pass":
            moved: dict[str, float] = {}
            for one in chosen:
                moved[one.kernel] = moved.get(one.kernel, 0.0) + one.read_bytes + one.written_bytes
            by_pytorch = f"; what PyTorch fills or copies is {moved.get(PYTORCH, 0.0) / 1e6:,.0f} MB of it"
            beside = by_pytorch if PYTORCH in moved else ""
            return f"DRAM moves {sum(moved.values()) / 1e6:,.0f} MB, more than the puzzle's own traffic{beside}."
        case _:
            return f"{len(costs.launches):,} launches, one after the other."


def _at_once(cost: Cost) -> int:
    """Return the bytes that a program loads before it waits for them."""
    works = [loop for loop in cost.code.loops if loop.load_bytes] or [cost.code.once]
    return max(work.load_bytes for work in works) * WARP * cost.warps


def _line(reason: Reason, costs: Costs, file: Submission) -> int | None:
    """Return the line that a reason points to: an access, a product, or a launch."""
    lines = costs.traffic.lines
    match reason.code:
        case "no-tensor-cores" if products := _products(file):
            return products[0]
        case "strided-loads" | "narrow-loads" if lines:
            return max(lines, key=lambda line: line.lines).line
        case "extra-pass" | "tiny-tiles" if lines:
            return max(lines, key=lambda line: line.read_bytes + line.written_bytes).line
    told = costs.told[min(reason.launch, len(costs.told) - 1)] if costs.told else None
    return None if told is None else told.line


def _products(file: Submission) -> list[int]:
    """Return the lines of a file's products."""
    return [call.lineno for function in file.source.functions for call in language_calls(function.nodes, "dot")]
