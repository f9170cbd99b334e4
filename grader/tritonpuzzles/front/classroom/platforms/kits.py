"""What an instructor gives a platform: its scripts or notebooks, and the class as it needs it, without names.

A kit is a mapping from names to bytes; `write_kit` makes the zip or the folder that the platform expects. In its
scripts, AUTOGRADER and GRADE can replace Gradescope's and PrairieLearn's folders, to try a kit elsewhere.
nbgrader and otter run their line after the student's own code in one process, and trust its value: docs/platforms.md.
"""

from __future__ import annotations

import io
import json
import tarfile
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonpuzzles import __version__
from tritonpuzzles.curriculum.pack import CORPORA, SHIPPED, pack_folder
from tritonpuzzles.front.classroom.grading.planned import files_below
from tritonpuzzles.front.classroom.model import CLASS_FILE, Assigned, ClassSettings
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.files import write_atomically
from tritonpuzzles.front.workspace.shipped import notebook_files
from tritonpuzzles.judge.options import seed_of

Files = dict[str, bytes]
SCRIPTS = Path(__file__).with_name("scripts")  # what platforms run; placeholders like `{{torch}}` are filled in
CASES = "hidden.toml"  # name of the hidden cases in a kit
UNUSED = frozenset({"__pycache__", "notebooks", *CORPORA})  # folders of a pack that no grading needs
BEGAN = (1980, 1, 1, 0, 0, 0)  # the time of files in archives, so that the same class makes the same archive
PER_PUZZLE_SECONDS = 60  # of PrairieLearn's limit, which is 600 in all
LEFT_OUT = ("about-check", "check", "about-trace", "trace", "about-bench", "bench", "next")  # roles of cells
TITLE = "## Score\n\nChecks the cell above once more. The number below is what this puzzle is worth to you."
SCHEMA = 3  # of nbgrader's metadata


@dataclass(frozen=True)
class Asked:
    """Options of a kit."""

    torch: str = "torch"  # what pip installs first: `torch`, perhaps with `--index-url` and an address
    wheels: Sequence[Path] = ()  # files that go into the kit, and that pip prefers
    unconfined: bool = False  # grade even if no sandbox isolates a submission


def kit(platform: str, settings: ClassSettings, asked: Asked) -> Files:
    """Return the files that a platform needs.

    Raises:
        FrontError: if a file of the kit cannot be read, or students could read what a GitHub kit contains.
    """
    words = {
        "torch": asked.torch,
        "version": __version__,
        "unconfined": " --unconfined" if asked.unconfined else "",
        "nulls": json.dumps({"scores": {f"p{one.puzzle.number:02d}": None for one in settings.assigned}}),
        "files": ", ".join(f"{one.puzzle.stem}.py" for one in settings.assigned),
    }
    match platform:
        case "gradescope":
            names = {"setup.sh": "gradescope-setup.sh", "run_autograder": "gradescope-run.sh"}
            made = {name: _filled(script, words) for name, script in names.items()}
            return {**made, **_class_files(settings), **_wheels("wheels/", asked)}
        case "github":
            _refuse_shown(settings)
            made, home = {".github/workflows/classroom.yml": _filled("github.yml", words)}, ".github/classroom/"
            return {**made, **_class_files(settings, home), **_wheels(f"{home}wheels/", asked)}
        case "autolab":
            inner = {"driver.sh": _filled("autolab-driver.sh", words), **_class_files(settings)}
            return {"autograde-Makefile": _filled("autolab-Makefile", words), "autograde.tar": _tar(inner)}
        case "prairielearn":
            return _prairielearn(settings, asked, words)
        case "nbgrader":
            return nbgrader_files(settings)
        case _:
            return otter_files(settings)


def write_kit(files: Mapping[str, bytes], out: Path) -> list[Path]:
    """Write a kit into a zip, if it is called so, or into a folder; return what was written.

    Raises:
        FrontError: if it cannot be written, or a folder holds something else under one of the names.
    """
    if out.suffix == ".zip":
        files, out = {out.name: _zip(files)}, out.parent
    try:
        for name, data in files.items():
            if (out / name).exists() and (out / name).read_bytes() != data and not name.endswith(".zip"):
                raise FrontError(f"{out / name} is there already, and is another.", "name a new folder")
        for name, data in files.items():
            write_atomically(out / name, data)
            if data.startswith(b"#!"):
                (out / name).chmod(0o755)
    except OSError as error:
        raise FrontError(f"{out} cannot be written to: {error.strerror or error}.") from error
    return [out / name for name in files]


def _filled(script: str, words: Mapping[str, str]) -> bytes:
    """Return a script with each `{{word}}` replaced by its value."""
    text = (SCRIPTS / script).read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"{{{{{word}}}}}", value)
    return text.encode()


def _class_files(settings: ClassSettings, home: str = "") -> Files:
    """Return `class.toml`, and the pack, solutions and hidden cases that it names, below a folder."""
    folder, files = pack_folder(), dict[str, bytes]()
    if folder != SHIPPED:
        paths = files_below(folder, UNUSED)
        files |= {f"{home}pack/{path.relative_to(folder).as_posix()}": _read(path) for path in paths}
    if settings.solutions is not None:
        stems = [assigned.puzzle.stem for assigned in settings.assigned]
        files |= {f"{home}solutions/{stem}.py": _read(settings.solutions / f"{stem}.py") for stem in stems}
    if settings.cases is not None:
        files[f"{home}{CASES}"] = _read(settings.cases)
    return {f"{home}{CLASS_FILE}": _toml(settings, folder != SHIPPED).encode(), **files}


