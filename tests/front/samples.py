"""Reports as the judge could give them: the input of the renderer's tests, and of the fake judge."""

from __future__ import annotations

from pathlib import Path

from tritonpuzzles.results.check import (
    CaseResult,
    CompileResult,
    Confinement,
    Finding,
    Mismatch,
    Predicted,
    PuzzleResult,
    Report,
    Verdict,
)
from tritonpuzzles.results.speed import Benchmark, Fit, GridOccupancy, Timing
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.traffic import DramReads, LineTraffic, TensorReads, Traffic

ENVIRONMENT = {"python": "3.11.7", "platform": "Linux x86_64", "torch": "2.13.0", "triton": "3.9.0", "gpu": None}
FILE = "puzzles/p03_online_softmax.py"
NAMES = ("ordinary numbers", "1823 x 781", "far above zero", "late maximum", "rising rows", "hidden start", "float16")


def report(*results: PuzzleResult) -> Report:
    return Report("0.1.0", ENVIRONMENT, results)


def case(name: str, verdict: Verdict = Verdict.PASS, mismatch: Mismatch | None = None, **more: object) -> CaseResult:
    fields = {"why": f"Why {name}.", "max_error": 1e-8, "tolerance": 1e-6, **more}
    return CaseResult(name, (33, 781), "float32", verdict, mismatch=mismatch, **fields)


def known_as(name: str) -> Submission:
    return Submission(Path(name), Path(name))


def result(verdict: Verdict, **more: object) -> PuzzleResult:
    fields = {"puzzle": 3, "slug": "online_softmax", "file": FILE, "device": "cpu", "seed": 123, "seconds": 1.9, **more}
    return PuzzleResult(verdict=verdict, **{**fields, "file": known_as(str(fields["file"]))})


def traffic(loaded: float = 2.0) -> tuple[Traffic, ...]:
    return (
        Traffic("x_ptr", int(loaded * 103092), 0, loaded, 0.0, 2.0, tensor="x", role="input"),
        Traffic("y_ptr", 0, 103092, 0.0, 1.0, 1.0, tensor="y", role="output"),
    )


HELD = Confinement(("a PID namespace", "the loss of root's powers", "Landlock 7", "a filter on system calls"))


def filled() -> GridOccupancy:
    """How 432 programs of 8 warps fill an A100."""
    fit = Fit(5, "registers", 8, 64, 44, 64)
    words = {"case": "1823 x 781", "kernel": "softmax_kernel", "gpu": "NVIDIA A100", "work_word": "rows"}
    return GridOccupancy(
        **words, multiprocessors=108, at_once=540, programs=432, work=1823, least=4, most=5, occupancy=0.5, fit=fit
    )


def dram() -> DramReads:
    """What DRAM reads for 600 programs in groups of 8 rows of tiles."""
    tensors = (TensorReads("a", 1556480, 1822720), TensorReads("b", 1589248, 4767744))
    return DramReads(
        case="more than the L2 cache holds", gpu="NVIDIA RTX 3050 Laptop", l2_bytes=2 << 20, programs=600, at_once=16,
        tensors=tensors, read_bytes=6590464, in_order_bytes=41986048, limit_bytes=7 * 3145728,
    )  # fmt: skip


def passing(**more: object) -> PuzzleResult:
    """All cases pass, on the CPU."""
    fields = {
        "cases": tuple(case(name) for name in NAMES),
        "traffic": traffic(),
        "traffic_case": "1823 x 781",
        "stars": 1,
        "confinement": HELD,
        **more,
    }
    return result(Verdict.PASS, **fields)


def predicted(**more: object) -> Predicted:
    """A kernel as fast as the puzzle's traffic allows, on a GPU that is not here."""
    fields = {
        "gpu": "H200", "shape": (1024, 65536), "dtype": "float32", "unit": "GB/s", "copy_gb_per_s": 4119.0,
        "microseconds": 207.0, "rate": 2706.0, "share_of_copy": 0.657, "share_of_limit": 0.985,
        "yardstick_rate": 2747.0, "share_of_yardstick": 0.985, "band": 0.12, "stars": 3,
        "stars_at": (0.8, 0.92), **more,
    }  # fmt: skip
    return Predicted(**fields)  # type: ignore[arg-type]


def predicted_slow(**more: object) -> Predicted:
    """A kernel that something holds back, with a note that says what."""
    text = "A program asks for 256 bytes at a time, and 132 multiprocessors wait for DRAM half of the time (line 3)."
    step = "Let a program load more at once: a larger BLOCK_SIZE, or more warps."
    why = Finding("few-bytes-in-flight", text, file=FILE, line=3, next_step=step)
    slow = {"microseconds": 296.4, "rate": 1851.0, "share_of_copy": 0.449, "share_of_limit": 0.674}
    slow |= {"share_of_yardstick": 0.674, "stars": 1}
    return predicted(**slow, limit=why.code, why=why, **more)


def predicted_nothing() -> Predicted:
    """A kernel of which nothing can be predicted."""
    return predicted(
        microseconds=None, rate=None, share_of_copy=None, share_of_limit=None, share_of_yardstick=None, stars=1,
        problem="No speed is predicted: the kernel's loop runs as often as the numbers in x say.",
    )  # fmt: skip


