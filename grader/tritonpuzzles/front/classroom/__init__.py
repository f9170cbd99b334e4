"""A whole class: what was handed in, graded file by file, and what an instructor makes of it."""