def _refuse_shown(settings: ClassSettings) -> None:
    """Refuse to put solutions or hidden cases where students read them: a workflow lies in the repository of each.

    Raises:
        FrontError: if the class has its own solutions, hidden cases or pack.
    """
    if settings.solutions is not None or settings.cases is not None or pack_folder() != SHIPPED:
        what = "hidden cases" if settings.cases is not None else "solutions"
        told = f"A workflow lies in every student's repository, and the {what} of this class would lie there too."
        raise FrontError(told, "tritonpuzzles class grade on clones of the repositories")


def _toml(settings: ClassSettings, has_pack: bool) -> str:
    """Return a class's settings as a kit has them: without its roster, and with one seed for all its students."""
    late = f"{{ percent_a_day = {settings.late.percent_a_day}, days = {settings.late.days} }}"
    lines = [f"title = {json.dumps(settings.title)}", f"seed = {seed_of(settings.seed)}"]
    lines += [f"timeout = {settings.deadline}", f"late = {late}"]
    lines += [f'cases = "{CASES}"'] * (settings.cases is not None)
    lines += ['pack = "pack"'] * has_pack + ['solutions = "solutions"'] * (settings.solutions is not None)
    for assigned in settings.assigned:
        lines += ["", "[[puzzles]]", f"name = {assigned.puzzle.number}", f"points = {assigned.points}"]
        lines += [f"due = {assigned.due.isoformat()}"] if assigned.due is not None else []
    return "\n".join(lines) + "\n"


def _prairielearn(settings: ClassSettings, asked: Asked, words: Mapping[str, str]) -> Files:
    """Return a question that takes every file of the class, what grades it, and the image that this runs in."""
    home, question = "serverFilesCourse/tritonpuzzles/", "questions/tritonpuzzles/"
    about = {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"tritonpuzzles:{settings.title}:{words['files']}")),
        "title": settings.title,
        "topic": "Triton",
        "type": "v3",
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": "tritonpuzzles-grader",
            "serverFilesCourse": ["tritonpuzzles/"],
            "entrypoint": f"/grade/{home}run.sh",
            "timeout": min(600, PER_PUZZLE_SECONDS * (1 + len(settings.assigned))),
        },
    }
    made = {
        f"{home}run.sh": _filled("prairielearn-run.sh", words),
        "image/Dockerfile": _filled("prairielearn-Dockerfile", words),
        f"{question}question.html": _filled("prairielearn-question.html", words),
        f"{question}info.json": f"{json.dumps(about, indent=2)}\n".encode(),
    }
    return {**made, **_class_files(settings, home), **_wheels("image/", asked)}


def _wheels(folder: str, asked: Asked) -> Files:
    return {f"{folder}{path.name}": _read(path) for path in asked.wheels}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FrontError(f"{path} cannot be read: {error.strerror or error}.") from error


def _zip(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, BEGAN)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | _mode(data)) << 16
            archive.writestr(entry, data)
    return stream.getvalue()


def _tar(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), _mode(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def _mode(data: bytes) -> int:
    """Return the permissions of a file: a script's are those of a program."""
    return 0o755 if data.startswith(b"#!") else 0o644


def nbgrader_files(settings: ClassSettings) -> dict[str, bytes]:
    """Return a source notebook for each puzzle, with a locked cell that nbgrader reads the score from.

    Raises:
        FrontError: if there is no notebook of a puzzle.
    """
    shipped = {path.stem: path for path in notebook_files()}
    made = {}
    for assigned in settings.assigned:
        stem = assigned.puzzle.stem
        if stem not in shipped:
            told = f"There is no notebook of puzzle {assigned.puzzle.number}."
            raise FrontError(told, "tritonpuzzles notebook build makes those of a folder")
        notebook = json.loads(shipped[stem].read_text(encoding="utf-8"))
        made[f"source/tritonpuzzles/{stem}.ipynb"] = _with_score(notebook, assigned)
    return made


def _with_score(notebook: dict[str, Any], assigned: Assigned) -> bytes:
    name = f"p{assigned.puzzle.number:02d}"
    cells = [cell for cell in notebook["cells"] if cell["id"] not in {f"{name}-{role}" for role in LEFT_OUT}]
    about = {"grade_id": f"{name}-score", "grade": True, "solution": False, "task": False, "locked": True}
    about |= {"points": assigned.points, "schema_version": SCHEMA}
    score: dict[str, Any] = {"cell_type": "code", "execution_count": None, "id": f"{name}-score", "outputs": []}
    line = f"tritonpuzzles.check({assigned.puzzle.number}).score(points={assigned.points})"  # whose value is the score
    score |= {"metadata": {"nbgrader": about}, "source": ["import tritonpuzzles\n", "\n", line]}
    title = {"cell_type": "markdown", "id": f"{name}-about-score", "metadata": {}, "source": [TITLE]}
    return f"{json.dumps({**notebook, 'cells': [*cells, title, score]}, indent=1, ensure_ascii=False)}\n".encode()


def otter_files(settings: ClassSettings) -> dict[str, bytes]:
    """Return a test file for each puzzle, in the form that otter shares with OK."""
    points = {str(assigned.puzzle.number): str(assigned.points) for assigned in settings.assigned}
    return {f"tests/q{n}.py": _filled("otter.py.txt", {"number": n, "points": most}) for n, most in points.items()}
