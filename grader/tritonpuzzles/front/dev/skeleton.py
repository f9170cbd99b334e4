"""The skeleton of a puzzle: every file that one needs, correct as it is, to be changed into the intended puzzle.

Without a model it is a kernel that doubles every element; with one, that puzzle's own files under another name.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.pack import FORMAT, PACK_FILE, Pack, open_pack, pack_folder, read_pack
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import UnknownPuzzleError, load_curriculum
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.shipped import solution_file, stub_file

IN_A_CLONE = Path("grader/tritonpuzzles/curriculum")  # where the shipped pack lies
TEMPLATE = Path(__file__).with_name("template")  # a kernel that doubles every element
TODO = "TODO(author)"  # `dev check` reports where it is left
SLUG = re.compile(r"[a-z][a-z0-9_]*")
Files = dict[Path, str]


@dataclass(frozen=True)
class Place:
    """Where a new puzzle goes."""

    folder: Path  # with `puzzles/` and `solutions/`
    pack: Path  # with `curriculum.toml`, `records/` and `hints/`; the same as `folder`, except in a clone of the grader
    mutants: Path  # with the wrong and right kernels
    number: int
    slug: str

    @property
    def stem(self) -> str:
        """File name without its ending."""
        return f"p{self.number:02d}_{self.slug}"

    @property
    def files(self) -> dict[str, Path]:
        """Each kind of file with where it lies."""
        stem, wrong = self.stem, self.mutants / self.stem / "wrong"
        return {
            "record": self.pack / "records" / f"{stem}.toml",
            "hints": self.pack / "hints" / f"{stem}.md",
            "stub": self.folder / "puzzles" / f"{stem}.py",
            "solution": self.folder / "solutions" / f"{stem}.py",
            "wrong": wrong / "tail_left_out.py",
            "right": wrong.parent / "right" / "large_tiles.py",
        }


def place_for(folder: Path, slug: str) -> Place:
    """Return where a new puzzle of a pack goes: after its last one.

    Raises:
        FrontError: if the name is invalid or taken, or the folder contains puzzles and is no pack.
        RecordError: if the pack cannot be read.
    """
    if not SLUG.fullmatch(slug):
        raise FrontError(f"{slug!r} is no name: lower-case letters, digits and _.", "tritonpuzzles dev new row_max")
    own = folder / IN_A_CLONE
    pack = own if own.is_dir() else folder
    if not (pack / PACK_FILE).is_file() and (folder / "puzzles").is_dir():
        raise FrontError(f"{folder} holds puzzles and is no pack.", "dev new in an empty folder, or --into DIR")
    there = read_pack(pack) if (pack / PACK_FILE).is_file() else Pack(pack, FORMAT, "")
    if any(stem.partition("_")[2] == slug for stem in there.puzzles):
        raise FrontError(f"There is a puzzle {slug} already.", "another name")
    number = max((int(stem[1:3]) for stem in there.puzzles), default=0) + 1
    return Place(folder, pack, folder / there.corpora[0], number, slug)


def find_model(name: str) -> Puzzle:
    """Return the puzzle of the open pack that a name means, or else the shipped one, whose pack is open then.

    Raises:
        UnknownPuzzleError: if neither has such a puzzle.
    """
    with contextlib.suppress(UnknownPuzzleError):
        return load_curriculum().find(name)
    open_pack(None)
    return load_curriculum().find(name)


def skeleton(place: Place, like: Puzzle | None) -> Files:
    """Return the files of a new puzzle, by path."""
    made = _doubling(place) if like is None else _copied(place, like)
    answers = place.pack / "answers.py"
    if like is None and not answers.exists():
        made[answers] = _template("answers.py")
    return made


def _doubling(place: Place) -> Files:
    title = place.slug.replace("_", " ").capitalize()
    words = {"number": str(place.number), "slug": place.slug, "title": title, "todo": TODO}
    names = {"record": "record.toml", "hints": "hints.md", "stub": "stub.py", "solution": "solution.py"}
    made = {place.files[kind]: _template(name, **words) for kind, name in names.items()}
    solution = made[place.files["solution"]]
    rounded_down = solution.replace("triton.cdiv(x.numel(), 256)", "max(1, x.numel() // 256)")
    told = "The last, partial tile is left out: the grid is rounded down.\n\nCode: unwritten-elements\n"
    made[place.files["wrong"]] = _kernel(told, rounded_down)
    made[place.files["right"]] = _kernel("Larger tiles.\n", solution.replace("256", "1024"))
    return made


def _kernel(docstring: str, solution: str) -> str:
    """Return a whole file of the corpus: a solution without its story and its cells, with a docstring."""
    imports = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
    code = solution.partition("# %%\n@triton.jit")[2].replace("\n# %%\ndef", "\ndef")
    return f'"""{docstring}"""\n\n{imports}@triton.jit{code}'


def _template(name: str, **words: str) -> str:
    """Return a text of `template/`, with each `<word>` replaced by its value."""
    text = (TEMPLATE / f"{name}.txt").read_text(encoding="utf-8")
    for key, word in words.items():
        text = text.replace(f"<{key}>", word)
    return text


def _copied(place: Place, like: Puzzle) -> Files:
    """Return another puzzle's files; what names it is changed, the rest is left to the author."""
    source = pack_folder()
    pack = read_pack(source)
    home = (Path() if pack.is_shipped else source) / pack.corpora[0] / like.stem  # the shipped: in a clone alone
    kernels = [path for kind in ("wrong", "right") for path in sorted((home / kind).glob("*.py"))]
    record = (source / "records" / f"{like.stem}.toml").read_text(encoding="utf-8")
    record = re.sub(r"^number = .*$", f"number = {place.number}", record, count=1, flags=re.MULTILINE)
    record = re.sub(r"^slug = .*$", f'slug = "{place.slug}"', record, count=1, flags=re.MULTILINE)

    def renumbered(file: Path) -> str:
        text, title = file.read_text(encoding="utf-8"), rf"^# # {like.number}\. "
        return re.sub(title, f"# # {place.number}. ", text, count=1, flags=re.MULTILINE)

    return {
        place.files["record"]: f"# {TODO}: begun as a copy of {like.stem}.\n{record}",
        place.files["hints"]: (source / "hints" / f"{like.stem}.md").read_text(encoding="utf-8"),
        place.files["stub"]: renumbered(stub_file(like)),
        place.files["solution"]: renumbered(solution_file(like)),
        **{place.mutants / place.stem / path.relative_to(home): path.read_text(encoding="utf-8") for path in kernels},
    }


