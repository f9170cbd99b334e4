"""The versions of Triton that the grader works with, in one place: what is tested, installed and asked for.

`pyproject.toml` repeats the range, which pip reads, and README says it; a test compares them.
"""

TRITON = ("3.6", "3.7", "3.8", "3.9")  # benchmarks/version_matrix.py runs the tests on each
TRITON_REQUIREMENT = "triton>=3.6,<3.10"


def is_tested(version: str) -> bool:
    """Whether the tests have been run on this version of Triton: "3.9", "3.9.0"."""
    return ".".join(version.split(".")[:2]) in TRITON
