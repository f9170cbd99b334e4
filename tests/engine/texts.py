"""Kernels as texts that nobody has imported, with what a recorder would say of them, or claim."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from tritonpuzzles.engine.text.kernels import build_kernels
from tritonpuzzles.wire.kernels import read_kernels

FILE = "/nowhere/submission.py"
HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
SIGNATURE = "def k(x, y, n, B: tl.constexpr):"
LINE = HEAD.count("\n") + 1
TL = {"tl": {"language": "triton.language"}}


def parameter(name: str, annotation: str = "", default: Any = None) -> dict[str, Any]:
    return {"name": name, "annotation": annotation, "default": default, "specialized": True, "aligned": True}


PARAMETERS = [parameter("x"), parameter("y"), parameter("n"), parameter("B", "constexpr")]


def described(**changes: Any) -> dict[str, Any]:
    """Return the description of `k`, with changes."""
    plain = {"file": FILE, "name": "k", "line": LINE, "kind": "kernel", "noinline": False, "debug": False}
    return {**plain, "parameters": PARAMETERS, "names": TL, **changes}


def text_of(body: str, signature: str = SIGNATURE) -> str:
    return f"{HEAD}{signature}\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


def built(text: str, *kernels: dict[str, Any]) -> list[Any]:
    """Send descriptions over the wire and build what they describe."""
    return build_kernels({FILE: text}, read_kernels(json.loads(json.dumps(list(kernels)))))


def kernel_of(body: str, names: dict[str, Any] | None = None, **changes: Any) -> Any:
    """Build `k` with a body."""
    return built(text_of(body), described(names={**TL, **(names or {})}, **changes))[0]
