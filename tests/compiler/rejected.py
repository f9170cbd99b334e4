"""Kernels that an interpreter may run and the compiler rejects; `# here` marks the line to be named.

All are launched with x and y of float32, n = 100 and B = 64 (`dot_*` with float16).
"""

import math

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from triton import cdiv
from triton.language.extra import libdevice

from . import elsewhere

SCALE = 3


def double(x):
    return x + x


@triton.constexpr_function
def half(n):
    return n // 2


@triton.jit
def dot_small_k(x, y, n, B: tl.constexpr):
    m = tl.arange(0, 16)
    k = tl.arange(0, 8)
    a = tl.load(x + m[:, None] * 8 + k[None, :])
    b = tl.load(x + k[:, None] * 16 + m[None, :])
    tl.store(y + m[:, None] * 16 + m[None, :], tl.dot(a, b))  # here


@triton.jit
def dot_inner_sizes(x, y, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])
    c = tl.dot(a, a)  # here
    tl.store(y + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], c)


@triton.jit
def several_names_at_once(x, y, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    low = high = 0.0  # here
    tl.store(y + cols, tl.load(x + cols) + low + high)


@triton.jit
def scalar_accumulator(x, y, n, B: tl.constexpr):
    acc = 0.0
    for start in range(0, n, B):
        acc += tl.load(x + start + tl.arange(0, B))  # here
    tl.store(y + tl.arange(0, B), acc)


@triton.jit
def full_without_dtype(x, y, n, B: tl.constexpr):
    acc = tl.full((B,), 0.0)  # here
    tl.store(y + tl.arange(0, B), acc)


@triton.jit
def dtype_changes_in_loop(x, y, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float16)  # here
    for start in range(0, n, B):
        acc = acc + tl.load(x + start + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), acc)


@triton.jit
def breaks(x, y, n, B: tl.constexpr):
    for start in range(0, n, B):
        if start > 10:
            break  # here
        tl.store(y + start, 1.0)


@triton.jit
def continues(x, y, n, B: tl.constexpr):
    for start in range(0, n, B):
        if start > 10:
            continue  # here
        tl.store(y + start, 1.0)


@triton.jit
def returns_from_loop(x, y, n, B: tl.constexpr):
    for start in range(0, n, B):
        if start > 10:  # here
            return
        tl.store(y + start, 1.0)


@triton.jit
def appends_to_list(x, y, n, B: tl.constexpr):
    values = [1.0, 2.0]
    values.append(3.0)  # here
    tl.store(y, values[0])


@triton.jit
def list_comprehension(x, y, n, B: tl.constexpr):
    values = [i * 2 for i in range(4)]  # here
    tl.store(y, values[0])


@triton.jit
def builds_dict(x, y, n, B: tl.constexpr):
    values = {"a": 1.0}  # here
    tl.store(y, values["a"])


@triton.jit
def defines_lambda(x, y, n, B: tl.constexpr):
    twice = lambda v: v * 2  # noqa: E731  # here
    tl.store(y, twice(tl.load(x)))


@triton.jit
def defines_function(x, y, n, B: tl.constexpr):
    def twice(v):  # here
        return v * 2

    tl.store(y, twice(tl.load(x)))


@triton.jit
def f_string(x, y, n, B: tl.constexpr):
    text = f"n is {n}"  # noqa: F841  # here
    tl.store(y, 1.0)


@triton.jit
def tries(x, y, n, B: tl.constexpr):
    try:  # here
        v = tl.load(x)
    except ValueError:
        v = 0.0
    tl.store(y, v)


@triton.jit
def raises(x, y, n, B: tl.constexpr):
    raise ValueError("no")  # here


@triton.jit
def math_exp(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), math.exp(v))  # here


@triton.jit
def torch_exp(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), torch.exp(v))  # here


@triton.jit
def cdiv_of_the_host(x, y, n, B: tl.constexpr):
    for i in range(triton.cdiv(n, B)):  # here
        tl.store(y + i, 1.0)


@triton.jit
def cdiv_by_name(x, y, n, B: tl.constexpr):
    tl.store(y + cdiv(n, B), 1.0)  # here


@triton.jit
def power_of_the_host(x, y, n, B: tl.constexpr):
    tl.store(y + triton.next_power_of_2(n), 1.0)  # here


@triton.jit
def own_of_constants(x, y, n, B: tl.constexpr):
    tl.store(y + half(n), 1.0)  # here


@triton.jit
def triton_for_tl(x, y, n, B: tl.constexpr):
    tl.store(y, triton.load(x))  # here


@triton.jit
def torch_softmax(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), torch.softmax(v, dim=0))  # here


@triton.jit
def functional_softmax(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), F.softmax(v, dim=0))  # here


@triton.jit
def softmax_without_tl(x, y, n, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), softmax(tl.load(x + tl.arange(0, B))))  # noqa: F821  # here


@triton.jit
def misspelled_softmax(x, y, n, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), tl.soft_max(tl.load(x + tl.arange(0, B))))  # here


@triton.jit
def reads_global(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), v * SCALE)  # here


@triton.jit
def python_helper(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), double(v))  # here


