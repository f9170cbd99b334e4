"""A whole class: its submissions graded file by file, and the instructor's pages, grades and statistics."""
