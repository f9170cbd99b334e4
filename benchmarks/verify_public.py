"""Run kernels of public libraries from where they were fetched; print what is reported, for a person to judge.


    python benchmarks/verify_public.py CHECKOUT...                # Liger-Kernel, attorch, TritonBench
    python benchmarks/verify_public.py TritonBench --seconds 300 --json results.jsonl

A checkout of a library that benchmarks/public knows is verified with references; one of TritonBench runs its files'
own tests. Every kernel has a process of its own. Block pointers need Triton 3.6 to 3.8.
"""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = {"liger": "src", "attorch": "."}  # module of benchmarks/public -> folder that is imported from
VARIED = (
    "numbers",
    "layouts",
    "sizes",
)  # not dtypes: gradients of 16 bits have a tolerance of their own in each library
OWN_TESTS = "data/TritonBench_G_v1"


@dataclass(frozen=True)
class Row:
    """What one kernel came to."""

    name: str
    seconds: float
    found: tuple[str, ...] = ()
    error: str = ""


def of_library(module: str, number: int) -> list[str]:
    """Verify one function with its reference; return the errors and warnings."""
    from tritonpuzzles import verify

    kernel = importlib.import_module(f"benchmarks.public.{module}").KERNELS[number]
    asked = {"host": "eager", "device": "cpu", "seed": 1, "vary": VARIED, **kernel.options}
    report = verify(kernel.run, kernel.reference, cases=list(kernel.cases), **asked)
    return [
        f"{finding.code}, {finding.line}: {finding.message}" for result in report.results for finding in result.errors
    ]


def of_file(path: Path) -> list[str]:
    """Run a file's own test; return the facts."""
    from benchmarks.public.own_tests import run_file

    outcome = run_file(path)
    if outcome.error or not outcome.launches:
        raise RuntimeError(outcome.error or "launches no kernel")
    return list(outcome.facts)


def answer(job: Callable[[], list[str]], pipe: Connection) -> None:
    """Do a job in a child, and send what it found or what ended it."""
    try:
        pipe.send((job(), ""))
    except Exception as error:
        pipe.send(((), f"{type(error).__name__}: {error}"[:300]))


def ran(name: str, job: Callable[[], list[str]], seconds: float) -> Row:
    """Run a job in a process of its own, which is ended when its time is up."""
    ours, theirs = multiprocessing.Pipe()
    start = time.monotonic()
    child = multiprocessing.get_context("fork").Process(target=answer, args=(job, theirs))
    child.start()
    theirs.close()
    try:
        found, error = ours.recv() if ours.poll(seconds) else ((), f"not ended after {seconds:g} s")
    except EOFError:
        found, error = (), "its process ended"
    child.kill()
    child.join()
    return Row(name, round(time.monotonic() - start, 1), tuple(found), error)


def jobs(checkout: Path) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Yield what there is to run in a checkout."""
    for module, folder in LIBRARIES.items():
        if module in checkout.name.lower():
            sys.path.insert(0, str(checkout / folder))
            names = [kernel.name for kernel in importlib.import_module(f"benchmarks.public.{module}").KERNELS]
            yield from ((f"{module} {name}", partial(of_library, module, number)) for number, name in enumerate(names))
    for path in sorted((checkout / OWN_TESTS).glob("*.py")):
        yield path.stem, partial(of_file, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=Path, metavar="CHECKOUT")
    parser.add_argument("--seconds", type=float, default=120, help="for one kernel")
    parser.add_argument("--json", type=Path, help="also write a line for each kernel to this file")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    importlib.import_module("benchmarks.public.own_tests")  # PyTorch and Triton, once for all children
    importlib.import_module("torch").set_num_threads(1)  # a pool of threads does not outlive a fork
    rows = []
    for checkout in options.checkouts:
        for name, job in jobs(checkout):
            rows.append(ran(name, job, options.seconds))
            print(
                f"{rows[-1].seconds:6.1f} s  {name}  {rows[-1].error or '; '.join(rows[-1].found) or 'nothing found'}",
                flush=True,
            )
            if options.json:
                with options.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(rows[-1])) + "\n")
    silent = sum(not row.found and not row.error for row in rows)
    alarmed = sum(bool(row.found) for row in rows)
    print(f"{silent} kernels without a finding, {alarmed} with one, {sum(bool(row.error) for row in rows)} not run")


if __name__ == "__main__":
    main()
