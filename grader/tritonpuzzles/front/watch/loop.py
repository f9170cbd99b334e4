"""Watch one file: handle saves, keys, signals and the judge's events, one after the other, in one thread."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable

from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.grading import Graded
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.page.terminal import Lines
from tritonpuzzles.front.report import preliminary_lines
from tritonpuzzles.front.report.naming import MARKS
from tritonpuzzles.front.report.trace import trace_lines
from tritonpuzzles.front.text import one_line, significant
from tritonpuzzles.front.watch import screen
from tritonpuzzles.front.watch.checks import SECONDS, Checks, Event, Inbox, Noted, Watched
from tritonpuzzles.front.watch.terminal import Terminal
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.shipped import NO_SOLUTIONS, has_solutions
from tritonpuzzles.front.workspace.state import State
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Preliminary, Verdict
from tritonpuzzles.results.trace import Trace


class Watch:
    """The loop."""

    def __init__(
        self, workspace: Workspace, state: State, puzzle: Puzzle, options: CheckOptions, commands: screen.Commands
    ) -> None:
        self._workspace, self._state, self._puzzle, self._commands = workspace, state, puzzle, commands
        self._puzzles = load_curriculum().puzzles
        self._inbox = Inbox()
        self._checks = Checks(options, self._inbox)
        self._screen = screen.Screen()
        self._number = 0
        self._began = time.monotonic()
        self._report: screen.Page = lambda view: []
        self._page: screen.Page = self._report
        self._last = Text()
        self._notes: Lines = []  # above the footer, until the next save
        self._standing = Text()  # the last line of the screen while idle
        self._word = Text()  # preliminary verdict on the current file
        self._asking = self._has_gpu = self._is_checking = False
        self._actions: dict[str, Callable[[], None]] = {
            "n": lambda: self._step(1),
            "p": lambda: self._step(-1),
            "h": self._hint,
            "d": self._diff,
            "t": self._trace,
            "b": self._bench,
            "l": lambda: self._show(lambda view: self._commands.list(view.width)),
            "r": self._ask_to_reset,
        }

    def run(self) -> None:
        """Watch until the user quits, or the terminal is closed."""
        with Terminal() as self._terminal, selectors.DefaultSelector() as selector:
            try:
                self._checks.start()
                self._choose(self._puzzle)
                for source in (sys.stdin.fileno(), self._inbox, self._terminal.signals):
                    selector.register(source, selectors.EVENT_READ)
                while self._turn(selector):
                    pass
            finally:
                over = self._checks.end()
                with contextlib.suppress(OSError):
                    self._screen.leave()
        if not over:  # an import is still running: do not wait for it
            sys.stdout.flush()
            os._exit(0)

    def _turn(self, selector: selectors.BaseSelector) -> bool:
        """Handle all pending events once; return whether to continue."""
        ready = {key.fileobj for key, _ in selector.select(SECONDS)}
        if self._terminal.signals in ready:
            heard = self._terminal.heard()
            if signal.SIGTSTP in heard:
                with self._terminal.lent():  # until this process is continued
                    os.kill(os.getpid(), signal.SIGSTOP)
            elif signal.SIGCONT in heard:
                self._terminal.take()
            self._draw()
        for number, event in self._inbox.taken() if self._inbox in ready else ():
            if number == self._number:  # events of earlier jobs are ignored
                self._take(event)
        if sys.stdin.fileno() in ready:
            pressed = self._terminal.keys()
            if pressed is None or not all(map(self._press, pressed)):
                return False
        if self._watched.was_saved():
            self._check()
        return True

    def _press(self, letter: str) -> bool:
        """Handle a key; return whether to continue."""
        if self._asking:
            self._asking = False
            if letter.lower() == screen.YES:
                self._reset()
            else:
                self._show(self._report)
            return True
        if letter == screen.QUIT:
            return False
        action = self._actions.get(letter)
        if letter == screen.MORE and self._screen.is_cut:
            self._screen.go_on()
            self._draw()
        elif action is not None:
            try:
                action()
            except Exception as error:
                self._show(screen.error_page(error))
        elif self._page is not self._report:
            self._show(self._report)
        return True

    # What is watched

    def _choose(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._watched = Watched(self._workspace.file(puzzle))
        self._check()

    def _step(self, by: int) -> None:
        index = self._puzzles.index(self._puzzle) + by
        if 0 <= index < len(self._puzzles):
            self._choose(self._puzzles[index])
        else:
            self._say(Text(f"This is the {'last' if by > 0 else 'first'} puzzle."))

    def _check(self) -> None:
        self._asking, self._notes, self._word, self._is_checking = False, [], Text(), True
        self._began = time.monotonic()
        self._report = lambda view: [Text.assemble(("Checking  ", "bold"), self._puzzle.label)]
        self._number = self._checks.check(self._puzzle)
        self._standing = Text("checking")
        self._show(self._report)

    def _take(self, event: Event) -> None:
        match event:
            case str():
                self._say(Text.assemble(self._word, "  " if self._word else "", one_line(event)))
            case Noted(sentence):
                self._notes.append(Text.assemble(("warning: ", "yellow"), one_line(sentence)))
                self._draw()
            case Preliminary():
                mark = MARKS[event.result.verdict]
                word, style = ("values right so far", "bold cyan") if event.right_so_far else (mark.word, mark.style)
                self._conclude(lambda view: preliminary_lines(event, view), word, style, f"; {event.doing} ...")
            case Graded():
                self._has_gpu = event.report.environment.get("gpu") is not None
                mark = MARKS[event.report.results[0].verdict]
                self._is_checking = False
                page = screen.report_page(event, self._commands.story)
                self._conclude(page, f"{mark.sign} {mark.word}", mark.style, WAITING)
            case Trace():
                self._standing = Text(f"the ledger of {self._puzzle.label}{WAITING}")
                self._show(lambda view: trace_lines(event, view))
            case Exception():
                self._is_checking = False
                self._conclude(screen.error_page(event), "! not checked", "bold magenta", WAITING)

    def _conclude(self, report: screen.Page, word: str, style: str, rest: str) -> None:
        """Show what is known of the file now."""
        seconds = significant(time.monotonic() - self._began, 2)
        reading = self._page is not self._report
        self._word = Text(word, style)
        self._standing = Text.assemble(self._word, f"  {self._puzzle.label}, after {seconds} s{rest}")
        self._report = report
        self._show(self._page if reading else report)

    # What keys do

    def _hint(self) -> None:
        lines = self._commands.hint(self._puzzle)
        self._show(lambda view: lines)

    def _diff(self) -> None:
        if not has_solutions():
            self._say(Text(NO_SOLUTIONS))
            return
        if not self._solved(self._puzzle):
            self._say(Text("The solution can be compared with once this puzzle is solved."))
            return
        self._show(screen.diff_page(self._workspace, self._puzzle))

    def _trace(self) -> None:
        if self._is_checking:
            self._say(Text("The ledger is available when the check has ended."))
            return
        self._number = self._checks.trace(self._puzzle)
        self._say(Text("tracing"))

    def _bench(self) -> None:
        if not self._has_gpu:
            self._say(Text("bench needs an NVIDIA GPU, and there is none here."))
            return
        self._screen.clear()
        with self._terminal.lent():
            self._commands.bench(self._puzzle)
        self._page = lambda view: []
        self._say(Text("Any key shows the report."))

    def _ask_to_reset(self) -> None:
        self._asking = True
        self._say(Text("Put the stub back? Your file is kept. y: yes, any other key: no", style="bold yellow"))

    def _reset(self) -> None:
        lines = self._commands.reset(self._puzzle)
        self._watched = Watched(self._workspace.file(self._puzzle))  # so that the reset does not count as a save
        self._check()
        self._notes = lines
        self._draw()

    # What is seen

    def _show(self, page: screen.Page) -> None:
        if page is not self._page:
            self._screen.go_back()
        self._page, self._last = page, self._standing
        self._draw()

    def _say(self, last: Text) -> None:
        self._last = last
        self._screen.say(last)

    def _draw(self) -> None:
        entries = self._state.read()
        states = [entries.get(puzzle.slug, Progress()).word for puzzle in self._puzzles]
        current = self._puzzles.index(self._puzzle)
        useful = {"n": current + 1 < len(states), "p": current > 0, "d": self._solved(self._puzzle)}
        keys = {letter: word for letter, word in screen.KEYS.items() if useful.get(letter, True)}
        fails = entries.get(self._puzzle.slug, Progress()).verdict != Verdict.PASS.value
        footer = screen.footer_lines(states, current, fails, self._workspace.file(self._puzzle), keys)
        page, notes = self._page(View(self._screen.width)), [*self._notes, Text()] if self._notes else []
        self._screen.draw(page, [*notes, *footer], self._last)

    def _solved(self, puzzle: Puzzle) -> bool:
        return self._state.read().get(puzzle.slug, Progress()).solved


WAITING = "; waiting for a save"
