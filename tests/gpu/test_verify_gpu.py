"""`verify` on a real GPU beside the CPU."""

import pytest

from tests.verify.corpus import HOME, Example

pytestmark = pytest.mark.gpu
IN_PLACE = ["apply_penalty", "expanded_gradient", "heads_in_blocks", "rotary_flat", "rotary_table_columns"]
FOUND = ["apply_penalty", "embedding_gradient", "matmul_edges", "prefix_value_mask", "row_stride", "top_k_infinity"]


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_kernel_that_is_meant_to_change_its_input_is_repeatable(name: str) -> None:
    report = Example(HOME / "right" / f"{name}.py").verified("auto")
    assert report, report


@pytest.mark.parametrize("name", FOUND)
def test_a_bug_is_found_on_both_devices(name: str) -> None:
    bug = Example(HOME / "bugs" / f"{name}.py")
    report = bug.verified("auto")
    assert bug.told(report), report
