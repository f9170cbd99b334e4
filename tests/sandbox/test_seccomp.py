"""Calls that the filter refuses, tried free and confined; and what must go on working under it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.sandbox.child import confined, run, tried
from tests.sandbox.needs import needs_linux
from tritonpuzzles.sandbox.kernel import NUMBERS
from tritonpuzzles.sandbox.seccomp import ARGUMENTS_AT, CONDITIONS, MACHINES, REFUSED, Instruction, program

pytestmark = needs_linux
FILTERED = "from tritonpuzzles.sandbox.seccomp import filter_calls\nfilter_calls()\n"
BY_NUMBER = "from tritonpuzzles.sandbox.kernel import syscall\n"
DEEDS = {
    "a network socket": "import socket; socket.socket()",
    "a socket to the kernel": "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "somebody's unix socket": "import socket; s = socket.socket(socket.AF_UNIX); s.bind('s'); s.listen()\n"
    "import os; os.rename('s', 't'); socket.socket(socket.AF_UNIX).connect('t')",
    "datagrams": "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "datagrams to anybody": "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "tracing itself": BY_NUMBER + "syscall('ptrace', 0, 0, 0, 0)",
    "reading memory": BY_NUMBER + "import os; syscall('process_vm_readv', os.getpid(), 0, 0, 0, 0, 0)",
    "a mode": "import os; os.chmod('.', 0o755)",
    "limits of its parent": "import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_CORE)",
    "everybody's end": "import os; os.kill(-os.getpgrp(), 0)",
    "niceness": "import os; os.nice(1)",
    "a time of a file": "import os; os.utime('.')",
    "memory that stays": BY_NUMBER
    + "import ctypes; ctypes.CDLL(None).shmctl(syscall('shmget', 0, 4096, 0o600), 0, None)",
    "a semaphore that stays": BY_NUMBER
    + "import ctypes; ctypes.CDLL(None).semctl(syscall('semget', 0, 1, 0o600), 0, 0)",
    "a queue that stays": BY_NUMBER + "import ctypes; ctypes.CDLL(None).msgctl(syscall('msgget', 0, 0o600), 0, None)",
    "outliving its parent": "from tritonpuzzles.sandbox.kernel import die_with_parent; die_with_parent(0)",
}
ALLOWED = {
    "a thread": "import threading; t = threading.Thread(target=print); t.start(); t.join()",
    "a program": "import subprocess; subprocess.run(['true'], check=True)",
    "a fork": "import os; assert os.waitpid(os.fork() or os._exit(0), 0)[1] == 0",
    "a pair of sockets": "import socket; a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'",
    "a socket like CUDA's": "import os, socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
    "s.bind(f'\\0cuda-{os.getpid()}'); s.listen()",
    "an event loop": "import asyncio; asyncio.run(asyncio.sleep(0))",
    "a signal to its child": "import subprocess; p = subprocess.Popen(['sleep', '9']); p.kill(); assert p.wait() == -9",
    "its own limits": "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
    "a program that is filtered too": "import subprocess\ncode = 'import socket; socket.socket()'\n"
    "import sys; assert subprocess.run([sys.executable, '-c', code], stderr=subprocess.DEVNULL).returncode == 1",
}


@pytest.mark.parametrize("name", DEEDS)
def test_what_no_kernel_needs_is_refused(name: str, tmp_path: Path) -> None:
    code = tried(DEEDS[name])
    assert run(FILTERED + code, tmp_path) in ("PermissionError", "OSError")
    assert run(code, tmp_path, start_new_session=True).split() == ["done"]


@pytest.mark.parametrize("name", ALLOWED)
def test_what_a_kernel_needs_goes_on(name: str, tmp_path: Path) -> None:
    assert run(FILTERED + tried(ALLOWED[name]), tmp_path).split()[-1:] == ["done"]


def test_it_holds_in_threads_that_run_already(tmp_path: Path) -> None:
    code = """
import socket, threading
go, told = threading.Event(), []
def attempt():
    go.wait()
    try: told.append(socket.socket())
    except PermissionError: told.append("refused")
thread = threading.Thread(target=attempt)
thread.start()
"""
    assert run(code + FILTERED + "go.set(); thread.join(); print(*told)", tmp_path) == "refused"


def test_confine_brings_it(tmp_path: Path) -> None:
    assert run(confined(tmp_path) + tried(DEEDS["a network socket"]), tmp_path) == "PermissionError"


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_of_either_machine(machine: str) -> None:
    """Run the filter here, on calls of a machine that need not be this one."""
    numbers = NUMBERS[machine]
    for call in REFUSED:
        if call in numbers:
            assert decided(program(machine), MACHINES[machine], numbers[call]) == errno.EPERM, call
    assert decided(program(machine), MACHINES[machine], numbers["clone3"]) == errno.ENOSYS
    good = {"socket": {0: 1, 1: 1}}  # what meets the other conditions of a call
    for condition in CONDITIONS:
        given = [decided(program(machine), MACHINES[machine], numbers[condition.call],
                         {**good.get(condition.call, {}), condition.argument: value})
                 for value in (*condition.values, condition.mask & ~0b1101)]  # fmt: skip
        wanted = errno.EPERM if condition.refuses else 0
        assert given == [wanted] * len(condition.values) + [errno.EPERM - wanted], condition
    assert decided(program(machine), MACHINES[machine], 63) == 0
    assert decided(program(machine), 0x40000003, 63) == errno.EPERM
    assert len(set(numbers.values())) == len(numbers)


def test_the_filter_knows_the_other_table_of_x86_64() -> None:
    assert decided(program("x86_64"), MACHINES["x86_64"], 0x40000000 + 41) == errno.EPERM


def decided(code: list[Instruction], machine: int, number: int, arguments: dict[int, int] | None = None) -> int:
    """Return the error that a filter gives a call, 0 if it lets it pass."""
    words = {0: number, 4: machine} | {ARGUMENTS_AT + 8 * index: value for index, value in (arguments or {}).items()}
    at = register = 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        match operation:
            case 0x20:
                register = words.get(value, 0)
            case 0x54:
                register &= value
            case 0x15:
                at += yes if register == value else no
            case 0x35:
                at += yes if register >= value else no
            case 0x06:
                return 0 if value == 0x7FFF0000 else value & 0xFFFF


def test_numbers_are_this_machines() -> None:
    """The kernel itself tells: a call of its own number gives what it gives."""
    from tritonpuzzles.sandbox.kernel import syscall

    with pytest.raises(OSError, match="prctl") as raised:
        syscall("prctl", -1, 0, 0, 0, 0)
    assert raised.value.errno == errno.EINVAL
    with pytest.raises(OSError, match="kill") as raised:
        syscall("kill", 1 << 30, 0)
    assert raised.value.errno == errno.ESRCH
    assert syscall("kill", os.getpid(), 0) == 0
