"""Check any Triton kernel with the judge of the course: a function, its reference, and a few calls."""
