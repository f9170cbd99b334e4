"""The files in a class's folder or archive: the student who wrote each, and the puzzle it is for."""