@triton.jit
def prints_tensor(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    print(v)  # here
    tl.store(y + tl.arange(0, B), v)


@triton.jit
def static_range_of_n(x, y, n, B: tl.constexpr):
    for i in tl.static_range(n):  # here
        tl.store(y + i, 1.0)


@triton.jit
def one_branch(x, y, n, B: tl.constexpr):
    if n > 3:
        v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), v)  # here


@triton.jit
def types_per_branch(x, y, n, B: tl.constexpr):
    if n > 3:  # noqa: SIM108  # here
        v = 0.0
    else:
        v = tl.load(x + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), v)


@triton.jit
def type_changes_in_branch(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    if n > 3:  # here
        v = 0.0
    tl.store(y + tl.arange(0, B), v)


@triton.jit
def returns_two_types(v, n):  # here
    if n > 3:
        return 0
    else:
        return v  # here


@triton.jit
def calls_two_types(x, y, n, B: tl.constexpr):
    tl.store(y, returns_two_types(tl.load(x), n))


@triton.jit
def misspelled(x, y, n, B: tl.constexpr):
    value = tl.load(x)
    tl.store(y, value + valeu)  # noqa: F821  # here


@triton.jit
def without_tl(x, y, n, B: tl.constexpr):
    tl.store(y + program_id(0), 0.0)  # noqa: F821  # here


@triton.jit
def adds_pointers(x, y, n, B: tl.constexpr):
    tl.store(y, x + y)  # here


@triton.jit
def misspelled_tl(x, y, n, B: tl.constexpr):
    tl.store(y, tl.expp(tl.load(x)))  # here


@triton.jit
def block_of_100(x, y, n, B: tl.constexpr):
    v = tl.arange(0, 100)  # here
    tl.store(y, tl.sum(v))


@triton.jit
def block_of_n(x, y, n, B: tl.constexpr):
    v = tl.arange(0, n)  # here
    tl.store(y, tl.sum(v))


@triton.jit
def zeros_of_n(x, y, n, B: tl.constexpr):
    v = tl.zeros((n,), tl.float32)  # here
    tl.store(y, tl.sum(v))


@triton.jit
def sizes_differ(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)) + tl.load(x + tl.arange(0, 2 * B))  # here
    tl.store(y, tl.sum(v))


@triton.jit
def indexes_block(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y, v[0])  # here


@triton.jit
def assigns_element(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    v[0] = 1.0  # here
    tl.store(y, tl.sum(v))


@triton.jit
def if_on_block(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    if v > 0:  # here
        v = v + 1
    tl.store(y + tl.arange(0, B), v)


@triton.jit
def if_around_loads(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    if offsets < n:  # here
        v = tl.load(x + offsets)
        tl.store(y + offsets, v)


@triton.jit
def if_around_a_store(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    v = tl.load(x + offsets, mask=offsets < n)
    for i in range(2):
        if (offsets < n) & (v > i):  # here
            tl.store(y + offsets, v)


@triton.jit
def half_to_exp(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)).to(tl.float16)
    tl.store(y + tl.arange(0, B), tl.exp(v))  # here


@triton.jit
def half_to_a_method(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)).to(tl.bfloat16)
    tl.store(y + tl.arange(0, B), v.sigmoid())  # here


@triton.jit
def half_to_sqrt_rn(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)).to(tl.float16)
    tl.store(y + tl.arange(0, B), tl.sqrt_rn(v))  # here


@triton.jit
def half_to_libdevice(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)).to(tl.float16)
    tl.store(y + tl.arange(0, B), libdevice.tanh(v))  # here


@triton.jit
def half_to_two_of_libdevice(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)).to(tl.float16)
    tl.store(y + tl.arange(0, B), libdevice.pow(v, v))  # here


@triton.jit
def exp_of_pointers(x, y, n, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), tl.exp(x + tl.arange(0, B)))  # here


@triton.jit
def ternary_on_block(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    v = v if n > 0 else 0.0  # here
    tl.store(y + tl.arange(0, B), v)


@triton.jit
def stores_block_at_scalar(x, y, n, B: tl.constexpr):
    tl.store(y, tl.load(x + tl.arange(0, B)))  # here


@triton.jit
def stores_to_number(x, y, n, B: tl.constexpr):
    tl.store(n, 1.0)  # here


@triton.jit
def no_such_axis(x, y, n, B: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, B)), axis=1))  # here


@triton.jit
def no_such_argument(x, y, n, B: tl.constexpr):
    tl.store(y, tl.load(x, masks=None))  # here


@triton.jit
def shape_of_pointer(x, y, n, B: tl.constexpr):
    tl.store(y, x.shape[0])  # here


@triton.jit
def python_builtin(x, y, n, B: tl.constexpr):
    for i, v in enumerate(range(4)):  # here
        tl.store(y + i, v)


@triton.jit
def static_assert_fails(x, y, n, B: tl.constexpr):
    tl.static_assert(B == 128, "B must be 128")  # here
    tl.store(y, 1.0)


@triton.jit
def factorial(n):
    return n * factorial(n - 1)  # here


@triton.jit
def calls_recursion(x, y, n, B: tl.constexpr):
    tl.store(y, factorial(n))


