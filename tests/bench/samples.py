"""Benches as the judge could give them."""

from __future__ import annotations

from dataclasses import replace

from tritonpuzzles.results.bench import Bench, BenchPoint, Contender, Speed
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.speed import Timing

ENVIRONMENT = {
    "python": "3.12.3", "platform": "Linux x86_64", "torch": "2.11.0", "triton": "3.6.0", "numpy": "2.4.6",
    "gpu": "NVIDIA H200", "cuda": "13.0", "driver": "580.159.04", "sm_mhz": 1980.0, "memory_mhz": 3201.0,
}  # fmt: skip
SIZES = (1024, 4096, 32768, 131072)
COPIES = (2551.0, 3603.0, 4119.0, 4240.0)
RATES = {
    "yours": (2441.0, 3334.0, 2706.0, 2724.0),
    "solution": (2521.0, 3430.0, 2788.0, 2763.0),
    "tuned": (2789.0, 3682.0, 4164.0, 3632.0),
    "torch.softmax": (2280.0, 2284.0, 2618.0, 2078.0),
    "naive torch": (593.0, 670.0, 800.0, 831.0),
}
FILES = ("yours", "solution", "tuned")
WRONG = Finding("wrong-values", "The result is wrong at n_cols = 131,072: 3 of 9 elements.", line=27, next_step="Look.")


def point(size: int, copy: float | None) -> BenchPoint:
    work = 2 * 4096 * size * 4
    return BenchPoint(size, (4096, size), work, work, work * 3 // 2, copy)


RUNGS = {"naive torch": "naive", "torch.softmax": "library", "FlashAttention-2": "library", "cuDNN": "best"}


def timing(ms: float) -> Timing:
    return Timing(ms, 0.99 * ms, 1.02 * ms, 0.98 * ms, 60)


def speed(at: BenchPoint, rate: float, labels: tuple[str, ...] = (), ledger: float | None = None) -> Speed:
    moved = None if ledger is None else round(ledger * at.minimum_bytes)
    return Speed(timing(at.work / rate / 1e6), rate, labels, None, moved, at.rate_of(moved))


def online_softmax(**more: object) -> Bench:
    """Puzzle 3 on an H200; numbers of FACTS-like size, none of them measured for this."""
    points = tuple(point(size, copy) for size, copy in zip(SIZES, COPIES, strict=True))
    contenders = tuple(
        Contender(
            name,
            f"files/{name}.py" if name in FILES else None,
            tuple(speed(at, rate, (), 1.5 if name in FILES else None) for at, rate in zip(points, rates, strict=True)),
            1.01 if name in FILES else None,
            RUNGS.get(name),
        )
        for name, rates in RATES.items()
    )
    fields = {"points": points, "contenders": contenders, "copy_gb_per_s": 4250.0, "matmul_tflop_per_s": None, **more}
    return Bench(3, "online_softmax", 7, "float32", "n_cols", ("n_rows", "n_cols"), "GB/s", ENVIRONMENT, **fields)  # type: ignore[arg-type]


def addition() -> Bench:
    """Puzzle 0: vectors, read twice and written once."""
    sizes = (1 << 20, 1 << 28)
    points = tuple(BenchPoint(n, (n,), 12 * n, 12 * n, 12 * n, copy) for n, copy in zip(sizes, COPIES, strict=False))
    contenders = tuple(
        Contender(name, file, tuple(speed(at, rate, (), 1.0 if file else None) for at in points), None, rung)
        for name, file, rate, rung in (
            ("solution", "files/solution.py", 3400.0, None),
            ("torch.add", None, 3300.0, "library"),
        )
    )
    fields = {"points": points, "contenders": contenders, "copy_gb_per_s": 4250.0, "matmul_tflop_per_s": None}
    return Bench(0, "vector_add", 7, "float32", "n_elements", ("n_elements",), "GB/s", ENVIRONMENT, **fields)  # type: ignore[arg-type]


def with_failures() -> Bench:
    """The same with a wrong result, a launch-bound and a suspicious timing, and a baseline that is not there."""
    good = online_softmax()
    first, second, *others = good.contenders
    marked = (
        replace(first.speeds[0], labels=("launch-bound",)),
        replace(first.speeds[1], rate=9e4, labels=("suspicious",)),
        first.speeds[2],
        Speed(failure=WRONG),
    )
    absent = Speed(failure=Finding("not-available", "naive torch does not run here."))
    gone = replace(others[-1], speeds=(*others[-1].speeds[:3], absent))
    return replace(good, contenders=(replace(first, speeds=marked), second, *others[:-1], gone))


def attention(**more: object) -> Bench:
    """Puzzle 5: arithmetic decides."""
    sizes = (1024, 4096, 16384)
    points = tuple(BenchPoint(n, (n, 128), 4 * n * n * 128, 8 * n * 128, 8 * n * 128) for n in sizes)
    rates = {
        "solution": (60.0, 133.0, 375.0), "tuned": (80.0, 184.0, 537.0), "FlashAttention-2": (90.0, 206.0, 288.0),
        "cuDNN": (70.0, 155.0, 646.0), "naive torch": (20.0, 40.0, 60.0),
    }  # fmt: skip
    contenders = tuple(
        Contender(
            name,
            "x.py" if name in FILES else None,
            tuple(Speed(timing(at.work / rate / 1e9), rate) for at, rate in zip(points, found, strict=True)),
            rung=RUNGS.get(name),
        )
        for name, found in rates.items()
    )
    fields = {"points": points, "contenders": contenders, "copy_gb_per_s": 4250.0, "matmul_tflop_per_s": 761.0, **more}
    fields.setdefault("work_in_words", "4 n² d operations")
    return Bench(5, "flash_attention", 7, "float16", "n", ("n", "d"), "TFLOP/s", ENVIRONMENT, **fields)  # type: ignore[arg-type]
