"""The program, as the tests of the front run it."""

from tests.front.conftest import run, workspace

__all__ = ["run", "workspace"]
