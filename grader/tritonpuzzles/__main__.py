"""`python -m tritonpuzzles`."""

from tritonpuzzles.front.cli import run

run()
