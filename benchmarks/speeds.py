"""Time many right kernels on this machine's GPUs, beside copies of the same bytes: what the model of speed is held to.

    python benchmarks/speeds.py --out benchmarks/records/speeds_h100.json          # minutes; needs an NVIDIA GPU

`SPEEDS_ONLY="p05 p08"` times some puzzles alone, and leaves the record of others as it is. The kernels are the
solutions, the tuned ones, the right variants of the corpora, and the right but slow ones of tests/slow. First many
processes compile, then each GPU times its share of the files, one call after the other.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "grader"))

from tritonpuzzles.engine.stopwatch import CudaClock, Stopwatch  # noqa: E402

HOSTS = {
    "p00": "add",
    "p01": "softmax",
    "p02": "softmax",
    "p03": "softmax",
    "p04": "softmax",
    "p05": "flash_attention",
    "p06": "softmax",
    "p07": "matmul",
    "p08": "dot",
}
COLUMNS = (1000, 2048, 4096, 8192, 16384, 65536)
SIZES = {
    "p00": (1 << 20, 1 << 22, 1 << 24, 100_000_000, 1 << 27, 1 << 28),
    "p01": (1000, 1024, 2048, 4096, 8192, 32768),
    "p02": COLUMNS,
    "p03": COLUMNS,
    "p04": COLUMNS,
    "p05": (1024, 2048, 4096, 8192, 16384, 32768),
    "p06": (1000, 2048, 4096, 8192, 16384, 32768),
    "p07": (512, 1024, 2048, 3072, 4096, 8192),
    "p08": (512, 1024, 2048, 3072, 4096, 8192),
}
ONLY = os.environ.get("SPEEDS_ONLY", " ".join(HOSTS)).split()  # puzzles; what is on record of others stays
ROWS, HEAD = 4096, 128
FEW_ROWS = 64  # for compiling
ENOUGH_MS = 60.0  # of timed work
GIVEN_UP_MS = 400.0  # of one call
BUSY_CYCLES = 3_000_000  # 1.5 ms
WAITS = 100  # seconds for what one file compiles


def files() -> list[tuple[str, Path]]:
    """Return (puzzle, file) of every kernel that is right, "p03"."""
    folders = [ROOT / "solutions", ROOT / "solutions" / "tuned", ROOT / "tests" / "slow"]
    found = [(path.name[:3], path) for folder in folders for path in sorted(folder.glob("p0*.py"))]
    for corpus in ("mutants", "real_style"):
        found += [(path.parts[-3][:3], path) for path in sorted((ROOT / "tests" / corpus).glob("p0*/right/*.py"))]
    return [(puzzle, path) for puzzle, path in found if puzzle in HOSTS and puzzle in ONLY]


def load(path: Path) -> ModuleType:
    """Import a file of ours."""
    spec = importlib.util.spec_from_file_location(f"timed_{abs(hash(str(path)))}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def call_of(puzzle: str, function: Callable[..., Any], size: int, rows: int = ROWS) -> tuple[Callable[[], Any], int]:
    """Return a call at a size, and the bytes that it cannot do without."""
    cuda = torch.device("cuda")
    if puzzle == "p00":
        x, y = torch.randn(size, device=cuda), torch.randn(size, device=cuda)
        return (lambda: function(x, y)), 3 * x.nbytes
    if puzzle == "p05":
        q, k, v = (torch.randn(size, HEAD, device=cuda, dtype=torch.float16) for _ in range(3))
        return (lambda: function(q, k, v)), 4 * q.nbytes
    if puzzle == "p07":
        a, b = (torch.randn(size, size, device=cuda, dtype=torch.float16) for _ in range(2))
        return (lambda: function(a, b)), 3 * a.nbytes
    if puzzle == "p08":
        a, b, g = (torch.randn(size, size, device=cuda, dtype=torch.float16) for _ in range(3))
        a.requires_grad_()
        b.requires_grad_()
        return (lambda: torch.autograd.grad(function(a, b), (a, b), g)), 9 * a.nbytes
    x = torch.randn(rows, size, device=cuda)
    return (lambda: function(x)), 2 * x.nbytes


def timed(clock: CudaClock, call: Callable[[], Any]) -> float | None:
    """Return the median of a call in milliseconds, with cold caches; `None` for what takes too long.

    The GPU is kept busy before each call, so that all of it is queued by then: what the host function does counts not.
    """
    clock.settle(call)
    one = clock.together_ms(call, 1)
    if one > GIVEN_UP_MS:
        return None
    clock.together_ms(call, max(1, int(15 / max(one, 0.01))))
    flush = torch.empty(4 * clock.l2_bytes, dtype=torch.int8, device="cuda")
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(_count(one))]
    for start, end in events:
        flush.zero_()
        torch.cuda._sleep(BUSY_CYCLES)
        start.record()
        call()
        end.record()
    torch.cuda.synchronize()
    samples = sorted(start.elapsed_time(end) for start, end in events)
    return samples[len(samples) // 2]


def _count(one_ms: float) -> int:
    return max(5, min(40, int(ENOUGH_MS / max(one_ms, 0.05))))


def compiled_of(module: ModuleType) -> dict[str, list[int]]:
    """Return registers, spills and shared bytes of the kernels that a module has launched, as Triton tells them."""
    found = {}
    for name, value in vars(module).items():
        function = value
        while function is not None and not hasattr(function, "device_caches"):
            function = getattr(function, "fn", None)
        for caches in getattr(function, "device_caches", {}).values():
            for kernel in caches[0].values():
                with contextlib.suppress(Exception):
                    found[f"{name} {kernel.metadata.num_warps}"] = [
                        kernel.n_regs, kernel.n_spills, kernel.metadata.shared,
                    ]  # fmt: skip
    return found


def one_file(puzzle: str, path: Path, clock: CudaClock | None) -> dict[str, Any]:
    """Time a file at every size; without a clock, have everything compiled."""
    told: dict[str, Any] = {"puzzle": puzzle, "file": str(path.relative_to(ROOT)), "ms": {}}
    try:
        module = load(path)
        for size in SIZES[puzzle]:
            small = clock is None and puzzle in ("p01", "p02", "p03", "p04", "p06")
            call, _ = call_of(puzzle, getattr(module, HOSTS[puzzle]), size, FEW_ROWS if small else ROWS)
            if clock is None:
                call()
                torch.cuda.synchronize()
            else:
                told["ms"][str(size)] = timed(clock, call)
        told["kernels"] = compiled_of(module)
    except Exception as error:
        told["error"] = f"{type(error).__name__}: {error}"[:300]
    return told


def copies() -> dict[str, dict[str, float]]:
    """Return GB/s of a copy, by puzzle and size, of as many bytes as a call needs; and of a large one."""
    stopwatch = Stopwatch(torch.device("cuda"))
    found: dict[str, dict[str, float]] = {"large": {"0": stopwatch.copy_gb_per_s()}}
    for puzzle, sizes in SIZES.items():
        if puzzle in ("p05", "p07", "p08"):
            continue
        for size in sizes:
            nbytes = 12 * size if puzzle == "p00" else 8 * size * ROWS
            found.setdefault(puzzle, {})[str(size)] = stopwatch.copy_gb_per_s(nbytes // 2)
    found["matmul"] = {"0": stopwatch.matmul_tflop_per_s(torch.float16)}
    return found


def child(share: str, timing: bool) -> None:
    """In a process with one GPU: do a share of the files, and print a line of JSON for each."""
    first, step = map(int, share.split("/"))
    out = sys.stdout
    with contextlib.redirect_stdout(io.StringIO()):
        clock = CudaClock(torch.device("cuda")) if timing else None
        for puzzle, path in files()[first::step]:
            began = time.perf_counter()
            told = one_file(puzzle, path, clock)
            told["seconds"] = round(time.perf_counter() - began, 2)
            print(json.dumps(told), file=out, flush=True)
            torch.cuda.empty_cache()
        if timing and first == 0:
            print(json.dumps({"copies": copies()}), file=out, flush=True)


def start(share: str, timing: bool, gpu: int) -> subprocess.Popen[str]:
    """Start a child on one GPU."""
    words = [sys.executable, str(Path(__file__).resolve()), "--share", share, *(["--timing"] if timing else [])]
    told = {**os.environ, "CUDA_VISIBLE_DEVICES": str(gpu)}
    return subprocess.Popen(words, env=told, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def known(path: Path) -> list[dict[str, Any]]:
    """Return what is on record of files."""
    return json.loads(path.read_text(encoding="utf-8"))["files"] if path.exists() else []


def main() -> None:
    """Compile with all cores, then time, and write the record after every file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--share", help=argparse.SUPPRESS)
    parser.add_argument("--timing", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compile-seconds", type=float, default=WAITS)
    options = parser.parse_args()
    if options.share:
        child(options.share, options.timing)
        return
    import triton

    gpus, cores = torch.cuda.device_count(), max(2, (os.cpu_count() or 2) - 2)
    compiling = [start(f"{number}/{cores}", False, number % gpus) for number in range(cores)]
    until = time.monotonic() + options.compile_seconds
    for process in compiling:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=max(0.1, until - time.monotonic()))
    for process in compiling:
        process.kill()
    print(f"compiled after {options.compile_seconds + time.monotonic() - until:.0f} s", flush=True)
    record: dict[str, Any] = {
        "gpu": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "rows": ROWS,
        "files": [told for told in known(options.out) if told["puzzle"] not in ONLY],
    }
    processes = [start(f"{number}/{gpus}", True, number) for number in range(gpus)]
    import threading

    lock = threading.Lock()

    def read(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            told = json.loads(line)
            with lock:
                if "copies" in told:
                    record["copies"] = told["copies"]
                else:
                    record["files"].append(told)
                options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    readers = [threading.Thread(target=read, args=(process,)) for process in processes]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    bad = [told for told in record["files"] if "error" in told]
    print(
        f"{len(record['files'])} files, {len(bad)} with errors", *(f"{b['file']}: {b['error']}" for b in bad), sep="\n"
    )


if __name__ == "__main__":
    main()
