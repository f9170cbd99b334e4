"""From what was handed in to a line kept of each file: which are graded, by which seed, and what was found."""
