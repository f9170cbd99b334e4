"""What `verify` costs, beside one run of the same calls in Triton's own interpreter: seconds and memory.

    python -m benchmarks.verify_cost

Each measurement has a process of its own, which imports PyTorch, Triton and the function before the clock starts;
memory is the most that it and its workers had, PyTorch among it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]


def subjects() -> dict[str, tuple[Run, Run, dict[str, Any], dict[str, Any]]]:
    """Return function, reference, arguments and options of each example, by name."""
    import torch
    from tests.verify import kernels
    from tests.verify.right import paged_decode_tail as paged

    generator = torch.Generator().manual_seed(1)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    norm = {"dy": normal(64, 1000), "x": normal(64, 1000), "w": normal(1000)}
    rotary = {"x": normal(256, 128), "cos": normal(256, 64), "sin": normal(256, 64)}
    groups = {"x": normal(150, 96), "w": normal(4, 96, 80), "starts": torch.tensor([0, 33, 33, 101, 150])}
    loose = {"rtol": 2e-2, "atol": 2e-2}
    return {
        "layer norm, backward": (
            kernels.layer_norm_backward, kernels.layer_norm_backward_reference, norm,
            {"host": "eager", "tolerance": loose},
        ),
        "rotary embedding in place": (kernels.rotary_, kernels.rotary_reference, rotary, {"mutates": ["x"]}),
        "paged decode": (paged.run, paged.reference, paged.cases()[0], {}),
        "grouped product": (kernels.grouped_product, kernels.grouped_product_reference, groups, {"tolerance": loose}),
    }  # fmt: skip


def measured(name: str, how: str) -> dict[str, Any]:
    """Return seconds, memory and what came of one way to check one example; in this process."""
    import torch

    function, reference, case, options = subjects()[name]
    if how == "interpreter":
        began = time.perf_counter()
        copies = {key: value.clone() if isinstance(value, torch.Tensor) else value for key, value in case.items()}
        function(**copies)
        said = "-"
    else:
        import tritonpuzzles
        from tritonpuzzles.judge.workers.parent import warm_parent

        warm_parent()
        time.sleep(8)  # until it has imported what its workers need
        began = time.perf_counter()
        vary = how == "verify, varied"
        report = tritonpuzzles.verify(function, reference, [case], vary=vary, device="cpu", seed=1, **options)
        cases = report.results[0].cases
        said = f"{sum(one.verdict.value == 'pass' for one in cases)} of {len(cases)}"
    seconds = time.perf_counter() - began
    own, children = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {"seconds": seconds, "own_mb": own / 1024, "worker_mb": children / 1024, "said": said}


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(measured(*sys.argv[1:])))
        return
    print("| | | seconds | MB | cases that pass |\n|---|---|---:|---:|---:|")
    for name in subjects():
        for how in ("interpreter", "verify", "verify, varied"):
            environment = {**os.environ, **({"TRITON_INTERPRET": "1"} if how == "interpreter" else {})}
            command = [sys.executable, "-m", "benchmarks.verify_cost", name, how]
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            if done.returncode:
                print(f"| {name} | {how} | {done.stderr.strip().splitlines()[-1][:90]} | | |", flush=True)
                continue
            told = json.loads(done.stdout.strip().splitlines()[-1])
            megabytes = max(told["own_mb"], told["worker_mb"])
            print(f"| {name} | {how} | {told['seconds']:.2f} | {megabytes:.0f} | {told['said']} |", flush=True)


if __name__ == "__main__":
    main()
