"""Say why the CPU engine and the GPU judge one file differently.

The engine runs programs in a fixed order, counts every access and knows what each masked-off lane holds; a GPU runs
programs at once and gives whatever lies in memory. Each code stands for one of these differences.
"""

from __future__ import annotations

from tritonpuzzles.results import Finding, PuzzleResult, Severity, Verdict

DECIDED = (Verdict.PASS, Verdict.FAIL, Verdict.ERROR)
TRAFFIC = "A GPU does not tell how often a kernel reads its input; the engine counts."
LUCK = "What lies there on the GPU happened to do no harm this time; the engine knows that it is undefined."
ORDER = "The programs happened to run in an order that gave the right values on the GPU."
ARCHITECTURE = "It was compiled for other GPUs than this one, too."
ONLY_ON_THE_CPU = {
    "too-many-loads": TRAFFIC,
    "too-many-stores": TRAFFIC,
    "tile-too-large": "The engine sees the size of every block; a GPU does not tell it.",
    "undefined-lane": LUCK,
    "uninitialised-read": LUCK,
    "out-of-bounds-load": LUCK,
    "written-twice": ORDER,
    "race-read-write": ORDER,
    "race-write-write": ORDER,
    "compile-error": ARCHITECTURE,
    "tf32": "This GPU multiplies float32 exactly where the engine rounds to TF32, as GPUs with tensor cores do.",
}
ONLY_ON_THE_GPU = {
    "race": "The engine runs the programs one after the other; on the GPU they run at once.",
    "out-of-resources": "The engine has no limit on memory on chip; this GPU has.",
    "illegal-memory-access": "The kernel goes wrong in a shape that only the GPU is given, or its programs race.",
    "out-of-memory": "The GPU has less memory than this machine.",
    "int32-overflow": "Only the GPU is given a matrix this large.",
    "tf32": "The GPU's tensor cores round float32 factors to TF32.",
}
LARGE_CASES = "Every case that both were given came out right on both; only the GPU is given the large ones."
UNKNOWN_GPU = "Undefined memory that the engine fills otherwise, TF32, or a race between programs can be behind it."
UNKNOWN_CPU = "Undefined memory, rounding, or the order of the programs can be behind it."


def disagreement(cpu: PuzzleResult, gpu: PuzzleResult) -> Finding | None:
    """Return the reason as a note, or nothing where both say the same or one of them has no say."""
    if cpu.verdict not in DECIDED or gpu.verdict not in DECIDED or cpu.passed == gpu.passed:
        return None
    if gpu.passed:
        text, why = (
            "The GPU accepts this kernel, the CPU engine does not.",
            _reason(cpu, ONLY_ON_THE_CPU) or UNKNOWN_CPU,
        )
    else:
        text = "The CPU engine accepts this kernel, the GPU does not."
        why = _reason(gpu, ONLY_ON_THE_GPU) or _wrong(cpu, gpu)
    return Finding("devices-disagree", f"{text} {why}", Severity.NOTE, file=cpu.file)


def _reason(rejected: PuzzleResult, reasons: dict[str, str]) -> str | None:
    """Return the reason that belongs to the first error that has one."""
    errors = (finding.code for finding in rejected.findings if finding.severity is Severity.ERROR)
    return next((reasons[code] for code in errors if code in reasons), None)


def _wrong(cpu: PuzzleResult, gpu: PuzzleResult) -> str:
    """Return why values are wrong on the GPU alone: in its own large cases, or in cases that both have."""
    both = {case.name for case in cpu.cases}
    bad = {case.name for case in gpu.cases if case.verdict is not Verdict.PASS}
    return LARGE_CASES if bad and not bad & both else UNKNOWN_GPU
