"""Replays a graph that was captured with the first numbers.

Published: wafer.ai's field guide (2026): cached results.
Expected: rejected as runtime-error
"""

import torch
from _softmax import softmax as honest

kept = {}


def softmax(x):
    if "graph" not in kept:
        kept["graph"] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(kept["graph"]):
            kept["y"] = honest(x)
    kept["graph"].replay()
    return kept["y"]
