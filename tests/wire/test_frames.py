import io
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.wire.frames import (
    MAX_HEADER_BYTES,
    OF_MACHINE,
    OUT_OF_MEMORY,
    Frame,
    FrameReader,
    ProtocolError,
    header_line,
    write_frame,
)

headers = st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=20) | st.none(), max_size=4).filter(
    lambda header: "size" not in header
)


@given(st.lists(st.tuples(headers, st.binary(max_size=64)), max_size=5), st.integers(1, 17))
def test_frames_survive_any_cut(messages: list[tuple[dict, bytes]], step: int) -> None:
    stream = io.BytesIO()
    for header, payload in messages:
        write_frame(stream, header, payload)
    reader = FrameReader()
    reader.max_payload_bytes = 64
    data = stream.getvalue()
    frames: list[Frame] = []
    for start in range(0, len(data), step):
        frames += reader.feed(data[start : start + step])
    assert [({k: v for k, v in f.header.items() if k != "size"}, f.payload) for f in frames] == messages


@pytest.mark.parametrize(
    "line",
    [b"not json", b"[]", b"{}", b'{"size": -1}', b'{"size": 65}', b'{"size": true}', b'{"size": "1"}', b"[" * 5000],
)
def test_bad_headers_are_refused(line: bytes) -> None:
    reader = FrameReader()
    reader.max_payload_bytes = 64
    with pytest.raises(ProtocolError):
        reader.feed(line + b"\n")


def test_endless_header_is_refused() -> None:
    reader = FrameReader()
    with pytest.raises(ProtocolError):
        reader.feed(b"x" * MAX_HEADER_BYTES)


def test_no_payload_before_a_limit_is_set() -> None:
    with pytest.raises(ProtocolError):
        FrameReader().feed(json.dumps({"size": 1}).encode() + b"\n")


@pytest.mark.parametrize(
    ("error", "code"),
    [("OSError(28, 'No space left on device')", OF_MACHINE), ("MemoryError()", OUT_OF_MEMORY), ("ValueError()", 1)],
)
def test_the_exit_code_says_what_the_machine_has_not(error: str, code: int) -> None:
    text = f"""
import os
from tritonpuzzles.wire.frames import serve_commands

def obey(frame):
    raise {error}

serve_commands(0, os.open(os.devnull, os.O_WRONLY), lambda send: obey)
"""
    sent = header_line({"kind": "case"}, 0)
    ran = subprocess.run([sys.executable, "-c", text], input=sent, capture_output=True, check=False)
    assert ran.returncode == code
