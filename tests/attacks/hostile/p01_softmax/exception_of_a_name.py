"""Raises an exception whose class name holds escape sequences, markup, a change of direction and line ends.

Must: fail | error
"""

NAME = "\x1b[2J\x1b]0;owned\x07\u202e<script>alert(1)</script>\u2066\n\r\u2028=cmd|' /C calc'!A0\x9b31m\u200b"


def softmax(x):
    raise type(NAME, (Exception,), {"__module__": NAME})(NAME)
