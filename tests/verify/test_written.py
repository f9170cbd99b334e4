"""Arguments in text: what they are read as, what is refused with a sentence, and what is drawn of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.verifying import number, read_calls, read_limits
from tritonpuzzles.verifier.calls import VerifyError, imported
from tritonpuzzles.verifier.drawn import drawn_calls
from tritonpuzzles.verifier.written import DTYPES, SHORT, DtypeText, NotReadError, TensorText, argument


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5x700:bf16", TensorText((5, 700), "bfloat16", "randn")),
        ("5x700", TensorText((5, 700), "float32", "randn")),
        ("700:f32", TensorText((700,), "float32", "randn")),
        (":float32", TensorText((), "float32", "randn")),
        ("0x7:fp16:ones", TensorText((0, 7), "float16", "ones")),
        ("128:int64:0..999", TensorText((128,), "int64", (0.0, 999.0))),
        ("8:f32:-1.5..1e3", TensorText((8,), "float32", (-1.5, 1000.0))),
        ("4:bool", TensorText((4,), "bool", (0.0, 1.0))),
        ("3", 3),
        ("-3", -3),
        ("1e-5", 1e-5),
        ("inf", float("inf")),
        ("true", True),
        ("False", False),
        ("none", None),
        ("bf16", DtypeText("bfloat16")),
        ("str:relu", "relu"),
        ("str:3", "3"),
    ],
)
def test_what_a_value_is_read_as(text: str, value: object) -> None:
    name, found = argument(f"a={text}")
    assert (name, found, type(found)) == ("a", value, type(value))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a", "not of the form NAME=VALUE"),
        ("1a=3", "not of the form NAME=VALUE"),
        ("a=", "cannot be read"),
        ("a=7x", "cannot be read"),
        ("a=relu", "mode=str:relu"),
        ("a=5x7:flaot32", "Did you mean 'float32'?"),
        ("a=5:int32", "a=5:int32:0..9"),
        ("a=5:int32:randn", "Nothing of int32 is filled by 'randn'"),
        ("a=5:f32:9..0", "9 is more than 0"),
    ],
)
def test_what_is_none_is_refused_with_what_would_be_one(text: str, said: str) -> None:
    with pytest.raises(NotReadError, match=re.escape(said)):
        argument(text)


def test_every_dtype_can_be_drawn_and_every_short_name_is_one() -> None:
    assert set(SHORT.values()) <= set(DTYPES)
    for dtype in DTYPES:
        (call,) = drawn_calls([{"x": argument(f"x=3x5:{dtype}:0..1")[1]}], seed=1)
        assert (call["x"].dtype, call["x"].shape) == (getattr(torch, dtype), (3, 5))


def test_what_is_drawn_depends_on_the_seed_and_lies_in_its_range() -> None:
    calls = read_calls(["x=40", "ids=1000:int64:3..7", "eps=0.5"], ["x=40:f32:2..3", "x=40:f32", "x=40:f32:arange"])
    first, again, other = drawn_calls(calls, 1), drawn_calls(calls, 1), drawn_calls(calls, 2)
    assert all(torch.equal(one["x"], two["x"]) for one, two in zip(first, again, strict=True))
    assert not torch.equal(first[1]["x"], other[1]["x"])
    assert sorted(set(first[0]["ids"].tolist())) == [3, 4, 5, 6, 7]
    assert 2 <= first[0]["x"].min() < first[0]["x"].max() <= 3
    assert first[2]["x"].tolist() == list(range(40))
    assert [call["eps"] for call in first] == [0.5] * 3


def test_a_number_that_a_dtype_has_not_is_refused() -> None:
    with pytest.raises(VerifyError, match=r"x cannot hold 0 to 999: torch.int8 ends at -128 and 127"):
        drawn_calls([{"x": argument("x=5:int8:0..999")[1]}], seed=1)


def test_limits_are_as_a_record_has_them() -> None:
    assert read_limits(["loads.a=1", "loads.b=1.5", "tile=4096", "scratch=2 * n"]) == {
        "loads": {"a": 1, "b": 1.5}, "tile": 4096, "scratch": "2 * n",
    }  # fmt: skip
    assert [number(text) for text in ("3", "1e-3", "close")] == [3, 0.001, "close"]
    for text in ("loads.a", "loads.a="):
        with pytest.raises(FrontError, match="not of the form KEY=N"):
            read_limits([text])


def test_an_argument_that_is_given_twice_is_refused() -> None:
    with pytest.raises(FrontError, match="a is given twice"):
        read_calls(["a=1", "a=2"], [])


def test_a_file_that_asks_for_a_gpu_while_it_is_imported_holds_a_reference(tmp_path: Path) -> None:
    file = tmp_path / "asks.py"
    text = "import torch, triton\nDEVICE = triton.runtime.driver.active.get_active_torch_device()\n"
    text += "N = torch.cuda.get_device_properties(DEVICE).multi_processor_count\n\ndef right(x):\n    return x * 2\n"
    file.write_text(text)
    assert imported(f"{file}:right")(2) == 4
    (tmp_path / "fails.py").write_text("import torch\ntorch.zeros(1, device='nowhere')\n")
    with pytest.raises(VerifyError, match=r"cannot be imported.* Put right into a file of its own\.$"):
        imported(f"{tmp_path / 'fails.py'}:right")
