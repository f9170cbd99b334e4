"""Real kernels, and what a front end is told while a cell runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager

from tests.notebook.conftest import environment

SECONDS = 300


@dataclass
class Outputs:
    """What one cell shows.

    Attributes:
        messages: of the kinds that a front end shows, in order.
        reply: the kernel's word on how the cell ended.
    """

    messages: list[dict[str, Any]] = field(default_factory=list)
    reply: dict[str, Any] = field(default_factory=dict)

    @property
    def kinds(self) -> list[str]:
        """What was shown: `display_data`, `update_display_data`, `stream`, `error`, `execute_result`."""
        return [str(message["msg_type"]) for message in self.messages]

    @property
    def places(self) -> set[str]:
        """The places in which something was shown and replaced."""
        return {message["content"]["transient"]["display_id"] for message in self.messages if self._placed(message)}

    @property
    def last(self) -> dict[str, str]:
        """What stands in the last of these places in the end, by kind of data."""
        found: dict[str, str] = [m for m in self.messages if self._placed(m)][-1]["content"]["data"]
        return found

    @staticmethod
    def _placed(message: dict[str, Any]) -> bool:
        return message["msg_type"] in ("display_data", "update_display_data")


class Kernel:
    """One kernel, as a front end has it."""

    def __init__(self, manager: AsyncKernelManager, client: AsyncKernelClient) -> None:
        self._manager, self._client = manager, client

    async def run(self, cell: str, interrupt: bool = False) -> Outputs:
        """Run a cell; press the stop button when it begins to show something, if asked."""
        found, parent = Outputs(), self._client.execute(cell, allow_stdin=False)
        while True:
            message = await self._client.get_iopub_msg(timeout=SECONDS)
            if message["parent_header"].get("msg_id") != parent:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
            if message["msg_type"] not in ("status", "execute_input"):
                found.messages.append(message)
                if interrupt:
                    interrupt = False
                    await self._manager.interrupt_kernel()
        while not found.reply:
            reply = await self._client.get_shell_msg(timeout=SECONDS)
            if reply["parent_header"].get("msg_id") == parent:
                found.reply = reply["content"]
        return found


@asynccontextmanager
async def kernel(folder: Path, **variables: str) -> AsyncIterator[Kernel]:
    """Start a kernel in a folder, with the magics, for the length of a `with` block.

    Args:
        folder: where it begins.
        variables: of its environment, in place of or beside the usual ones.
    """
    manager = AsyncKernelManager(kernel_name="python3")
    await manager.start_kernel(cwd=str(folder), env={**environment(folder), **variables})
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=SECONDS)
        made = Kernel(manager, client)
        assert (await made.run("%reload_ext tritonpuzzles")).kinds == []
        yield made
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)
