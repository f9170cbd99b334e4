from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tritonpuzzles.compiler import Launch

from . import kernels


@pytest.fixture
def scale() -> Callable[..., Launch]:
    """Return a function that makes a launch of `kernels.scale` with aligned tensors of 4096 elements."""

    def make(function: object = kernels.scale, **changes: object) -> Launch:
        options = {name: changes.pop(name) for name in ("num_warps", "num_stages", "num_warp") if name in changes}
        x = torch.zeros(4096)
        arguments = {"x_ptr": x, "y_ptr": torch.empty(4096), "n_elements": 4096, "factor": 2.0, "BLOCK_SIZE": 1024}
        return Launch(function, {**arguments, **changes}, options)

    return make
