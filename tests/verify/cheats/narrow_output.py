"""Returns float16 where float32 is asked for.

Published: wafer.ai's field guide (2026): precision downgrade.
Expected: rejected as wrong-dtype
"""

import torch
from _softmax import launch, softmax_kernel


def softmax(x):
    return launch(softmax_kernel, x, torch.empty(x.shape, dtype=torch.float16, device=x.device))
