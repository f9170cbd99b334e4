"""`tritonpuzzles watch`: one file, checked at every save, full-screen, with single-key commands."""
