"""A process that outlives a submission by a moment, and sees to it that nothing else does.

    judge -> supervisor -> [first process of a PID namespace ->] worker -> whatever it starts

The judge starts the supervisor, which ends as the worker did. SIGTERM to it, or the judge's own end, ends all of them.
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
SECONDS = 5.0  # a fork bomb may be faster than we are


def supervise(user: int | None = None) -> Held:
    """Go on in a child of this process, which waits for it, ends what it leaves behind, and then ends as it did.

    Call it first of all, with one thread. Where the system can do neither, the process goes on as it is.

    Args:
        user: number of the one that the child goes on as, for good, if it is root's.

    Returns:
        In the child: what ends its descendants.
    """
    held = _supervised(user is not None)
    return held if user is None else held + attempt(OWN_USER, lambda: kernel.become(user))


def _supervised(keeps: bool) -> Held:
    """Do so; `keeps` root's powers, which it takes to become another user."""
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
    if asked.poll(0):  # nobody can read from the pipe any more: the supervisor has ended already
        os._exit(1)
    if namespace.holds:
        _be_first(tells, keeps)
    os.close(tells)
    return held


def _be_first(tells: int, keeps: bool) -> None:
    """Fork the worker, and return in it; the first process of a namespace reaps, and tells how the worker ended."""
    with contextlib.suppress(OSError):  # others stay visible by name then; nothing can be done to them
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
    die_with_parent(signal.SIGTERM)  # nobody is left to time the worker out
    not_dumpable()
    _let_go(told)
    if namespace:
        data = os.read(told, STATUS_BYTES)  # nothing if the first process was ended before it could tell
        status = int.from_bytes(data, "little") if len(data) == STATUS_BYTES else int(signal.SIGKILL)
    else:
        status = _status_of(child)
    _finish(namespace, child)
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):  # SIGKILL has no other action
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


def enter_namespace() -> None:
    """Have the next process that this one forks be the first of a new PID namespace, with IPC and mounts of its own.

    Call it before any thread runs. This process itself stays outside.

    Raises OSError if the system does not allow it; nothing has changed then.
    """
    try:
        kernel.syscall("unshare", NEW)  # root may
    except OSError:
        _try_as_user()
        _as_user()


def own_proc() -> None:
    """Show this namespace's processes alone in /proc; to be called by its first process.

    Raises OSError if the system does not allow it, as in a container that hides parts of /proc.
    """
    kernel.syscall("mount", b"none", b"/", 0, MS_REC | MS_PRIVATE, 0)  # what is mounted now concerns nobody outside
    kernel.syscall("mount", b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0)


def _as_user() -> None:
    user, group = os.geteuid(), os.getegid()
    kernel.syscall("unshare", NEW_USER | NEW)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def _try_as_user() -> None:
    """Try it in a child, for half of it cannot be undone; raises OSError as the child got it."""
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
    """Become the parent of every descendant whose own parent ends; raises OSError if the system does not have it."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def descendants(ancestor: int, sparing: Collection[int] = ()) -> set[int]:
    """Return the processes that descend from one, zombies included, without those to spare and what is below them."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = (entry / "stat").read_bytes().rpartition(b")")[2].split()  # behind the name, which may hold anything
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
    """Yield the processes below one as the kernel lists them: a few reads, however many processes there are.

    One that ends meanwhile may hide a sibling: good enough to count what is computed, not to end everything.
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
    """Return the seconds of a processor that a process and all that descends from it have used so far.

    Children that have ended count as soon as somebody has waited for them. What is not there any more has none.
    """
    ticks, lists = 0, Path(f"/proc/{process}/task/{process}/children").exists()  # some kernels are built without
    for pid in (process, *(_below(process) if lists else descendants(process))):
        with contextlib.suppress(OSError, ValueError):
            stat = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            ticks += sum(map(int, stat[11:15]))  # its own and its children's, in programs and in the kernel
    return ticks / os.sysconf("SC_CLK_TCK")


def end_descendants(sparing: Collection[int] = ()) -> bool:
    """End all that descend from this process, which has adopted orphans; return whether none is left.

    Children to spare, and what is below them, are left alone. The others are stopped before they are killed, so that
    none starts another one in between.
    """
    deadline = time.monotonic() + SECONDS
    while found := descendants(os.getpid(), sparing):
        if time.monotonic() > deadline:
            return False
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        for pid in found:  # those that are children, and have ended
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return True
