"""What a learner sees: the command line and the report. Imports neither torch nor triton."""
