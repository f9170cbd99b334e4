"""Record what needs a GPU for the table of `verify_bugs.py`: compute-sanitizer, and `verify` on both devices.

    PYTHONPATH=grader python benchmarks/verify_gpu.py             # writes benchmarks/records/verify_bugs_gpu.json

Needs an NVIDIA GPU and CUDA's compute-sanitizer. Every bug of tests/verify/bugs and every right kernel beside it is run
under memcheck and initcheck, each tensor with memory of its own, and then given to `verify(device="auto")`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.verify_bugs import RECORD, TELLING  # noqa: E402
from tests.verify.corpus import HOME, Example, examples  # noqa: E402

SECONDS = 150
TOOLS = {"memcheck": "Invalid __", "initcheck": "Uninitialized __"}
ALONE = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}  # else an access past one tensor lies in the cache's memory


def on_gpu(value: Any, moved: dict[int, torch.Tensor]) -> Any:
    """Return an argument with its tensors on the GPU, each view as it lies in its own storage."""
    if isinstance(value, (list, tuple)):
        return type(value)(on_gpu(one, moved) for one in value)
    if not isinstance(value, torch.Tensor):
        return value
    storage = value.untyped_storage()
    if storage.data_ptr() not in moved:
        whole = torch.empty(0, dtype=value.dtype).set_(storage)
        moved[storage.data_ptr()] = whole.cuda()
    flat = moved[storage.data_ptr()].view(value.dtype)
    return flat.as_strided(value.shape, value.stride(), value.storage_offset())


def run_cases(example: Example) -> None:
    """In a child: run the cases of a file on the GPU, and read all of what it returns."""
    cases = example.cases() + ([TELLING[example.name]()] if example.name in TELLING else [])
    for case in cases:
        moved: dict[int, torch.Tensor] = {}
        returned = example.module.run(**{name: on_gpu(value, moved) for name, value in case.items()})
        for tensor in returned if isinstance(returned, (list, tuple)) else [returned]:
            if isinstance(tensor, torch.Tensor) and tensor.is_cuda:
                (tensor == tensor).all().item()
    print("ran")


def verify(example: Example) -> dict[str, Any]:
    """In a child: return what `verify` says on CPU and GPU."""
    report = example.verified("auto")
    told = example.told(report) if example.path.parent.name == "bugs" else []
    return {"passed": bool(report), "codes": [finding.code for finding in told], "text": str(report)[:300]}


def child(example: Example, what: str, before: list[str], environment: Mapping[str, str]) -> str:
    """Run this script on one file; return its output."""
    place = f"{example.path.parent.name}/{example.name}"
    command = [*before, sys.executable, str(Path(__file__).resolve()), "--child", what, place]
    told = {**os.environ, **environment}
    try:
        done = subprocess.run(command, env=told, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "not ended"
    return done.stdout if what == "verify" and not done.returncode else done.stdout + done.stderr


def sanitized(example: Example) -> dict[str, str]:
    """Return what each tool says: "alarm", "no", or how the program ended."""
    found = {}
    for tool, alarm in TOOLS.items():
        before = ["compute-sanitizer", "--tool", tool]
        output = child(example, "run", before, ALONE)
        if alarm in output:
            found[tool] = "alarm"
        else:
            found[tool] = "no" if "ran" in output.split() else f"fails: {_last(output)}"
    return found


def verified(example: Example) -> dict[str, Any]:
    """Return what `verify` says on both devices."""
    output = child(example, "verify", [], {})
    try:
        read: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return {"passed": False, "codes": [], "text": f"fails: {_last(output)}"}
    return read


def _last(output: str) -> str:
    lines = [line for line in output.strip().splitlines() if not line.startswith("=========")]
    return lines[-1][:80] if lines else "no output"


def main() -> None:
    """Record all, several at a time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--child", nargs=2, metavar=("WHAT", "PLACE"), help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=RECORD)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.child:
        what, place = options.child
        example = Example(HOME / f"{place}.py")
        if what == "run":
            run_cases(example)
        else:
            print(json.dumps(verify(example)))
        return
    files = [one for folder in ("bugs", "right") for one in examples(folder)]
    files = [one for one in files if not options.names or one.name in options.names]
    with ThreadPoolExecutor(options.jobs) as pool:
        tools, ours = pool.map(sanitized, files), pool.map(verified, files)
        found = {
            f"{one.path.parent.name}/{one.name}": {"compute-sanitizer": said, "verify": told}
            for one, said, told in zip(files, tools, ours, strict=True)
        }
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True, check=True).stdout
    record = {
        "gpu": torch.cuda.get_device_name(),
        "compute-sanitizer": version.strip().splitlines()[-1],
        "torch": torch.__version__,
        "files": found,
    }
    options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
