"""The versions of Triton that the grader was tried with. A newer one is self-tested when it is first used.

`pyproject.toml` and README repeat the lower bound; a test compares them. There is no upper bound: each CUDA build of
PyTorch requires an exact Triton, and an upper bound here would make pip choose an old PyTorch.
"""

TRITON = ("3.6", "3.7", "3.8", "3.9")  # benchmarks/version_matrix.py runs the tests on each
TRITON_REQUIREMENT = "triton>=3.6"
TRIED = f"{TRITON[0]} to {TRITON[-1]}"


def is_tested(version: str) -> bool:
    """Whether the tests have been run on this version of Triton: "3.9", "3.9.0"."""
    return ".".join(version.split(".")[:2]) in TRITON


def is_newer(version: str) -> bool:
    """Whether a version comes after all that the tests have been run on."""
    return _order(version) > _order(TRITON[-1])


def unusable(version: str, problems: list[str]) -> str:
    """Return the sentence on a version that lacks what the grader needs."""
    lacks = "; ".join(problems[:3]) + (f"; and {len(problems) - 3} more" if len(problems) > 3 else "")
    return f"Triton {version} cannot be used: {lacks}. The grader was tried with Triton {TRIED}."


def _order(version: str) -> tuple[int, int]:
    major, minor = [*version.split("."), "0"][:2]
    return int(major), int(minor)
