"""A pytest plugin: with `--triton-verify` every kernel that a test launches is interpreted, and judged with the test.

Without the option, it imports neither torch nor triton. With it, "cuda" is CPU memory, even in the first conftest.py.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tritonpuzzles import verify
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.words import plural

if TYPE_CHECKING:
    from tritonpuzzles.verifier.here import Here

OPTION, MARKER = "triton_verify", "triton_verify"
HARMLESS = ("written-twice",)  # on purpose, in many kernels: programs share rows, and each stores the same
NOT_RUN = "unsupported-operation"  # the interpreter's limit, and nothing of the kernel's


class Suite:
    """One run of pytest."""

    def __init__(self) -> None:
        self.here: Here | None = None  # the interpretation in progress; without one PyTorch and Triton are unchanged
        self._stack = ExitStack()

    def begin(self, books: Here | None = None) -> Here:
        """Start interpreting, if that is not done yet; `books` continues earlier records."""
        if self.here is None:
            from tritonpuzzles.verifier.here import interpreted

            self.here = self._stack.enter_context(interpreted(books))
        return self.here

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Restore PyTorch and Triton within a `with` block."""
        here = self.here
        self.end()
        yield
        if here is not None:
            self.begin(here)

    def end(self) -> None:
        """Restore PyTorch and Triton."""
        self._stack.close()
        self.here = None


SUITE = pytest.StashKey[Suite]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    text = "interpret every Triton kernel that a test launches, without a GPU; a kernel that is wrong fails its test"
    parser.getgroup("tritonpuzzles").addoption("--triton-verify", action="store_true", dest=OPTION, help=text)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start interpreting before any module of the suite is imported."""
    suite = early_config.stash[SUITE] = Suite()
    if getattr(early_config.known_args_namespace, OPTION):
        suite.begin()


def pytest_configure(config: pytest.Config) -> None:
    """Announce the marker."""
    config.addinivalue_line("markers", f"{MARKER}: interpret the Triton kernels that this test launches")
    config.stash.setdefault(SUITE, Suite())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Restore PyTorch and Triton."""
    config.stash[SUITE].end()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Keep separate records for one test, and free them after it."""
    suite = item.config.stash[SUITE]
    always = item.config.getoption(OPTION)
    if not always and item.get_closest_marker(MARKER) is None:
        return (yield)
    here = suite.begin()
    here.begin()
    try:
        return (yield)
    finally:
        here.begin()
        if not always:
            suite.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a passing test that has findings; show the findings of a failing test beside its own failure."""
    report = yield
    here = item.config.stash[SUITE].here
    if here is None or report.when != "call":
        return report
    found = here.findings(item.name)
    errors = [one for one in found if one.severity is Severity.ERROR and one.code not in (NOT_RUN, *HARMLESS)]
    not_run = sorted({_shown(one, "") for one in found if one.code == NOT_RUN})
    setattr(report, OPTION, (here.seen.launches, len(errors), not_run))
    text = "\n".join(_shown(one) for one in found)
    stopped = report.failed and call.excinfo is not None and call.excinfo.typename == "KernelError"
    if errors and (report.passed or stopped):
        report.outcome, report.longrepr = "failed", text
    elif stopped and not_run:
        report.outcome, report.longrepr = "skipped", (str(item.path), (item.location[1] or 0) + 1, not_run[0])
    elif found:
        report.sections.append(("Triton kernels", text))
    return report


@pytest.fixture
def verify_kernel(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return `tritonpuzzles.verify`, with the same arguments; it fails the test with its report.

    It uses the machine's own GPU, or none: interpretation is paused for it.
    """

    def verified(*args: Any, **named: Any) -> Any:
        with request.config.stash[SUITE].paused():
            report = verify(*args, **named)
        if not report:
            pytest.fail(str(report), pytrace=False)
        return report

    return verified


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many launches were interpreted, and which kernels were not."""
    every = (report for reports in terminalreporter.stats.values() for report in reports)
    told = [getattr(report, OPTION) for report in every if any(getattr(report, OPTION, ()))]  # of other processes too
    if not told:
        return
    launches, found = sum(one[0] for one in told), sum(bool(one[1]) for one in told)
    not_run = Counter(why for one in told for why in one[2])
    tests = f"{plural(len(told), 'test')} launched {plural(launches, 'kernel')}, interpreted"
    lines = [f"{tests}; {plural(found, 'test')} with findings"]
    lines += [f"not interpreted in {plural(count, 'test')}: {why}" for why, count in not_run.most_common()]
    terminalreporter.section("Triton kernels")
    terminalreporter.line("\n".join(lines))


def _shown(finding: Finding, step: str = "\n  Next: ") -> str:
    """Return a finding as pytest shows errors: the place first, so that an editor finds it."""
    place = f"{os.path.relpath(finding.file)}:{finding.line or 1}: " if finding.file else ""
    more = f"{step}{finding.next_step}" if step and finding.next_step else ""
    return f"{place}{finding.message} [{finding.code}]{more}"
