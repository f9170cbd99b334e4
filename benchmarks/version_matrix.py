"""Run the tests of interpreter and compiler on every supported Triton version and print one table.

    python benchmarks/version_matrix.py                      # 3.6 to 3.9
    python benchmarks/version_matrix.py 3.6 --json
    python benchmarks/version_matrix.py --pre                # and the newest that pip offers, pre-releases too

Makes one virtual environment per version under --environments (kept and used again) with pip. Exits with 1 if a
version fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import asdict, dataclass
from pathlib import Path

from tritonpuzzles.supported import TRITON

NEWEST = "newest"
ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/interpreter", "tests/compiler")
PACKAGES = (
    "torch==2.13.0",
    "numpy>=2.4",
    "safetensors",
    "click",
    "rich",
    "markupsafe",
    "pytest",
    "pytest-xdist",
    "hypothesis",
)
_VERSIONS_CODE = "import triton, torch, numpy; print(triton.__version__, torch.__version__, numpy.__version__)"


@dataclass(frozen=True)
class Row:
    """The tests of one version."""

    triton: str
    torch: str
    numpy: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    tail: str

    @property
    def ok(self) -> bool:
        """Whether something passed and nothing failed."""
        return self.passed > 0 and self.failed == 0


def environment(version: str, folder: Path) -> Path:
    """Return the Python of a version's environment, which is made if it is not there yet."""
    home = folder / f"triton-{version}"
    python = home / "bin" / "python"
    if not (home / "complete").exists():
        venv.create(home, with_pip=True, clear=True)
        wanted = ["--pre", f"triton>={TRITON[-1]}"] if version == NEWEST else [f"triton=={version}.*"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *wanted], check=True)
        (home / "complete").touch()
    return python


def run_tests(python: Path, tests: list[str]) -> Row:
    """Run the tests with one Python."""
    versions = subprocess.run([python, "-c", _VERSIONS_CODE], check=True, capture_output=True, text=True).stdout.split()
    command = [python, "-m", "pytest", *tests, "-p", "no:cacheprovider"]
    search = {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "PYTHONDONTWRITEBYTECODE": "1"}
    start = time.perf_counter()
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    output = subprocess.run(command, cwd=ROOT, env=search, text=True, check=False, **both).stdout
    seconds = time.perf_counter() - start
    passed, failed, errors, skipped = (_count(output, word) for word in ("passed", "failed", "errors?", "skipped"))
    return Row(*versions, passed, failed + errors, skipped, seconds, "\n".join(output.splitlines()[-30:]))


def _count(output: str, word: str) -> int:
    lines = [line for line in output.splitlines() if re.search(r"\d+ (passed|failed|errors?|skipped).* in ", line)]
    found = re.search(rf"(\d+) {word}", lines[-1]) if lines else None
    return int(found.group(1)) if found else 0


def report(rows: list[Row]) -> None:
    """Print the table, and the end of the output of versions that failed."""
    print(f"{'triton':8} {'torch':12} {'numpy':8} {'passed':>7} {'failed':>7} {'skipped':>8} {'seconds':>8}")
    for row in rows:
        numbers = f"{row.passed:7} {row.failed:7} {row.skipped:8} {row.seconds:8.1f}"
        print(f"{row.triton:8} {row.torch:12} {row.numpy:8} {numbers}  {'ok' if row.ok else 'FAILED'}")
    for row in rows:
        if not row.ok:
            print(f"\nTriton {row.triton}:\n{row.tail}")


def main() -> int:
    """Run the matrix."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("versions", nargs="*", default=list(TRITON), help=f"default: {' '.join(TRITON)}")
    parser.add_argument("--pre", action="store_true", help="also try the newest that pip offers, pre-releases too")
    parser.add_argument("--tests", nargs="+", default=list(TESTS), help=f"what to run (default {' '.join(TESTS)})")
    default = Path(tempfile.gettempdir()) / "tritonpuzzles-versions"
    parser.add_argument("--environments", type=Path, default=default, help="folder of the environments")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    rows = [
        run_tests(environment(version, arguments.environments), arguments.tests)
        for version in [*arguments.versions, *[NEWEST] * arguments.pre]
    ]
    if arguments.json:
        print(json.dumps({"version": 1, "rows": [{**asdict(row), "ok": row.ok} for row in rows]}))
    else:
        report(rows)
    return int(not all(row.ok for row in rows))


if __name__ == "__main__":
    sys.exit(main())
