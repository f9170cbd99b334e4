"""Turn the facts that the engine saw into findings: a sentence with numbers, the learner's line, a next step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from tritonpuzzles.judge.wording.accesses import access_finding
from tritonpuzzles.judge.wording.launches import Known
from tritonpuzzles.judge.wording.unwritten import FILL_GAPS, gap_finding, uncovered_finding
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import plural
from tritonpuzzles.wire.facts import BadAccess, CallFact, Fact, Gap, LostContext, Said, SomeRan, Stopped

CPU_CHECK = "the CPU check (--device cpu) names the line."
CHECK_MASKS = f"Check the masks and strides; {CPU_CHECK}"
STOPPED = "The kernel stops: {why}."
STOPS: dict[str, tuple[str, str | None]] = {  # code: why a kernel stops, and the next step
    "unsupported-operation": (
        "This check cannot continue, and says nothing about the kernel: {why}.",
        "Where there is a GPU, --device cuda runs the kernel itself.",
    ),
    "endless-loop": (
        "The loop of line {line} never ends: {why}.",
        "Let each iteration change what the condition compares. (+= adds; =+ assigns the value after the plus.)",
    ),
    "promise-broken": (
        "The kernel promises the compiler what is not true: {why}.",
        "Promise only what is true in every call; without the promise the kernel is right, too.",
    ),
    "illegal-memory-access": (
        STOPPED,
        "Access elements of the tensor's own width: a tensor, or a row of it, may start at any element.",
    ),
}
ONE_EACH = "Launch one program for each tile: triton.cdiv(size, size of a tile) of them along each axis of the grid."
_SENTENCES: dict[str, tuple[str, str | None]] = {
    "host-wrote-output": (
        "{call} writes with torch's {name} to memory that a kernel was launched on before.",
        "Let the kernel write all of the result.",
    ),
    "no-launch": ("{call} launches no Triton kernel.", "Launch the kernel: kernel[grid](...)."),
    "wrong-memory": (
        "{call} returns {name} in memory that no kernel was launched on.",
        "Return the tensor that you pass to the kernel.",
    ),
    "aliases-input": (
        "{call} returns memory of its input {name}.",
        "Return the tensor that the kernel writes to; allocate it with torch.empty_like.",
    ),
    "input-modified": (
        "{call} overwrites its input {name}: {count:,} bytes differ after the call.",
        "Write to the output only.",
    ),
    "out-of-bounds-store": (
        "{call} writes outside {whose}{name}: {distance}, on the GPU.",
        "Mask the store: mask=cols < n_cols.",
    ),
    "out-of-bounds-load": (
        "{call} reads outside its input {name}: {count:,} elements of the result depend on the memory there.",
        "Mask the load: mask=cols < n_cols, other=...",
    ),
    "unwritten-elements": (
        "The output of {call} has {count:,} of {of:,} elements that nothing writes: {place}.",
        FILL_GAPS,
    ),
    "race": (
        "{call} is not repeatable: run {run} of {of} on the same input gives other bits in {elements}, the first at "
        "[{index}]. Two programs race for the same memory.",
        "Let each output element be computed and stored by one program only.",
    ),
    "large-tensor-unreached": (
        "The programs that were run, the last among them, reach no more than the first {count:,} of the {of:,} "
        "elements of {name}.",
        "Let every program load and store its own rows, however many rows there are.",
    ),
    "not-compiled": (
        "{name} was not compiled, nor {others:,} more: the kernels are launched with {all:,} different sets of "
        "constants and types, and {of} are compiled.",
        "Give sizes that differ from call to call as ordinary arguments, and not as tl.constexpr.",
    ),
    "out-of-memory": ("{call} runs out of memory.", None),
    "out-of-resources": (
        "The kernel asks for {count:,} {unit}{name}, and this GPU has {of:,}.",
        "Make the tiles smaller.",
    ),
    "runtime-error": ("{call} raises {name}.", None),
    "tampering": (
        "The record of {call} is not consistent ({name}): the file wrote to the recorder's channel.",
        "Allocate, launch and return; the grader reads nothing else.",
    ),
}
_SMALLER = {
    "shared memory": "Make the tiles smaller, or num_stages: each stage keeps a copy of the tiles it loads ahead.",
    "threads": "Ask for fewer warps: a program has num_warps times 32 threads.",
    "registers": "Make the tiles smaller, or ask for more warps that share them.",
}
_LOST = {
    "illegal memory access": ("The kernel reads or writes memory that is not its own", CHECK_MASKS),
    "misaligned address": (
        "The kernel reads or writes an element at an address that is no multiple of its size",
        f"Check the pointer arithmetic; {CPU_CHECK}",
    ),
    "device-side assert": ("An assertion in the kernel fails", f"Check what tl.device_assert asks for; {CPU_CHECK}"),
    "unspecified launch failure": ("The GPU stops the kernel without a reason", CHECK_MASKS),
}


def call_finding(fact: CallFact, known: Known) -> Finding:
    """Return the finding for a fact about a call."""
    template, step = _SENTENCES[fact.code]
    text, line, passed = template.format(call=known.call, **_more_of(fact)), fact.line, fact.passed
    if passed is not None:
        there = f" in line {passed.store}" if passed.store is not None else ""
        text = f"{text} Line {passed.line} passes it as {passed.parameter}, which {passed.kernel} stores to{there}."
        line = passed.line
        step = "Compare the arguments of the launch with the kernel's parameters; store to the output only."
    what = {"wrong-memory": "output", "input-modified": "argument"}.get(fact.code)
    details = {what: fact.name} if what and fact.name else {}
    step = _SMALLER.get(fact.name, step) if fact.code == "out-of-resources" else step
    return Finding(fact.code, text, fact.file or known.file, line, next_step=step, details=details)


def _more_of(fact: CallFact) -> dict[str, Any]:
    """Return the values for a sentence's placeholders: the fact's own, and some computed from it."""
    side = "after its last" if fact.count > 0 else "before its first"
    return {
        **vars(fact),
        "name": fact.name or "a tensor",
        "whose": "its " if fact.is_fresh else "",
        "distance": f"{plural(abs(fact.count), 'element')} {side}",
        "elements": plural(fact.count, "element"),
        "place": fact.where.words() if fact.where is not None else "",
        "index": ", ".join(map(str, fact.first)),
        "others": fact.count - 1,
        "all": fact.of + fact.count,
        "unit": "bytes of " if "memory" in fact.name else "",
    }


def stop_finding(fact: Stopped) -> Finding:
    """Return why a kernel stops; if the engine is what cannot continue, the text says so."""
    (text, step), details = STOPS.get(fact.code, (STOPPED, fact.step)), {}
    if fact.seen is not None:
        text = "When its programs run in another order, the kernel stops: {why}."
        sees = f"What a program sees in line {fact.seen} depends on which programs have run"
        step = f"{sees}: a GPU runs them in any order."
    elif fact.code not in STOPS and fact.programs is not None:
        text, step, details = "{why}.", ONE_EACH, {"programs": fact.programs}
    return Finding(
        fact.code, text.format(why=fact.why, line=fact.line), fact.file, fact.line, next_step=step, details=details
    )


def worded(facts: Iterable[Fact], known: Known) -> list[Finding]:
    """Return the findings of facts, in order; some facts give none."""
    found = []
    for fact in facts:
        try:
            found.append(_finding(fact, known))
        except RecursionError:  # a text nested too deeply
            found.append(_finding(fact, replace(known, texts={})))
    return [finding for finding in found if finding is not None]


def _finding(fact: Fact, known: Known) -> Finding | None:
    match fact:
        case BadAccess():
            return access_finding(fact, known)
        case Gap():
            return gap_finding(fact, known)
        case SomeRan():
            return uncovered_finding(fact, known)
        case CallFact():
            return call_finding(fact, known)
        case LostContext():
            sentence, step = _LOST[fact.words]
            text = f"{sentence}: CUDA says {fact.words!r}."
            return Finding(fact.code, text, known.file, next_step=step)
        case Stopped():
            return stop_finding(fact)
        case Said():
            return Finding(**asdict(fact))
