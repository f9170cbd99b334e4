"""Run a platform's kit as the platform runs it: its folders at their own places, its limits, one submission at a time.

python -m tests.classroom.as_platform gradescope|prairielearn|autolab PLACE CLASS OUT [--program DIR] [--cpu 0.5]
    [--memory 768] [STUDENT ...]

PLACE holds what the kit has made: for Gradescope `source/` and `venv/` (that `setup.sh` has filled), for PrairieLearn
`serverFilesCourse/`, for Autolab the two files. CLASS has a folder for each student. For each OUT gets what the
platform would read, and `table.txt` a line: exit code, seconds, peak MiB. Needs root: /autograder and /grade are bound
in a mount namespace, the limits are a cgroup's (version 1).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import time
from pathlib import Path

MOUNTED = {"gradescope": "/autograder", "prairielearn": "/grade"}
RESULT = {"gradescope": "results/results.json", "prairielearn": "results/results.json", "autolab": "stdout"}
MIB = 1 << 20


class Limits:
    """A cgroup with a share of the CPU and so much memory, for one run; what it peaked at is read after it."""

    def __init__(self, name: str, cpu: float, memory: int) -> None:
        self.folders = {kind: Path(f"/sys/fs/cgroup/{kind}/{name}") for kind in ("cpu", "memory")}
        for folder in self.folders.values():
            folder.mkdir()
        (self.folders["cpu"] / "cpu.cfs_quota_us").write_text(str(int(100_000 * cpu)))
        (self.folders["memory"] / "memory.limit_in_bytes").write_text(str(memory * MIB))

    def join(self) -> None:
        for folder in self.folders.values():
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def peak(self) -> int:
        return int((self.folders["memory"] / "memory.max_usage_in_bytes").read_text()) // MIB

    def failures(self) -> int:
        text = (self.folders["memory"] / "memory.oom_control").read_text()
        return int(dict(line.split() for line in text.splitlines()).get("oom_kill", 0))

    def remove(self) -> None:
        """Remove both, when the last process has ended: the judge's is told to after the program's own end."""
        for folder in self.folders.values():
            while (folder / "cgroup.procs").read_text():
                time.sleep(0.1)
            folder.rmdir()


def laid_out(platform: str, place: Path, files: Path, root: Path) -> str:
    """Lay a submission out below `root`, and return the command that the platform runs there."""
    match platform:
        case "gradescope":
            for name in ("source", "venv"):
                (root / name).symlink_to(place / name)
            shutil.copy(place / "source/run_autograder", root)
            shutil.copytree(files, root / "submission")
            (root / "results").mkdir()
            return "cd /autograder && ./run_autograder"
        case "prairielearn":
            shutil.copytree(place / "serverFilesCourse", root / "serverFilesCourse")
            shutil.copytree(files, root / "student")
            return "/grade/serverFilesCourse/tritonpuzzles/run.sh"
        case _:
            shutil.copy(place / "autograde-Makefile", root / "Makefile")
            shutil.copy(place / "autograde.tar", root)
            shutil.make_archive(str(root / "handin"), "zip", files)
            return f"cd {root} && make"


def run_one(platform: str, place: Path, files: Path, out: Path, asked: argparse.Namespace) -> str:
    root = out / f".{files.name}"
    root.mkdir(parents=True)
    command, limits = laid_out(platform, place, files, root), Limits(f"as-{os.getpid()}", asked.cpu, asked.memory)
    if platform in MOUNTED:
        command = f"mount --bind '{root}' {MOUNTED[platform]} && {command}"
    began = time.monotonic()
    with (root / "stdout").open("wb") as stdout:
        done = subprocess.run(
            ["unshare", "-m", "bash", "-c", command],
            stdout=stdout,
            stderr=subprocess.STDOUT,
            env={"PATH": f"{asked.program}:/usr/bin:/bin:/usr/sbin", "HOME": "/root"},
            preexec_fn=limits.join,
        )
    seconds, result = time.monotonic() - began, root / RESULT[platform]
    for path, name in ((result, f"{files.name}.txt"), (root / "stdout", f"{files.name}.log")):
        if path.is_file():
            shutil.copy(path, out / name)
    line = f"{files.name}: exit {done.returncode}, {seconds:.0f} s, {limits.peak()} MiB, {limits.failures()} killed"
    limits.remove()
    shutil.rmtree(root)
    return line


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("platform", choices=sorted(RESULT))
    for name in ("place", "folder", "out"):
        parser.add_argument(name, type=lambda text: Path(text).absolute())
    parser.add_argument("students", nargs="*")
    parser.add_argument("--program", default="/usr/local/bin", help="folder with `tritonpuzzles`")
    parser.add_argument("--cpu", type=float, default=0.5)
    parser.add_argument("--memory", type=int, default=768, help="MiB")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.platform in MOUNTED:
        os.makedirs(MOUNTED[asked.platform], exist_ok=True)
    for name in asked.students or sorted(os.listdir(asked.folder)):
        line = run_one(asked.platform, asked.place, asked.folder / name, asked.out, asked)
        print(line, flush=True)
        with (asked.out / "table.txt").open("a") as table:
            table.write(f"{line}\n")


if __name__ == "__main__":
    main()
