"""`tritonpuzzles doctor`: versions, the GPU, whether a check works, and the fix for what does not."""

from __future__ import annotations

import json
import platform
import signal
import subprocess
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from tritonpuzzles import __version__
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.console import no_status, status_line
from tritonpuzzles.front.errors import ExitCode, grades_here
from tritonpuzzles.front.options import example, predicted_gpu
from tritonpuzzles.front.page.terminal import item, next_line
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.folder import find_workspace
from tritonpuzzles.front.workspace.shipped import has_solutions, stub_file, stub_folders
from tritonpuzzles.judge.environment import version_of
from tritonpuzzles.sandbox import Held
from tritonpuzzles.sandbox.interpreter import python_code, python_environment, python_module
from tritonpuzzles.supported import TRIED, TRITON, TRITON_REQUIREMENT, is_newer, is_tested

SIGNS = {"ok": ("✓ ok    ", "green"), "note": ("· note  ", "yellow"), "broken": ("✗ broken", "bold red")}
PROBE_SECONDS = 300
SELF_TEST = "tritonpuzzles.engine.interpreter.selftest"
PACKAGES = ("torch", "triton", "numpy", "safetensors", "click", "rich")
DRIVER_FILES = ("/proc/driver/nvidia/version", "/dev/dxg")  # Linux, WSL
GPU_QUESTION = """
import json, torch
there = torch.cuda.is_available()
print(json.dumps({
    "gpu": torch.cuda.get_device_name(0) if there else None,
    "capability": list(torch.cuda.get_device_capability(0)) if there else None,
    "cuda_build": torch.version.cuda or torch.version.hip,
}))
"""


@click.command(epilog=example("doctor"))
def doctor_command() -> int:
    """Say whether all works here, and how to fix what fails.

    Looks at versions and at the GPU, and runs a check on the CPU and the GPU.
    """
    out = console.stdout()
    out.print(Text(f"tritonpuzzles {__version__}", style="bold"))
    workspace = find_workspace()
    out.print(Text(f"  workspace: {workspace.root if workspace else 'none here; tritonpuzzles init makes one'}"))
    gpu = predicted_gpu()
    speed = f"predicted for {gpu}" if gpu else "not predicted"
    out.print(Text(f"  speed without a GPU: {speed}; tritonpuzzles check --gpu NAME changes that"), soft_wrap=True)
    stubs = next((str(folder) for folder in stub_folders() if folder.is_dir()), "none: this installation is broken")
    out.print(Text(f"  stubs: {stubs}"), soft_wrap=True)
    broken = 0
    with status_line() as say:
        say("looking at versions, the GPU, and a check of a solution")
        for found in diagnose():
            with no_status():
                out.print(item(*SIGNS[found.word], _text(found)))
            broken += found.word == "broken"
    out.print(Text(f"{broken} broken." if broken else "Everything works.", style="bold"))
    return ExitCode.FAULT if broken else ExitCode.PASS


def _text(found: Item) -> Text:
    text = Text.assemble((found.name, "bold"), f": {harmless(found.found)}")
    if found.fix:
        text.append("\n").append_text(next_line(found.fix))
    return text


@dataclass(frozen=True)
class Item:
    """One thing that was looked at."""

    name: str
    found: str
    word: str = "ok"  # or "note" (works, with less), or "broken"
    fix: str | None = None  # what to do about it


def diagnose() -> Iterator[Item]:
    """Yield one item after another, as soon as each is known."""
    yield Item("python", platform.python_version())  # an older one than 3.10 does not get as far as this
    system = f"{platform.system()} {platform.machine()}"
    if not grades_here():  # nothing else of this is needed there
        yield Item("system", f"{system}: Triton runs on Linux alone", "broken", "tritonpuzzles docs elsewhere")
        return
    yield Item("system", system)
    from tritonpuzzles.sandbox import report

    for package in PACKAGES:
        yield package_item(package, version_of(package))
    yield interpreter()
    yield sandbox_item(report())
    gpu = yield from _gpu()
    yield probe("cpu")
    if gpu:
        yield probe("cuda")


