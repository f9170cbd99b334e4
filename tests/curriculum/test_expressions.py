import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.curriculum.expressions import ExpressionError, cdiv, evaluate, is_prime, next_power_of_2, shape_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("n", 33),
        (7, 7),
        ("2 * n + 1", 67),
        ("cdiv(n, 16)", 3),
        ("next_power_of_2(n)", 64),
        ("-n + 2**5", -1),
        ("n // 2", 16),
    ],
)
def test_values(text: str | int, value: int) -> None:
    assert evaluate(text, {"n": 33}) == value


@pytest.mark.parametrize(("turned", "size"), [(True, 5), (False, 7)])
def test_a_size_may_depend_on_a_truth_value(turned: bool, size: int) -> None:
    assert evaluate("k if turned else m", {"k": 5, "m": 7, "turned": turned}) == size
    assert shape_of(["k if turned else m", "m"], {"k": 5, "m": 7}, {"turned": turned}) == (size, 7)
    assert shape_of(None, {"k": 5, "m": 7}, {"turned": turned}) == (5, 7)


@pytest.mark.parametrize(
    "text",
    ["m", "n.real", "__import__('os')", "n if n > 1 else 1", "n / 2", "[n]", "n +", "prime(2, 9)", "f(n)", "1.5"],
)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(text, {"n": 33})


@given(st.integers(0, 2**32))
def test_draws_depend_on_the_seed_alone(seed: int) -> None:
    first, second = (evaluate("prime(500, 900) * between(2, 9)", rng=random.Random(seed)) for _ in range(2))
    assert first == second


@given(st.integers(1, 10**6), st.integers(1, 10**4))
def test_functions(a: int, b: int) -> None:
    assert (cdiv(a, b) - 1) * b < a <= cdiv(a, b) * b
    assert next_power_of_2(a) // 2 < a <= next_power_of_2(a)


def test_primes() -> None:
    assert [n for n in range(30) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
