"""What is shown, as blocks, and the two renderers of them: a terminal and HTML."""
