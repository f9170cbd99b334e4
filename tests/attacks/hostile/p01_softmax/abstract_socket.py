"""Waits at sockets, one of them abstract, for whoever comes, and hands descriptors to it.

Must: fail | error
"""

import contextlib
import os
import socket

import torch


def softmax(x):
    for name in ("\0tritonpuzzles", "socket"):
        with contextlib.suppress(OSError):
            at = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            at.bind(name)
            at.listen()
            if os.fork() == 0:
                while True:
                    other, _ = at.accept()
                    socket.send_fds(other, [b"x"], [0, 1, 2])
    for name in ("\0tritonpuzzles", "\0/tmp/.X11-unix/X0", "/run/dbus/system_bus_socket", "/run/docker.sock"):
        with contextlib.suppress(OSError):
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(name)
            return torch.softmax(x, dim=1)
    raise ValueError("nobody")
