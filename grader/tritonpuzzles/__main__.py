"""`python -m tritonpuzzles`."""

from tritonpuzzles.sandbox.interpreter import forget_folder

forget_folder()  # what a learner keeps there is no module of Python's

from tritonpuzzles.front.cli import run  # noqa: E402

run()
