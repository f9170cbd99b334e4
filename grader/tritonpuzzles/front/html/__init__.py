"""The page of `check --html`: one file with the report, pictures, and the code with what is said of it."""
