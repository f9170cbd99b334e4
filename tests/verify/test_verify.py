"""`tritonpuzzles.verify`: functions of all kinds, what is made of one call, and what is said of a wrong one."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pytest
import torch

import tritonpuzzles
from tests.verify import kernels
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.verifying import VerifyReport

pytestmark = pytest.mark.slow

SCHEMA = json.loads((Path(tritonpuzzles.__file__).parent / "report.schema.json").read_text())
FILE = kernels.__file__
AB = {"a": torch.randn(5, 300), "b": torch.randn(5, 300)}
verify = functools.partial(tritonpuzzles.verify, device="cpu", seed=1)


def codes(report: VerifyReport) -> list[str]:
    return [finding.code for finding in report.results[0].findings]


def cases(report: VerifyReport) -> dict[str, str]:
    return {case.name: case.verdict.value for case in report.results[0].cases}


class TestRightFunctions:
    def test_all_that_is_made_of_a_call_passes(self) -> None:
        report = verify(kernels.swiglu, kernels.swiglu_reference, [AB], limits={"loads": {"a": 1}})
        assert report, report
        jsonschema.validate(report.to_dict(), SCHEMA)
        names = cases(report)
        assert names["your case"] == names["padded tensors"] == names["odd sizes"] == names["bfloat16"] == "pass"
        assert names["more than 2^31 elements"] == names["rows far apart"] == names["nothing to do"] == "pass"
        (refused,) = [finding for finding in report.findings if finding.code == "variant-refused"]
        assert refused.case == "transposed tensors"
        assert "the rows of a and b must be contiguous" in refused.message
        assert report.results[0].puzzle is None
        assert "swiglu" in str(report)

    def test_one_kind_of_change_can_be_asked_for(self) -> None:
        report = verify(kernels.swiglu, kernels.swiglu_reference, AB, vary={"dtypes"})
        assert list(cases(report)) == ["your case", "float16", "bfloat16"]

    def test_cases_may_be_tuples_and_come_from_a_function(self) -> None:
        def made(seed: int, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
            generator = torch.Generator().manual_seed(seed)
            return tuple(torch.randn(3, 65, generator=generator).to(dtype) for _ in range(2))

        report = verify(kernels.swiglu, kernels.swiglu_reference, made, vary=False)
        assert cases(report) == {"float32": "pass", "float16": "pass", "bfloat16": "pass"}

    def test_arguments_of_every_kind(self) -> None:
        asked = dict(AB, out=None, activation=kernels.Activation.RELU)
        assert verify(kernels.swiglu, kernels.swiglu_reference, [asked], vary=False)
        lists = {"xs": [torch.randn(70), torch.randn(3, 5)], "factor": 2.5, "dtype": torch.float16}
        assert verify(kernels.scale_all, kernels.scale_all_reference, [lists], vary=False)
        eighths = {"xs": [torch.randn(70).to(torch.float8_e5m2)], "factor": 2.0, "dtype": torch.float32}
        assert verify(kernels.scale_all, kernels.scale_all_reference, [eighths], vary=False)

    def test_what_pytorch_has_copied_is_a_result_where_a_kernel_writes_it_too(self) -> None:
        x = torch.randn(5, 70)
        assert verify(kernels.transposed, kernels.transposed_reference, [{"x": x, "moves": 1}], vary=False)
        report = verify(kernels.transposed, kernels.transposed_reference, [{"x": x, "moves": 0}], vary=False)
        assert codes(report) == ["unwritten-elements"]

    def test_what_the_host_function_fills_or_copies_need_not_be_stored_by_a_kernel(self) -> None:
        report = verify(kernels.padded, kernels.padded_reference, [torch.randn(5, 70)])
        assert report, report
        assert cases(report)["more than 2^31 elements"] == "pass"
        report = verify(kernels.first_doubled, kernels.first_doubled_reference, [torch.randn(5, 70)], vary={"numbers"})
        assert report, report

    def test_functions_that_are_no_plain_ones(self) -> None:
        assert verify(lambda a, b: kernels.swiglu(a, b), kernels.swiglu_reference, [AB], vary=False)
        relu = functools.partial(kernels.swiglu, activation=kernels.Activation.RELU)
        assert verify(relu, lambda a, b: torch.relu(a) * b, [AB], vary=False)

    def test_indices_are_not_shuffled_beyond_what_they_index(self) -> None:
        asked = {"ids": torch.arange(49, 10, -3), "table": torch.randn(50, 40)}
        report = verify(kernels.embedding, kernels.embedding_reference, [asked])
        assert report, report
        assert "variant-untried" in codes(report)  # a shorter table has not all that is asked for

    @pytest.mark.parametrize("reference", [kernels.rotary_reference, kernels.rotary_reference_])
    def test_a_function_that_changes_its_argument(self, reference: object) -> None:
        asked = {"x": torch.randn(7, 64), "cos": torch.rand(7, 32), "sin": torch.rand(7, 32)}
        report = verify(kernels.rotary_, reference, [asked], mutates=["x"])  # type: ignore[arg-type]
        assert report, report

    @pytest.mark.parametrize("function", [kernels.layer_norm_backward, kernels.layer_norm_backward_on_gpu])
    def test_pytorch_may_compute_in_the_host_function(self, function: Callable[..., object]) -> None:
        asked = {"dy": torch.randn(9, 300), "x": torch.randn(9, 300), "w": torch.randn(300)}
        report = verify(function, kernels.layer_norm_backward_reference, [asked], host="eager",
                        tolerance={"rtol": 2e-2, "atol": 2e-2})  # fmt: skip
        assert report, report

    def test_a_function_in_a_file_is_imported_by_another_process(self) -> None:
        report = verify(f"{FILE}:swiglu", f"{FILE}:swiglu_reference", [AB], vary={"layouts"})
        assert report, report

    def test_a_reference_that_is_slow_without_memory_or_knows_no_float64(self) -> None:
        report = verify(kernels.doubled, kernels.looping_reference, [{"x": torch.randn(50, 3)}], vary={"large"})
        assert report, report
        (untried,) = [finding for finding in report.findings if finding.code == "variant-untried"]
        assert "more than 2^31 elements" in untried.message
        asked = {"dy": torch.randn(9, 30), "x": torch.randn(9, 30), "w": torch.randn(30)}
        report = verify(kernels.layer_norm_backward, kernels.single_reference, [asked], host="eager", vary=False)
        assert report, report

    def test_pytorchs_own_rounding_is_free(self) -> None:
        asked = {"dy": torch.randn(9, 1), "x": torch.randn(9, 1), "w": torch.randn(1)}  # the truth is 0, or nearly
        report = verify(kernels.layer_norm_backward, kernels.layer_norm_backward_reference, [asked], host="eager",
                        vary=False)  # fmt: skip
        assert report, report

    def test_it_can_be_called_again(self) -> None:
        asked = {"x": torch.randn(9)}
        for _ in range(2):
            assert tritonpuzzles.verify(kernels.doubled, lambda x: x * 2, asked, device="cpu", vary=False)


class TestWrongFunctions:
    @pytest.mark.parametrize(("lane", "program"), [(0, 0), (1, 0), (0, 1)])
    def test_what_is_stored_twice_must_be_the_same(self, lane: int, program: int) -> None:
        asked = {"x": torch.randn(300), "lane": lane, "program": program}
        report = verify(kernels.stored_twice, lambda x, lane, program: x, [asked], vary=False)
        assert bool(report) == (not lane and not program), report
        assert codes(report)[0] == ("written-alike" if report else "race-write-write")

    def test_products_are_named_at_a_line_that_runs(self) -> None:
        report = verify(kernels.squared, lambda x: x @ x, [torch.randn(32, 32)], vary=False)
        (finding,) = report.findings
        lines = Path(FILE).read_text().splitlines()
        assert finding.code == "tf32"
        assert "def _dot" in lines[(finding.line or 0) - 2]

    def test_what_a_call_alone_does_not_show_is_found_at_its_line(self) -> None:
        alone = verify(kernels.swiglu_one_stride, kernels.swiglu_reference, [AB], vary=False)
        assert alone, alone
        report = verify(kernels.swiglu_one_stride, kernels.swiglu_reference, [AB])
        assert not report
        first = report.findings[0]
        assert (first.code, first.case) == ("out-of-bounds-load", "padded tensors")
        assert "No argument of the launch is the row stride of a_ptr" in first.message
        assert "strides-assumed" in {found.code for found in report.findings}
        line = Path(FILE).read_text().splitlines()[(first.line or 0) - 1]
        assert "_swiglu[(" in line

    def test_larger_numbers_show_a_maximum_that_is_not_subtracted(self) -> None:
        reference = functools.partial(torch.softmax, dim=1)
        assert verify(kernels.softmax_unshifted, reference, [{"x": torch.randn(5, 300)}], vary={"numbers", "sizes"})
        report = verify(kernels.softmax_unshifted, reference, [{"x": torch.randn(5, 300)}], vary={"magnitudes"})
        assert cases(report) == {"your case": "pass", "numbers 50 times larger": "fail"}

    def test_whole_numbers_are_others_where_there_is_nothing_else(self) -> None:
        report = verify(kernels.running_count, lambda x: x.cumsum(0), [{"x": torch.arange(40)}], vary={"numbers"})
        assert report, report
        assert list(cases(report)) == ["your case", "other numbers in the same memory", "the same call again"]

    def test_without_a_reference_memory_is_checked_all_the_same(self) -> None:
        report = verify(kernels.copy_without_mask, None, [{"x": torch.randn(300)}])
        assert not report
        assert codes(report)[0] == "out-of-bounds-load"
        assert "tl.load(x_ptr + at)" in Path(FILE).read_text().splitlines()[(report.findings[0].line or 0) - 1]
        assert verify(kernels.swiglu, None, [AB], vary={"sizes"})

    def test_limits_are_asked_of_the_users_calls(self) -> None:
        report = verify(kernels.swiglu, kernels.swiglu_reference, [AB], limits={"loads": {"a": 0.5}}, vary={"sizes"})
        assert not report
        assert [finding.case for finding in report.findings if finding.code == "too-many-loads"] == ["your case"]

    def test_pytorch_may_not_compute_where_nobody_said_so(self) -> None:
        asked = {"dy": torch.randn(9, 300), "x": torch.randn(9, 300), "w": torch.randn(300)}
        report = verify(kernels.layer_norm_backward, kernels.layer_norm_backward_reference, [asked], vary=False)
        assert codes(report)[0] == "torch-compute"
        assert 'host="eager"' in (report.findings[0].next_step or "")

    def test_what_pytorch_computes_wrongly_is_wrong(self) -> None:
        asked = {"dy": torch.randn(9, 300), "x": torch.randn(9, 300), "w": torch.randn(300)}
        report = verify(kernels.layer_norm_backward_first_partial, kernels.layer_norm_backward_reference, [asked],
                        host="eager", vary=False)  # fmt: skip
        assert not report
        assert report.results[0].cases[0].mismatch is not None
        assert report.results[0].cases[0].mismatch.output == "out[1]"

    def test_an_argument_that_changes_unasked_is_told(self) -> None:
        asked = {"x": torch.randn(7, 64), "cos": torch.rand(7, 32), "sin": torch.rand(7, 32)}
        report = verify(kernels.rotary_, kernels.rotary_reference, [asked], vary=False)
        assert "input-modified" in codes(report)

    def test_an_exception_for_the_users_own_call_is_an_error(self) -> None:
        report = verify(kernels.swiglu, kernels.swiglu_reference, [{"a": torch.randn(4, 8).mT, "b": torch.randn(8, 4)}])
        assert report.results[0].verdict.value == "error"
        assert codes(report)[0] == "runtime-error"

    def test_a_reference_that_is_exact_by_itself_asks_for_no_dtype(self) -> None:
        def exact(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.silu(a.double()) * b.double()

        assert verify(kernels.swiglu, exact, [AB], vary={"dtypes"})
        assert not verify(kernels.swiglu, lambda a, b: exact(a, b) + 0.1, [AB], vary=False)

    def test_several_cases_of_each_dtype(self) -> None:
        def made(seed: int, dtype: torch.dtype) -> list[dict[str, torch.Tensor]]:
            return [{"x": torch.ones(size, dtype=dtype)} for size in (3, 70)]

        report = verify(kernels.doubled, lambda x: x * 2, made, vary=False)
        assert list(cases(report))[:3] == ["float32 1", "float32 2", "float16 1"]
        assert report, report

    def test_threads_wait_for_each_other(self) -> None:
        def one(number: int) -> VerifyReport:
            return tritonpuzzles.verify(kernels.doubled, lambda x: x * 2, {"x": torch.ones(number)}, vary=False)

        with ThreadPoolExecutor(3) as pool:
            assert all(list(pool.map(one, range(1, 7))))


class TestUsage:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"cases": [{"a": AB["a"], "c": AB["b"]}]}, "swiglu has no parameter 'c'."),
            ({"cases": []}, "There are no cases"),
            ({"cases": [5]}, "A case is an int"),
            ({"cases": [{"a": torch.zeros(2, 2, dtype=torch.complex64), "b": AB["b"]}]}, "complex64"),
            ({"tolerance": "closer"}, "Did you mean 'close'?"),
            ({"limits": {"load": {"a": 1}}}, "Did you mean 'loads'?"),
            ({"vary": ["dtype"]}, "Did you mean 'dtypes'?"),
            ({"host": "eagerly"}, "Did you mean 'eager'?"),
            ({"mutates": ["y"]}, "mutates"),
            ({"function": f"{FILE}:swiglo"}, "Did you mean 'swiglu'?"),
            ({"function": "nowhere.py:swiglu"}, "There is no file nowhere.py."),
            ({"function": f"{FILE}:swiglu", "host": "eager"}, "import it"),
            ({"device": "tpu"}, "There is no device 'tpu'"),
            ({"limits": {"loads": {"a_ptr": 1}}}, "limits, loads: there is no tensor 'a_ptr'. Known: a, b, out."),
            ({"cases": [{"a": torch.empty(2, 2, device="meta"), "b": AB["b"]}]}, "on the device meta"),
            ({"cases": lambda: AB}, "a function of a seed and a dtype is expected"),
            ({"reference": lambda a, b: None}, "it returns nothing"),
            ({"reference": lambda a, b: sys.exit(5)}, "SystemExit: 5"),
            ({"reference": lambda a, b: 1 / 0}, "For your case, the reference raises ZeroDivisionError"),
            ({"reference": lambda a, b: "text"}, "the reference returns a str"),
        ],
    )
    def test_what_makes_no_sense_is_said_in_a_sentence(self, change: dict[str, object], said: str) -> None:
        asked: dict[str, object] = {"function": kernels.swiglu, "reference": kernels.swiglu_reference, "cases": [AB]}
        with pytest.raises(FrontError) as raised:
            verify(**{**asked, **change})  # type: ignore[arg-type]
        assert said in raised.value.message, raised.value.message
