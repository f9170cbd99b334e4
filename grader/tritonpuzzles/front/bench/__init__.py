"""`bench`: which files compete, and the table, sentences, CSV, JSON and plots of what a bench gave."""
