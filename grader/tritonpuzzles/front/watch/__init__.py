"""`tritonpuzzles watch`: one file, checked at every save, on a screen of its own, with single keys."""
