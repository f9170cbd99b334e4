"""Time Triton's plain interpreter against the engine with its full ledger, on the same kernels and inputs.

    python benchmarks/interpreter.py            # a table
    python benchmarks/interpreter.py --json     # one object

The plain interpreter runs in a process of its own with TRITON_INTERPRET=1, the engine in this one without it; both
take the best of several calls. Peak memory is this process's, torch and Triton included.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
import triton
import triton.language as tl


@triton.jit
def naive_softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    """Softmax of one row per program; the row fits in one tile."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def online_softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    """Softmax of one row per program in two passes."""
    row = tl.program_id(0)
    m = -float("inf")
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """C = a @ b, one tile of c per program."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        ks = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
        b = tl.load(b_ptr + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, scale, head_stride, n,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """FlashAttention-2 forward; one tile of queries of one head per program. q, k, v, o: (heads, n, D), contiguous."""
    pid_m, head = tl.program_id(0), tl.program_id(1)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    base = head * head_stride
    q = tl.load(q_ptr + base + rows[:, None] * D + dims[None, :], mask=rows[:, None] < n, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    hi = tl.minimum((pid_m + 1) * BLOCK_M, n) if CAUSAL else n
    for start in range(0, hi, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + base + cols[:, None] * D + dims[None, :], mask=cols[:, None] < n, other=0.0)
        v = tl.load(v_ptr + base + cols[:, None] * D + dims[None, :], mask=cols[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(cols[None, :] < n, s, -float("inf"))
        if CAUSAL:
            s = tl.where(cols[None, :] <= rows[:, None], s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m - m_new)
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + base + rows[:, None] * D + dims[None, :], acc / l[:, None], mask=rows[:, None] < n)


@dataclass(frozen=True)
class Case:
    """One kernel, its launch, and how much faster the engine has to be."""

    name: str
    launch: Callable[[], torch.Tensor]
    wanted: float


def _softmax(kernel: object, block: int) -> Callable[[], torch.Tensor]:
    x = torch.randn(1823, 781)

    def launch() -> torch.Tensor:
        y = torch.empty_like(x)
        kernel[(x.shape[0],)](x, y, x.stride(0), y.stride(0), x.shape[1], BLOCK_SIZE=block)  # type: ignore[index]
        return y

    return launch


def _attention(heads: int, causal: bool) -> Callable[[], torch.Tensor]:
    q, k, v = (torch.randn(heads, 512, 64) for _ in range(3))

    def launch() -> torch.Tensor:
        o = torch.empty_like(q)
        grid = (triton.cdiv(512, 32), heads)
        tiles = {"D": 64, "BLOCK_M": 32, "BLOCK_N": 32, "CAUSAL": causal}
        attention_kernel[grid](q, k, v, o, 0.125, q.stride(0), 512, **tiles)
        return o

    return launch


def _matmul() -> Callable[[], torch.Tensor]:
    a, b = torch.randn(256, 256), torch.randn(256, 256)

    def launch() -> torch.Tensor:
        c = torch.empty(256, 256)
        matmul_kernel[(8, 8)](a, b, c, 256, 256, 256, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
        return c

    return launch


def cases() -> list[Case]:
    """Return the benchmark's cases, with inputs from a fixed seed."""
    torch.manual_seed(0)
    return [
        Case("online softmax 1823 x 781, BLOCK 256", _softmax(online_softmax_kernel, 256), 80),
        Case("naive softmax 1823 x 781", _softmax(naive_softmax_kernel, 1024), 15),
        Case("attention 512 x 64", _attention(1, causal=False), 12),
        Case("causal attention 4 heads 512 x 64", _attention(4, causal=True), 4),
        Case("matmul 256 x 256 x 256", _matmul(), 15),
    ]


def best_seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the shortest time of `repeats` calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def measure_plain() -> None:
    """Print the seconds of each case under the plain interpreter, as JSON: the child process's part."""
    first = [(case, best_seconds(case.launch, 1)) for case in cases()]
    print(
        json.dumps([min(seconds, best_seconds(case.launch, 1)) if seconds < 10 else seconds for case, seconds in first])
    )


def measure_engine(case: Case, repeats: int) -> float:
    """Return the seconds of one case under the engine, ledger and checks included."""
    from tritonpuzzles.engine.interpreter import Tracer

    def traced() -> None:
        with Tracer() as tracer:
            case.launch()
        if tracer.facts:
            raise SystemExit(f"{case.name}: {tracer.facts[0]}")

    traced()
    return best_seconds(traced, repeats)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    plain_seconds: float
    engine_seconds: float
    wanted: float

    @property
    def speedup(self) -> float:
        """How many times faster the engine is."""
        return self.plain_seconds / self.engine_seconds


def measure(repeats: int) -> list[Row]:
    """Run every case under both interpreters."""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, __file__, "--plain"]
    plain = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    engine = [(case, measure_engine(case, repeats)) for case in cases()]
    return [
        Row(case.name, plain_seconds, seconds, case.wanted)
        for (case, seconds), plain_seconds in zip(engine, plain, strict=True)
    ]


def main() -> int:
    """Run the benchmark; exit 1 if a case is slower than wanted or memory exceeds 1 GB."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=9, help="timed calls of the engine per case (default 9)")
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.plain:
        measure_plain()
        return 0
    rows = measure(arguments.repeats)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6  # Linux counts in KiB
    report(rows, peak_mb, as_json=arguments.json)
    return int(any(row.speedup < row.wanted for row in rows) or peak_mb > 1000)


def report(rows: list[Row], peak_mb: float, *, as_json: bool) -> None:
    """Print the results."""
    versions = {"python": platform.python_version(), "triton": triton.__version__, "torch": torch.__version__}
    if as_json:
        cases = [{**asdict(row), "speedup": row.speedup} for row in rows]
        print(json.dumps({"version": 1, "environment": versions, "cases": cases, "peak_mb": peak_mb}))
        return
    print(f"{'kernel':38} {'plain s':>9} {'engine s':>9} {'speedup':>8} {'wanted':>7}")
    for row in rows:
        mark = "ok" if row.speedup >= row.wanted else "slow"
        line = (
            f"{row.name:38} {row.plain_seconds:9.3f} {row.engine_seconds:9.4f} {row.speedup:7.1f}x {row.wanted:6.0f}x"
        )
        print(f"{line}  {mark}")
    print(f"peak memory {peak_mb:.0f} MB; " + ", ".join(f"{name} {value}" for name, value in versions.items()))


if __name__ == "__main__":
    sys.exit(main())