def write(place: Place, files: Files) -> list[Path]:
    """Write a skeleton and enter the puzzle in its pack; return what was written.

    Raises:
        FrontError: if one of the files is there already.
        OSError: if one cannot be written.

    After an error, nothing is left of it.
    """
    for path in files:
        if path.exists():
            raise FrontError(f"{path} is there already.", "another name, or move that file away")
    new = {*files, *(folder for path in files for folder in path.parents if not folder.exists())}
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [*files, _entered(place)]
    except Exception:
        for path in sorted(new, reverse=True):  # a folder comes after what is in it
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise


def _entered(place: Place) -> Path:
    """Add a puzzle to the list of its pack; create the list's file if there is none."""
    path = place.pack / PACK_FILE
    if not path.is_file():
        title = place.folder.name.replace("_", " ").replace("-", " ").capitalize() or "Puzzles"
        made = _template("curriculum.toml", format=str(FORMAT), title=title, stem=place.stem)
        path.write_text(made, encoding="utf-8")
        return path
    text = path.read_text(encoding="utf-8")
    listed = re.search(r"^puzzles\s*=\s*\[[^\]]*\]", text, re.MULTILINE)
    assert listed is not None, "read_pack has read it"
    stems = ", ".join(f'"{stem}"' for stem in (*read_pack(place.pack).puzzles, place.stem))
    path.write_text(text[: listed.start()] + f"puzzles = [{stems}]" + text[listed.end() :], encoding="utf-8")
    return path
