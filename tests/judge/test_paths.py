"""Which paths of host code launch nothing and were taken by no call, by what really ran."""

from __future__ import annotations

import pytest

from tests.conftest import Check
from tritonpuzzles.recorder.passing import Passed, passing
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.source import Source
from tritonpuzzles.source.computing import called_by
from tritonpuzzles.source.paths import Ran, silent_paths

FILE = """
class Tensor:
    def __init__(self, n): self.shape, self.numel = (n,), lambda: n

class Kernel:
    def __getitem__(self, grid): return lambda *given: None

import triton
@triton.jit
def jitted(): pass
kernel = jitted = Kernel()
later = False

def launcher(x):
    kernel[1](x)

def host(x):
    n = x.shape[0]
{body}
"""
START = FILE[: FILE.index("{")].count("\n") + 1


@pytest.mark.parametrize(
    ("body", "silent"),
    [
        ("if later:\n    return x\nkernel[1](x)\nreturn x", 2),
        ("if later: return x\nkernel[1](x)\nreturn x", 1),  # on the line of a condition that runs
        ("if n == 3:\n    return x\nkernel[1](x)\nreturn x", None),  # a case runs it
        ("if n == 0:\n    return x\nkernel[1](x)\nreturn x", None),  # for an empty tensor
        ("if not x.numel() or 0 in x.shape:\n    return x\nkernel[1](x)\nreturn x", None),
        ("if later == 0:\n    kernel[1](x)\nreturn x", 1),
        ("if later:\n    return None, None\nkernel[1](x)\nreturn x", None),  # of no gradient that is asked
        ("if later:\n    raise ValueError\nkernel[1](x)\nreturn x", None),
        ("if later:\n    kernel[2](x)\n    return x\nlauncher(x)\nreturn x", None),
        ("return x if later else launcher(x)", 1),
        ("if not later:\n    launcher(x)\nreturn x", 1),
        ("if not later: launcher(x)\nreturn x", 1),
        ("if n > 3:\n    launcher(x)\nreturn x", None),  # a case is without it
        ("if n > 0:\n    launcher(x)\nreturn x", None),
        ("if later:\n    n = 3\nelse:\n    launcher(x)\nreturn x", 2),
        ("if later:\n    n = 3\nlauncher(x)\nreturn x", None),
        ("run = kernel[1]\nif n > 3:\n    n = 3\nrun(x)\nif later:\n    return x\nreturn x", None),
        ("try:\n    launcher(x)\nexcept ValueError:\n    return x\nreturn x", 4),
        ("try:\n    launcher(x)\nexcept ValueError:\n    pass\nreturn x", 4),
        ("host.calls = getattr(host, 'calls', 0) + 1\nif later:\n    return x\nlauncher(x)\nreturn x", 3),
        ("match later:\n    case True:\n        return x\nfor _ in range(n):\n    launcher(x)\nreturn x", 3),
    ],
)
def test_a_path_without_a_launch_that_no_call_takes(body: str, silent: int | None) -> None:
    text = FILE.format(body="\n".join("    " + line for line in body.split("\n")))
    space: dict[str, object] = {}
    code = compile(text.replace("import triton\n@triton.jit\n", "\n\n"), "/learner.py", "exec")
    exec(code, space)
    passed: Passed = set()
    with passing("/learner.py", passed):
        for n in (3, 4):
            space["host"](space["Tensor"](n))  # type: ignore[operator]
    source = Source(text)
    ran = Ran({(*last, *now) for last, now in passed})
    found = [node.lineno - START + 1 for _, node in silent_paths(source, called_by("host", source), ran)]
    assert found == ([] if silent is None else [silent])


@pytest.mark.slow
def test_it_is_an_error_at_its_line(check_source: Check, square_source: str) -> None:
    old = "    y = torch.empty_like(x)\n"
    assert old in square_source
    result = check_source(square_source.replace(old, f"{old}    if x.grad_fn is not None:\n        return y\n"))
    (found,) = result.findings
    line = square_source[: square_source.index(old)].count("\n") + 3
    assert (result.verdict, found.code, found.line) == (Verdict.FAIL, "no-launch", line)
    assert found.message == f"No case runs line {line}: there square returns and has launched nothing."


@pytest.mark.slow
def test_what_no_case_runs_is_noted_and_not_called_right(check_source: Check, square_source: str) -> None:
    old = "    y = torch.empty_like(x)\n"
    launch = next(line.strip() for line in square_source.splitlines() if "[" in line and "](x" in line)
    late = f"    if x.numel() > 9_000_000:\n        {launch}\n        return y\n"
    result = check_source(square_source.replace(old, old + late))
    (found,) = (finding for finding in result.findings if finding.code == "not-run")
    line = square_source[: square_source.index(old)].count("\n") + 3
    assert (result.verdict, found.line) == (Verdict.PASS, line)
    assert found.message == f"No case runs line {line}: whether what is there is right is not known."


def test_columns_may_be_unknown() -> None:
    source = Source("def host(x):\n    if late:\n        return x\n    kernel[1](x)\n")
    ran = Ran({(0, 0, 2, 0), (2, 0, 4, 0)})
    assert [node.lineno for _, node in silent_paths(source, source.functions, ran)] == [3]
