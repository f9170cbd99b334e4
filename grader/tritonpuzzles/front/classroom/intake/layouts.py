"""Which system a class's folder comes from, and its data about each file: the student, the time, whether it is late.

A layout is recognised by names alone. Names are data and are never used as paths.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from tritonpuzzles.front.classroom.intake.naming import (
    ARCHIVE,
    GRADED,
    TIMESTAMP,
    Parts,
    Person,
    Place,
    Tree,
    ending,
    read_time,
    stem,
)
from tritonpuzzles.front.classroom.intake.roster import repositories_in, submissions_in
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.sandbox import read_regular

SUBMITTED = "submitted"  # nbgrader's folder; NBGRADER are the folders that may lie beside it
NBGRADER = {SUBMITTED, "source", "release", "autograded", "feedback", "exchange", "inbound", "outbound"}
WORKSPACE = {"puzzles", "notebooks"}  # folders of one student's, not of several students
MOST_WRAPPED = 3  # folders around those of a layout
MAX_TIMESTAMP_BYTES = 1000
_CANVAS = re.compile(r"(?P<who>.+?)_(?:(?P<late>LATE)_)?(?P<user>\d+)_(?P<file>\d{1,18})_(?P<name>.+)", re.DOTALL)
_MOODLE = re.compile(r"(?P<who>.+?)_(?P<user>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<name>.*))?", re.DOTALL)


@dataclass(frozen=True)
class Layout:
    """One system's way to lay out a class."""

    said: str  # the layout in words
    tree: Tree  # the tree below the folder in which the layout begins
    place: Callable[[Parts], Place | None]  # returns whose a file or folder is, by its names; `None` if it is nobody's
    stray: str  # what is wrong with a file that is nobody's, a clause
    is_handed_in: bool = True  # whether a file's own time is the time when it was handed in
    is_ordered: bool = True  # whether, of two files of a student, the one with the later time is the newer


def recognised(tree: Tree) -> Layout:
    """Return the layout of a tree; a folder for each student if no system's is recognised.

    Raises:
        FrontError: if the named folder contains the class as an archive, which would get the limits of a student's.
    """
    for view in _unwrapped(tree):
        layout = next(filter(None, (see(view) for see in SYSTEMS)), None)
        if layout is not None:
            archive = next((name for name in view.top if ending(name) == ARCHIVE), None)
            if archive is not None:
                what = f"{tree.name} holds one archive, and in it {layout.said}."
                raise FrontError(what, f"name the archive itself: tritonpuzzles class grade {tree.name}/{archive}")
            return layout
    view = tree
    while _is_wrapped(view):
        view = view.below(*view.first)
    return _folders(view)


def _unwrapped(tree: Tree) -> Iterator[Tree]:
    """Yield the tree, then the tree in its only folder, a few levels deep."""
    yield tree
    for _ in range(MOST_WRAPPED):
        if len(tree.first) != 1:
            return
        tree = tree.below(*tree.first)
        yield tree


def _is_wrapped(tree: Tree) -> bool:
    """Return whether everything lies in one folder that looks like a class's: several folders, not a workspace's."""
    if len(tree.first) != 1 or _graded_names(tree) or ending(*tree.first) == ARCHIVE:
        return False
    inner = tree.below(*tree.first)
    return len(inner.first) > 1 and not inner.first & WORKSPACE and not _graded_names(inner)


def _graded_names(tree: Tree) -> set[str]:
    """Return the names of the files at the top that may be submissions."""
    return {entry.parts[0] for entry in tree.files if len(entry.parts) == 1 and ending(entry.parts[0]) in GRADED}


def _folders(tree: Tree) -> Layout:
    archives = {name for name in tree.first if ending(name) == ARCHIVE}
    known = {name: Place((Person(stem(name) if name in archives else name),), name) for name in tree.first}
    said = "a zip for each student" if archives and archives == tree.first else "a folder for each student"
    stray = "lies in no student's folder: put it into a folder with the student's name"
    return Layout(said, tree, _by_top(known), stray)


def alone(tree: Tree, student: str, handed_in: datetime | None) -> Layout:
    """Return the layout of one student's files: every file is theirs, whatever its folder and name."""

    def place(parts: Parts) -> Place:
        return Place((Person(student),), parts[-1], handed_in)

    return Layout("one student's files", tree, place, "", is_handed_in=False)


def gradescope(tree: Tree) -> Layout | None:
    """Return the layout of Gradescope's export: `submission_metadata.yml` beside `submission_123/`."""
    known = submissions_in(tree)
    if known is None:
        return None

    places = {name: Place(one.people, name, one.created) for name, one in known.items() if one.people}
    stray = "lies in no submission of which submission_metadata.yml names a submitter"
    return Layout("Gradescope's export", tree, _by_top(places), stray, is_handed_in=False)


