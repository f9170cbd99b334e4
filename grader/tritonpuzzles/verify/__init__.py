"""Any Triton kernel, without a puzzle: run where its caller runs, and judged as the course judges."""
