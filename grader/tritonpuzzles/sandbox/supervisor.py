"""A process that outlives a submission briefly, and ends all processes that it has left.

    judge -> supervisor -> [first process of a PID namespace ->] worker -> whatever it starts

The judge starts the supervisor, which exits as the worker did. SIGTERM to it, or the judge's end, ends all of them.
Forks happen before torch is imported: a process that has computed must not fork.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NoReturn

from tritonpuzzles.sandbox import kernel
from tritonpuzzles.sandbox.kernel import Held, attempt, die_with_parent, not_dumpable

STATUS_BYTES = 4
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS = 0x00020000, 0x08000000, 0x10000000, 0x20000000  # CLONE_NEW*
NEW = NEW_PIDS | NEW_IPC | NEW_MOUNTS
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 18
OWN_USER = "a user of its own"
SECONDS = 5.0  # a fork bomb may fork faster than we can kill


def supervise(user: int | None = None) -> Held:
    """Fork and return in the child; the parent waits for it, ends processes that it leaves, and exits as it did.

    Call it first of all, with one thread. If the system supports neither way, the process continues without a fork.
    If this process is root's, the child becomes `user`, a number, permanently. Returns the measures that end the
    child's descendants.
    """
    held = _supervised(user is not None)
    return held if user is None else held + attempt(OWN_USER, lambda: kernel.become(user))


def _supervised(keeps: bool) -> Held:
    """Do so; `keeps`: whether to keep root's capabilities, which are needed to become another user."""
    namespace = attempt("a PID namespace", enter_namespace)
    held = namespace if namespace.holds else namespace + attempt("a supervisor", adopt_orphans)
    if not held.holds:
        return held
    told, tells = os.pipe()
    child = os.fork()
    if child:
        os.close(tells)
        _supervise(child, told, bool(namespace.holds))
    os.close(told)
    die_with_parent(signal.SIGKILL)
    asked = select.poll()
    asked.register(tells, 0)
    if asked.poll(0):  # no reader is left: the supervisor has ended already
        os._exit(1)
    if namespace.holds:
        _be_first(tells, keeps)
    os.close(tells)
    return held


def _be_first(tells: int, keeps: bool) -> None:
    """Fork the worker and return in it; the parent, first of its namespace, reaps and reports the worker's status."""
    with contextlib.suppress(OSError):  # then other processes stay visible, but cannot be reached
        own_proc()
    worker = os.fork()
    if worker:
        not_dumpable()
        _let_go(tells)
        os.write(tells, _status_of(worker).to_bytes(STATUS_BYTES, "little"))
        os._exit(0)  # the kernel ends all that is left
    die_with_parent(signal.SIGKILL)
    if not keeps:
        kernel.drop_capabilities()


def _supervise(child: int, told: int, namespace: bool) -> NoReturn:
    def end_all(*_: object) -> NoReturn:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _finish(namespace, child)
        os._exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, end_all)
    die_with_parent(signal.SIGTERM)  # without the judge, nobody would end the worker after its time limit
    not_dumpable()
    _let_go(told)
    if namespace:
        data = os.read(told, STATUS_BYTES)  # empty if the first process was killed before it could report
        status = int.from_bytes(data, "little") if len(data) == STATUS_BYTES else int(signal.SIGKILL)
    else:
        status = _status_of(child)
    _finish(namespace, child)
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):  # SIGKILL cannot be handled anyway
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def _finish(namespace: bool, child: int) -> None:
    """Wait until the namespace is empty, or end the descendants one by one."""
    if namespace:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
    else:
        end_descendants()


def _status_of(process: int) -> int:
    """Return the wait status of a child, and reap other processes that end before it."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == process:
            return status


def _let_go(keep: int) -> None:
    """Close every descriptor but one, so that a pipe to the judge closes when the worker's end does."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    most = max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], keep + 1)
    os.closerange(3, keep)
    os.closerange(keep + 1, min(most, 1 << 20))


def enter_namespace() -> None:
    """Make the next forked process the first of a new PID namespace, with new IPC and mount namespaces.

    Call it before any thread runs. This process itself stays outside the PID namespace.

    Raises OSError if the system does not allow it; nothing has changed then.
    """
    try:
        kernel.syscall("unshare", NEW)  # root may
    except OSError:
        _try_as_user()
        _as_user()


def own_proc() -> None:
    """Show only this namespace's processes in /proc; must be called by its first process.

    Raises OSError if the system does not allow it, as in a container that hides parts of /proc.
    """
    kernel.syscall("mount", b"none", b"/", 0, MS_REC | MS_PRIVATE, 0)  # mounts from now on are invisible outside
    kernel.syscall("mount", b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0)


def _as_user() -> None:
    user, group = os.geteuid(), os.getegid()
    kernel.syscall("unshare", NEW_USER | NEW)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def _try_as_user() -> None:
    """Try it in a child first, as half of it cannot be undone; raises the child's OSError."""
    child = os.fork()
    if not child:
        try:
            _as_user()
        except OSError as error:
            os._exit(error.errno or 255)
        os._exit(0)
    number = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if number:
        raise OSError(number, os.strerror(number), "unshare")


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends; raises OSError if the system cannot do it."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def descendants(ancestor: int, sparing: Collection[int] = ()) -> set[int]:
    """Return the descendants of a process, zombies included, without those to spare and their descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = (entry / "stat").read_bytes().rpartition(b")")[2].split()  # after the name, which may be anything
            children.setdefault(int(stat[1]), []).append(int(entry.name))
    found: set[int] = set()
    waiting = [ancestor]
    while waiting:
        for child in children.get(waiting.pop(), []):
            if child not in found and child not in sparing:
                found.add(child)
                waiting.append(child)
    return found


def _below(process: int) -> Iterator[int]:
    """Yield the descendants of a process from the kernel's lists of children: few reads, however many processes exist.

    One that ends meanwhile may hide a sibling: good enough to sum up CPU time, not to kill all of them.
    """
    lists: list[Path] = []
    with contextlib.suppress(OSError):  # it ends while they are listed
        lists += Path(f"/proc/{process}/task").glob("*/children")
    for one in lists:
        with contextlib.suppress(OSError):
            for child in map(int, one.read_bytes().split()):
                yield child
                yield from _below(child)


def computed_by(process: int) -> float:
    """Return the CPU seconds that a process and its descendants have used so far.

    Ended children count after somebody has waited for them. A process that is gone counts 0.
    """
    ticks, lists = 0, Path(f"/proc/{process}/task/{process}/children").exists()  # some kernels lack it
    for pid in (process, *(_below(process) if lists else descendants(process))):
        with contextlib.suppress(OSError, ValueError):
            stat = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            ticks += sum(map(int, stat[11:15]))  # user and system time, its own and its waited-for children's
    return ticks / os.sysconf("SC_CLK_TCK")


def end_descendants(sparing: Collection[int] = ()) -> None:
    """Kill all descendants of this process, which has adopted orphans, until none is left or `SECONDS` have passed.

    Children to spare, and their descendants, are left alone. The others are stopped before they are killed, so that
    none forks in between.
    """
    deadline = time.monotonic() + SECONDS
    while (found := descendants(os.getpid(), sparing)) and time.monotonic() <= deadline:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        for pid in found:  # those that are children, and have ended
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
