"""Where courses live: a student's points in the form of each platform, and what an instructor gives a platform."""
