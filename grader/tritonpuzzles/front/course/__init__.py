"""What `init` puts into a folder, and how `init --update` brings what a newer version has."""
