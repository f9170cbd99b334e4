"""Reports and pages as HTML. Whatever a learner wrote is escaped: text becomes markup in `markup.py` alone."""
