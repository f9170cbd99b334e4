import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.wire.frames import MAX_HEADER_BYTES, Frame, FrameReader, ProtocolError, write_frame

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
