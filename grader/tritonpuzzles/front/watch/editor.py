"""Watch the files of a workspace for an editor: no screen and no keys, but lines that a problem matcher reads."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import click

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.cli import explained
from tritonpuzzles.front.grading import Graded
from tritonpuzzles.front.report.problems import begun, editor, ended
from tritonpuzzles.front.watch.checks import SECONDS, Checks, Event, Inbox, Noted, Watched
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Report


class EditorWatch:
    """Checks each file that is saved, one at a time, in the order of the saves."""

    def __init__(
        self, workspace: Workspace, puzzles: Sequence[Puzzle], options: CheckOptions, show: Callable[[Graded], None]
    ) -> None:
        self._puzzles, self._show = puzzles, show
        self._watched = [(puzzle, Watched(workspace.file(puzzle))) for puzzle in puzzles]
        self._inbox = Inbox()
        self._checks = Checks(options, self._inbox)
        self._number = 0
        self._current: Puzzle | None = None
        self._waiting: list[Puzzle] = []
        self._problems: dict[str, list[str]] = {}  # by puzzle: an editor forgets them all when a check begins

    def run(self) -> None:
        """Watch until this process is ended."""
        self._checks.start()
        try:
            self._begin(self._puzzles[0])
            while True:
                time.sleep(SECONDS)
                self._turn()
        finally:
            self._checks.end()

    def _turn(self) -> None:
        for number, event in self._inbox.taken():
            if number == self._number:
                self._take(event)
        for puzzle, watched in self._watched:
            if watched.was_saved():
                self._saved(puzzle)
        if self._current is None and self._waiting:
            self._begin(self._waiting.pop(0))

    def _saved(self, puzzle: Puzzle) -> None:
        """Check a saved file, again if it is being checked, otherwise after the current check."""
        if puzzle is self._current:
            click.echo(ended(None))
            self._begin(puzzle)
        elif puzzle not in self._waiting:
            self._waiting.append(puzzle)

    def _begin(self, puzzle: Puzzle) -> None:
        self._current = puzzle
        click.echo(begun(puzzle.label))
        self._number = self._checks.check(puzzle)

    def _take(self, event: Event) -> None:
        match event:
            case Noted(sentence):
                click.echo(f"warning: {sentence}")
            case Graded():
                self._show(event)
                self._end(event.report)
            case Exception():
                sentence, step, _ = explained(event)
                click.echo(f"tritonpuzzles: {sentence}{f' Next: {step}' if step else ''}")
                self._end(None)

    def _end(self, report: Report | None) -> None:
        """Say what is known of every file that was checked, and that this check is over."""
        assert self._current is not None
        self._problems[self._current.slug] = [] if report is None else editor(report)
        for lines in self._problems.values():
            for line in lines:
                click.echo(line)
        click.echo(ended(report))
        self._current = None
