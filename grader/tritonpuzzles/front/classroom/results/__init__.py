"""From the lines that are kept to an instructor's tables, the students' pages, and other systems' files."""
