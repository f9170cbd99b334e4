"""What a folder or an archive of a class holds: whose each file is, and which puzzle it is for."""
