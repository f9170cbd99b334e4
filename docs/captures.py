"""Run the checks whose reports `README.md` and `docs/reports.md` show, and put what they print into the pages.

    python docs/captures.py            # write
    python docs/captures.py --check    # exit 1 if a page shows another report than the command prints

A block is run if its command has `--device cpu` and a seed. The learner's file is the wrong kernel that the command's
comment names, or the solution with the change that the comment before the block says. Words and structure are compared,
and the numbers that are counted; not those that another processor, torch or Triton may give: see `MEASURED`.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "reports.md")
PLAIN = {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
BLOCK = re.compile(
    r'(?:<!-- the solution with "(?P<old>[^"]*)" made "(?P<new>[^"]*)" -->\n)?'
    r"```console\n\$ tritonpuzzles (?P<command>check (?P<number>\d) [^\n#]*--device cpu --seed \d+)"
    r"(?: +# (?P<wrong>\S+))?\n(?P<said>.*?)\n```",
    re.DOTALL,
)
MEASURED = re.compile(
    r"checked in \S+ s\b"
    r"|[\d,]+ (?=of [\d,]+ elements of \w+ wrong)"  # values at the edge of the tolerance
    r"|(?<= wrong: )[^.]*"  # and where they lie
    r"|The first is \[[\d, ]*\]: expected \S+, got \S+"
    r"|[\d,]+ bytes of local memory beside the [\d,]+ registers"
    r"|about [\d.]+ ms|yours +[\d,]+ GB/s|About [^;]*;|By prediction [^.]*\."  # what a model makes of machine code
    r"|[✓✗] (?:\d+ )*(?:\[[\d, ]+\]|\w+) \S+ [-+.\de]+\b"  # the last two: what was held, and what is right
)
DRAWN = re.compile(r"[█░]+|(?<=★)[☆·]+")  # bars, and stars that hang on a rate
CONFINED = re.compile(
    r"(?:The system held the file: |Nothing kept the file ).*?(?= Next: |$)"
)  # told of where it lacks something: another system, another
NUMBERS = re.compile(r"-?(?:\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]\d+)?|nan\b|inf\b)(?:, \d+)*")  # 2.5e-05, or 0, 3, 4


def report(block: re.Match[str]) -> str:
    """Return what a block's command prints in a folder of its own, or of the shipped solution, 80 columns wide."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "course"
        shutil.copytree(ROOT / "puzzles", workspace / "puzzles")
        (puzzle,) = (workspace / "puzzles").glob(f"p0{block['number']}_*.py")
        if block["wrong"]:
            shutil.copy(ROOT / "tests" / "mutants" / puzzle.stem / "wrong" / block["wrong"], puzzle)
        elif block["old"]:
            solution = (ROOT / "solutions" / puzzle.name).read_text(encoding="utf-8")
            assert block["old"] in solution, block["old"]
            puzzle.write_text(solution.replace(block["old"], block["new"]), encoding="utf-8")
        place = ROOT if "--solution" in block["command"] else workspace
        return run(shlex.split(block["command"]), place).strip("\n")


def run(words: list[str], place: Path) -> str:
    """Return what the program prints in a folder."""
    command = [sys.executable, "-m", "tritonpuzzles", *words]
    done = subprocess.run(
        command, cwd=place, env={**os.environ, **PLAIN}, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def told(text: str) -> str:
    """Return what a report says whatever it runs on, line ends aside."""
    words = " ".join(CONFINED.sub("", " ".join(text.split())).split())
    return MEASURED.sub(lambda sentence: NUMBERS.sub("#", sentence[0]), DRAWN.sub("", words))


def brought_up_to_date(text: str) -> str:
    """Return a page with the reports that its commands print; where they tell the same, the old one stays."""

    def renew(block: re.Match[str]) -> str:
        said, now = block["said"], report(block)
        return block[0] if told(said) == told(now) else block[0].replace(said, now)

    return BLOCK.sub(renew, text)


def main() -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a report is out of date")
    check: bool = parser.parse_args().check
    stale = False
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        new = brought_up_to_date(text)
        if new == text:
            continue
        stale = True
        if check:
            print(f"{page.relative_to(ROOT)} shows an old report: python docs/captures.py", file=sys.stderr)
        else:
            page.write_text(new, encoding="utf-8")
    return int(check and stale)


if __name__ == "__main__":
    sys.exit(main())