def nbgrader(tree: Tree) -> Layout | None:
    """Return the layout of nbgrader: `submitted/STUDENT/ASSIGNMENT/`, each with an optional `timestamp.txt`."""
    if SUBMITTED in tree.first and tree.first <= NBGRADER:
        tree = tree.below(SUBMITTED)
    stamps = [entry for entry in tree.files if len(entry.parts) == 3 and entry.parts[-1] == TIMESTAMP]
    stamped = {entry.parts[0] for entry in stamps}
    if tree.name != SUBMITTED and (not stamped or 2 * len(stamped) < len(tree.first)):
        return None
    times: dict[Parts, datetime | None] = {}
    for entry in stamps:
        try:
            data = read_regular(entry.path, MAX_TIMESTAMP_BYTES, follow=False)
        except OSError:
            continue  # a student's copy: the file's own time counts
        times[entry.parts[:2]] = read_time(data.decode("utf-8", "replace"))

    def place(parts: Parts) -> Place | None:
        return Place((Person(parts[0]),), parts[-1], times.get(parts[:2])) if parts[:1] in tree.folders else None

    return Layout("nbgrader's folders", tree, place, f"does not lie in {SUBMITTED}/STUDENT/ASSIGNMENT/")


def moodle(tree: Tree) -> Layout | None:
    """Return Moodle's layout, with or without folders: `Ada Lovelace_1234567_assignsubmission_file_/`."""
    found = _matching(tree, _MOODLE)
    if found is None:
        return None
    people = _people(found)
    known = {name: Place((people[one["who"], one["user"]],), one["name"] or name) for name, one in found.items()}
    return Layout("Moodle's folders", tree, _by_top(known), "is not named as Moodle names what is handed in")


def canvas(tree: Tree) -> Layout | None:
    """Return Canvas's layout, by file names: `lovelaceada_LATE_12345_67890_p03_online_softmax-1.py`.

    The times of these files are those of the download; the later attachment has the higher number.
    """
    if any(ending(name) != ARCHIVE for name in tree.first):
        return None  # Canvas's download has no folders
    found = _matching(tree, _CANVAS)
    if found is None:
        return None
    people, known = _people(found), dict[str, Place]()
    for name, match in found.items():
        person = people[match["who"], match["user"]]
        person = Person(person.id, (match["user"], *person.names))  # a roster of Canvas's has the number
        known[name] = Place((person,), match["name"], None, match["late"] is not None, int(match["file"]))
    stray = "is not named as Canvas names what is handed in"
    return Layout("Canvas's file names", tree, _by_top(known), stray, is_handed_in=False)


def github(tree: Tree) -> Layout | None:
    """Return the layout of GitHub Classroom's clones, `online-softmax-ada/` with a `.git`; a table has the times.

    Without that table the hand-in time is unknown: a file's own time is that of the clone.
    """
    clones = {parts[0] for parts in tree.clones if len(parts) == 1 and ending(parts[0]) != ARCHIVE}
    if not clones or 2 * len(clones) < len(tree.first):
        return None
    known = repositories_in(tree, clones)
    said = "clones of GitHub Classroom" + ("" if any(one.handed_in for one in known.values()) else ", without times")
    return Layout(said, tree, _by_top(known), "lies in no clone", is_handed_in=False, is_ordered=False)


SYSTEMS: tuple[Callable[[Tree], Layout | None], ...] = (gradescope, moodle, nbgrader, canvas, github)


def _by_top(known: Mapping[str, Place]) -> Callable[[Parts], Place | None]:
    """Return a function from a file's names to the place of its top-level name, with the file's own last name."""

    def place(parts: Parts) -> Place | None:
        found = known.get(parts[0])
        return replace(found, name=parts[-1]) if found is not None and len(parts) > 1 else found

    return place


def _matching(tree: Tree, pattern: re.Pattern[str]) -> dict[str, re.Match[str]] | None:
    """Return the names at the top that have a form, if at least half of them do."""
    names = tree.first | _graded_names(tree) | {parts[0] for parts, _ in tree.refused if parts}
    found = {name: match for name in names if (match := pattern.fullmatch(name))}
    return found if found and 2 * len(found) >= len(names) else None


def _people(found: dict[str, re.Match[str]]) -> dict[tuple[str, str], Person]:
    """Return each person by name and number; of several with one name the number is a part of the id."""
    numbers: defaultdict[str, set[str]] = defaultdict(set)
    for match in found.values():
        numbers[match["who"]].add(match["user"])
    return {
        (who, user): Person(who if len(users) == 1 else f"{who}_{user}", (who,))
        for who, users in numbers.items()
        for user in users
    }