def package_item(package: str, version: str | None) -> Item:
    """Judge one package's version."""
    fix = f'pip install "{TRITON_REQUIREMENT}"' if package == "triton" else f"pip install {package}"
    if version is None:
        return Item(package, "not installed", "broken", fix)
    if package == "triton" and is_newer(version):
        return Item(package, f"{version}, newer than what the grader was tried with ({TRIED}): see interpreter", "note")
    if package == "triton" and not is_tested(version):
        return Item(package, f"{version} is too old", "broken", fix)
    return Item(package, version)


def interpreter() -> Item:
    """Ask the interpreter, in a process of its own, whether the installed Triton has what it relies on."""
    name, answer = "interpreter", _ask(python_module(SELF_TEST))
    if answer is None:
        return Item(name, "the self-test gives no answer", "broken", f"python -m {SELF_TEST} shows why")
    if answer["problems"]:
        return Item(name, "; ".join(answer["problems"]), "broken", f'pip install "triton=={TRITON[-1]}.*"')
    new = answer["new_operations"]
    unknown = f"; kernels with these operations are refused: {', '.join(new)}" if new else ""
    return Item(name, f"finds what it needs in Triton {answer['triton']}{unknown}")


def sandbox_item(held: Held) -> Item:
    """Say what keeps a submission away from the rest of the machine; less of it is no fault of the installation."""
    if held.holds and not held.missing:
        return Item("sandbox", str(held))
    return Item("sandbox", str(held), "note", "grade strangers' files in a container or as a user of their own")


def _gpu() -> Generator[Item, None, bool]:
    """Yield what is known of the GPU, and return whether checks can run on it."""
    answer = _ask(python_code(GPU_QUESTION))
    if answer is None:
        yield Item("gpu", "unknown: torch does not import", "broken", 'python -c "import torch" shows why')
        return False
    if answer["gpu"]:
        major, minor = answer["capability"]
        yield Item("gpu", f"{answer['gpu']}, compute capability {major}.{minor}: checks run there too, and are timed")
        return True
    yield no_gpu(bool(answer["cuda_build"]), any(Path(path).exists() for path in DRIVER_FILES))
    return False


def no_gpu(cuda_build: bool, driver: bool) -> Item:
    """Say what having no GPU means, and whether there is one that torch cannot see."""
    if driver and not cuda_build:
        found = "there is a driver, but this torch is built for the CPU only"
        return Item("gpu", found, "note", "install a CUDA build of torch: pip uninstall torch, then pip install torch")
    if driver:
        found = "there is a driver, but torch cannot use it"
        return Item("gpu", found, "note", "nvidia-smi shows whether the driver works and which CUDA it supports")
    return Item("gpu", "none: every puzzle can be solved on the CPU; only the speed is not measured", "note")


def probe(device: str) -> Item:
    """Check the first puzzle's solution in a process of its own; the stub, in a student edition."""
    name = f"{device} probe"
    first = load_curriculum().puzzles[0]
    what, wanted, which = "solution", "pass", ["--solution"]
    if not has_solutions():
        what, wanted, which = "stub", "unsolved", ["--file", str(stub_file(first))]
    command = python_module("tritonpuzzles", "check", str(first.number), *which)
    shown = f"tritonpuzzles check {first.number} {' '.join(which)} --device {device} --verbose"
    report = _ask([*command, "--device", device, "--json"])
    if report is None:
        return Item(name, "the grader gives no report", "broken", f"{shown} shows why")
    verdicts = [result["verdict"] for result in report["results"]]
    found = f"the {what} of puzzle {first.number}: {', '.join(verdicts)}"
    if verdicts == [wanted]:
        return Item(name, f"{found}, as it should be")
    return Item(name, found, "broken", f"{shown} shows why")


def _ask(command: list[str]) -> dict[str, Any] | None:
    """Return the JSON object that a command prints, or `None` where it prints none in time."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=python_environment()
    )
    try:
        printed, _ = process.communicate(timeout=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # so that the grader ends its worker too
        return None
    finally:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    try:
        answer = json.loads(printed)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None
