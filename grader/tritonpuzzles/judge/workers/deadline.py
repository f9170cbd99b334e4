"""One deadline for all that a file does on a device: its import, its host function and its kernels together.

What counts is what its processes compute. The clock alone would punish a file for the others that are graded beside
it, or for half a processor; what a file computes alone would let it sleep for ever.
"""

from __future__ import annotations

from tritonpuzzles.judge.workers.process import Worker

MOST_CLOCK = 3.0  # times the deadline: for a file that gets a third of a processor, or less
IDLE = 1 / 8  # of a processor: what computes less sleeps, and is not kept from computing
LEAST = 0.05  # seconds that are worth another wait


class Deadline:
    """The seconds of one file on one device.

    While a worker is waited for the clock counts. Once it has come to the deadline, the seconds that recorder and
    engine computed count in its place. What Triton's compiler takes is not the file's: it has bounds of its own.

    Args:
        seconds: of a processor that the file has.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._workers: dict[int, Worker] = {}
        self._waited = self._forgiven = self._apart = self._computed = 0.0

    @property
    def left(self) -> float:
        """Seconds of the clock until it is over, or what was computed is to be looked at."""
        counted = self.seconds - (self._waited - self._forgiven)
        return max(0.0, min(counted, MOST_CLOCK * self.seconds - self._waited))

    @property
    def is_used_up(self) -> bool:
        """Whether the file's own processes have computed all that time: nobody kept them from it."""
        return self.seconds - self._computed <= LEAST

    def wait_for(self, worker: Worker) -> None:
        """Count what a worker computes as well."""
        self._workers[id(worker)] = worker

    def waited(self, seconds: float) -> None:
        """Count what was waited for a worker, by the clock."""
        self._waited += seconds

    def set_apart(self, computed: float) -> None:
        """Leave out what a worker has computed for the grader, as in the compiler."""
        self._apart += computed

    def has_more(self) -> bool:
        """Look at what was computed once the clock is over, and return whether the file was kept from computing."""
        self._computed = sum(worker.computed for worker in self._workers.values()) - self._apart
        if self._computed < IDLE * self._waited:
            return False
        self._forgiven = max(0.0, self._waited - self._computed)
        return self.left > LEAST