def predicted_product(**more: object) -> Predicted:
    """A product, beside the tensor cores of a GPU and a library."""
    fields = {
        "shape": (4096, 4096, 4096), "dtype": "float16", "unit": "TFLOP/s", "microseconds": 251.0, "rate": 548.0,
        "share_of_copy": None, "share_of_limit": None, "yardstick": "cuBLAS", "yardstick_rate": 691.0,
        "share_of_yardstick": 0.793, "tensor_tflop_per_s": 989.4, "band": 0.6, "stars": 2, "stars_at": (0.6, 0.85),
    }  # fmt: skip
    return predicted(**{**fields, **more})


def timed(rate: float = 2706.0, labels: tuple[str, ...] = (), **more: object) -> PuzzleResult:
    """All cases pass on both, with a benchmark."""
    speed = Benchmark(
        device="NVIDIA H200",
        shape=(1024, 65536),
        dtype="float32",
        kernel=Timing(0.198, 0.197, 0.2, 0.196, 50),
        unit="GB/s",
        rate=rate,
        baselines={"torch.softmax": 2618.0, "naive torch": 800.0},
        copy_gb_per_s=4119.0,
        share_of_copy=rate / 4119.0,
        share_of_limit=rate / 4119.0 * 1.5,
        labels=labels,
        share_of_yardstick=rate / 4119.0 * 1.5,
        stars_at=(0.8, 0.92),
    )
    both = tuple(case(name, device=device) for device in ("cpu", "cuda") for name in NAMES)
    compiled = (CompileResult("softmax_kernel", "sm_90", True, 40, 0, 1024, 4, 3),)
    stars = 1 if labels else 3 if rate / 4119.0 * 1.5 >= 0.92 else 2
    fields = {"benchmark": speed, "device": "cuda", "cases": both, "compile": compiled, "stars": stars, **more}
    return passing(**fields)


def not_rescaled(**more: object) -> PuzzleResult:
    """The mistake of puzzle 3: the running sum is not rescaled."""
    mismatch = Mismatch("y", 14012, 25773, (0, 256), 0.00123456, 0.00098765, "columns 256 and after of every row")
    bad = ("ordinary numbers", "late maximum", "rising rows", "hidden start", "float16")
    cases = tuple(case(n, Verdict.FAIL, mismatch) if n in bad else case(n) for n in NAMES)
    step = "Multiply l by exp(m - m_new) before the new terms are added."
    text = "Your sum is not rescaled when the running maximum grows: 14,012 of 25,773 elements are too small."
    findings = [
        Finding("sum-not-rescaled", text, file=FILE, line=3, case=name, next_step=step)
        for name in ("late maximum", "rising rows")
    ]
    lines = (LineTraffic(FILE, 3, "x_ptr", 103092, 0),)
    fields = {
        "cases": cases,
        "findings": tuple(findings),
        "traffic": traffic(),
        "traffic_case": "1823 x 781",
        "lines": lines,
        **more,
    }
    return result(Verdict.FAIL, **fields)


def out_of_bounds(**more: object) -> PuzzleResult:
    """A store without a mask, and a third pass."""
    cases = (case("ordinary numbers", Verdict.FAIL), case("1823 x 781", Verdict.FAIL), case("one row"))
    text = "y_ptr is written outside its 25,773 elements: 243 lanes, first by program 32 at element 25773 (line 4)."
    step = "Pass mask=offsets < n_elements to tl.store, or correct the offsets."
    findings = [
        Finding("out-of-bounds-store", text, file=FILE, line=4, case=c.name, next_step=step, details={"count": 243})
        for c in cases[:2]
    ]
    cost = "x is read 3.00 times (line 3); two passes suffice."
    findings.append(
        Finding("too-many-loads", cost, file=FILE, line=3, case="1823 x 781", details={"argument": "x_ptr", "times": 3})
    )
    findings.append(Finding("better-than-asked", "A note."))
    fields = {
        "cases": cases,
        "findings": tuple(findings[::-1]),
        "traffic": traffic(3.0),
        "traffic_case": "1823 x 781",
        **more,
    }
    return result(Verdict.FAIL, **fields)


def syntax_error(**more: object) -> PuzzleResult:
    """A file that does not parse: the message brings the line and the caret."""
    text = (
        "p03_online_softmax.py does not parse at line 3: unmatched ')'.\n    mask = cols < n_cols)\n" + " " * 24 + "^"
    )
    return result(Verdict.ERROR, findings=(Finding("syntax-error", text, file=FILE, line=3),), **more)


def timeout(**more: object) -> PuzzleResult:
    """A loop that never ends, after a good deal of output."""
    text = 'softmax(x) did not finish within 20 s, in case "late maximum", shape 33x781.'
    step = "Look for a loop that never ends; a slow machine may need --timeout with more seconds."
    found = Finding("timeout", text, file=FILE, case="late maximum", next_step=step)
    printed = "".join(f"iteration {n}\n" for n in range(40))
    cases = (case("ordinary numbers"), case("late maximum", Verdict.ERROR))
    return result(Verdict.ERROR, findings=(found,), cases=cases, output=printed, **more)


def unsolved(**more: object) -> PuzzleResult:
    """The stub."""
    found = Finding("nothing-written", "Nothing was written: not started yet.", file=FILE)
    return result(Verdict.UNSOLVED, findings=(found,), **more)


def five() -> Report:
    """Five puzzles in one report."""
    return report(
        passing(puzzle=1, slug="softmax"),
        timed(puzzle=2, slug="blocked_softmax"),
        not_rescaled(),
        unsolved(puzzle=4, slug="tiled_softmax"),
        syntax_error(puzzle=5, slug="flash_attention"),
    )
