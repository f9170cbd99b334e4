"""For the test suites of others."""
