"""A process that outlives a submission by a moment, and sees to it that nothing else does.

    judge -> supervisor -> [first process of a PID namespace ->] worker -> whatever it starts

The judge starts the supervisor, which ends as the worker did: with its exit code or by its signal. SIGTERM to the
supervisor, or the judge's own end, ends all of them. Forks happen before torch is imported: a process that has
computed must not fork.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
from typing import NoReturn

from tritonpuzzles.sandbox import capabilities, namespaces
from tritonpuzzles.sandbox.descendants import adopt_orphans, end_descendants
from tritonpuzzles.sandbox.held import Held, attempt
from tritonpuzzles.sandbox.kernel import die_with_parent, not_dumpable

STATUS_BYTES = 4


def supervise() -> Held:
    """Go on in a child of this process, which waits for it, ends what it leaves behind, and then ends as it did.

    Call it first of all, with one thread. Where the system can do neither, the process goes on as it is.

    Returns:
        In the child: what ends its descendants.
    """
    namespace = attempt("a PID namespace", namespaces.enter)
    held = namespace if namespace.holds else namespace + attempt("a supervisor", adopt_orphans)
    if not held.holds:
        return held
    told, tells = os.pipe()
    child = os.fork()
    if child:
        os.close(tells)
        _supervise(child, told, bool(namespace.holds))
    os.close(told)
    _end_with_supervisor(tells)
    if namespace.holds:
        _be_first(tells)
    os.close(tells)
    return held


def _end_with_supervisor(tells: int) -> None:
    """End when the supervisor does, at once if it has ended already: a pipe that nobody can read from any more."""
    die_with_parent(signal.SIGKILL)
    asked = select.poll()
    asked.register(tells, 0)
    if asked.poll(0):
        os._exit(1)


def _be_first(tells: int) -> None:
    """Fork the worker, and return in it; the first process of a namespace reaps, and tells how the worker ended."""
    with contextlib.suppress(OSError):  # others stay visible by name then; nothing can be done to them
        namespaces.own_proc()
    worker = os.fork()
    if worker:
        not_dumpable()
        _let_go(tells)
        os.write(tells, _status_of(worker).to_bytes(STATUS_BYTES, "little"))
        os._exit(0)  # the kernel ends all that is left
    die_with_parent(signal.SIGKILL)
    capabilities.drop()


def _supervise(child: int, told: int, namespace: bool) -> NoReturn:
    def end_all(*_: object) -> NoReturn:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _finish(namespace, child)
        os._exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, end_all)
    die_with_parent(signal.SIGTERM)  # nobody is left to time the worker out
    not_dumpable()
    _let_go(told)
    status = _told_by_first(told) if namespace else _status_of(child)
    _finish(namespace, child)
    _end_as(status)


def _finish(namespace: bool, child: int) -> None:
    """Wait until the namespace is empty, or end the descendants one by one."""
    if namespace:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
    else:
        end_descendants()


def _told_by_first(told: int) -> int:
    """Return the worker's wait status; that of a kill if the first process was ended before it could tell."""
    data = os.read(told, STATUS_BYTES)
    return int.from_bytes(data, "little") if len(data) == STATUS_BYTES else signal.SIGKILL


def _status_of(process: int) -> int:
    """Return the wait status of a child, and reap what else ends before it."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == process:
            return status


def _let_go(keep: int) -> None:
    """Close every descriptor but one: a pipe to the judge ends when the worker's end does."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    most = max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], keep + 1)
    os.closerange(3, keep)
    os.closerange(keep + 1, min(most, 1 << 20))


def _end_as(status: int) -> NoReturn:
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):  # SIGKILL has no other action
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))