@triton.jit
def matrix_operator(x, y, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(y, tl.sum(a @ a))  # here


@triton.jit
def torch_keywords(x, y, n, B: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, B)), dim=0))  # here


@triton.jit
def numpy_method(x, y, n, B: tl.constexpr):
    tl.store(y, tl.load(x).astype(tl.float16))  # here


@triton.jit
def python_dtype(x, y, n, B: tl.constexpr):
    tl.store(y, tl.sum(tl.zeros((B,), dtype=float)))  # here


@triton.jit
def while_on_block(x, y, n, B: tl.constexpr):
    i = 0
    while i < tl.load(x + tl.arange(0, B)):  # here
        i += 1
    tl.store(y, i)


@triton.jit
def helper_fails(v, n):
    return v + tl.arange(0, n)  # here


@triton.jit
def calls_failing_helper(x, y, n, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), helper_fails(tl.load(x + tl.arange(0, B)), n))


@triton.jit
def calls_other_file(x, y, n, B: tl.constexpr):
    tl.store(y, elsewhere.outer(tl.load(x)))


@triton.jit
def max_of_two(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    m = tl.full((B,), 0.0, tl.float32)
    tl.store(y + offsets, tl.max(m, tl.load(x + offsets)))  # here


@triton.jit
def min_with_a_number(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    tl.store(y + offsets, tl.min(tl.load(x + offsets), 1.0))  # here


@triton.jit
def dtype_of_pointers(x, y, n, B: tl.constexpr):
    ptrs = x + tl.arange(0, B)
    tl.store(ptrs, tl.load(ptrs).to(ptrs.type.element_ty))  # here


@triton.jit
def converts_pointers(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    v = (x + offsets).to(tl.float32)  # here
    tl.store(y + offsets, v)


@triton.jit
def computes_with_pointers(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    v = tl.max(x + offsets, axis=0)  # here
    tl.store(y + offsets, v)


@triton.jit
def calls_dtype(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    tl.store(y + offsets, tl.float32(tl.load(x + offsets)))  # here


@triton.jit
def dot_trans_b(x, y, n, B: tl.constexpr):
    square = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x + square)
    tl.store(y + square, tl.dot(a, a, trans_b=True))  # here


@triton.jit
def indexes_pointer(x, y, n, B: tl.constexpr):
    tl.store(y, x[n])  # here


@triton.jit
def loads_indexed_pointer(x, y, n, B: tl.constexpr):
    tl.store(y, tl.load(x[n]))  # here


@triton.jit
def reduces_one_number(x, y, n, B: tl.constexpr):
    value = tl.load(x + n)
    tl.store(y, tl.max(value, axis=0))  # here


@triton.jit
def starts_beyond_float32(x, y, n, B: tl.constexpr):
    m = -3.4028235e38  # here
    total = 1.0
    for start in range(0, n, B):
        total = total * tl.exp(m - tl.load(x + start))
    tl.store(y, total)


@triton.jit
def value_of_another_loop(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    for start in range(0, n, B):
        v = tl.load(x + start + offsets)
        tl.store(y + start + offsets, v)
    for start in range(0, n, B):
        tl.store(y + start + offsets, v)  # here


@triton.jit
def value_of_last_turn(x, y, n, B: tl.constexpr):
    for start in range(0, n, B):
        v = tl.load(x + start)
    tl.store(y, v)  # here


@triton.jit
def dot_of_pointers(x, y, n, B: tl.constexpr):
    offsets = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(y + offsets, tl.dot(tl.load(x + offsets), x + offsets))  # here


@triton.jit
def returns_its_result(x, y, n, B: tl.constexpr):
    value = tl.load(x + tl.arange(0, B))
    return value  # here


@triton.jit
def lacks_an_axis(x, y, n, B: tl.constexpr):
    m = tl.arange(0, 16)
    t = tl.load(x + m[:, None] * B + tl.arange(0, B)[None, :])
    d = t - m  # here
    tl.store(y + m, tl.sum(d, axis=1))


@triton.jit
def reduced_along_rows(x, y, n, B: tl.constexpr):
    t = tl.zeros((16, B), tl.float32)
    m = tl.max(t, axis=1)
    d = m + tl.sum(tl.exp(t - m[:, None]), axis=0)  # here
    tl.store(y + tl.arange(0, 16), d)


@triton.jit
def lies_across(x, y, n, B: tl.constexpr):
    m = tl.arange(0, 16)
    t = tl.load(x + m[:, None] * B + tl.arange(0, B)[None, :])
    d = tl.maximum(m[None, :], t)  # here
    tl.store(y + m, tl.sum(d, axis=1))


@triton.jit
def multiplies_matrices(x, y, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])
    b = tl.load(y + tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(y, tl.sum(a * b))  # here


@triton.jit
def half_a_tile(x, y, n, B: tl.constexpr):
    width = B // 2
    tl.store(y + tl.arange(0, width), 0.0)  # here


@triton.jit
def size_in_capitals(x, y, n, B: tl.constexpr, TILE=64):
    tl.store(y + tl.arange(0, TILE), 0.0)  # here
