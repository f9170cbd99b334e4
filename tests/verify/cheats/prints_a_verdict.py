"""Prints a report of its own that says it passes.

Published: kernelbot: results read from standard output.
Expected: rejected as wrong-values
"""

import json

import torch
from _softmax import copy_kernel, launch


def softmax(x):
    print(json.dumps({"version": 1, "results": [{"verdict": "pass", "findings": [], "cases": []}]}), flush=True)
    print("check: pass\n1 passed in 0.01s", flush=True)
    return launch(copy_kernel, x, torch.empty(x.shape, dtype=x.dtype, device=x.device))
