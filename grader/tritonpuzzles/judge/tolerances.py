"""How far from the truth a correct kernel may be, per element.

The factors were measured on an H200 over 2,700 softmax and 480 attention runs: no correct kernel was rejected, and the
worst correct one used under half of each limit (attention in float32 included).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from tritonpuzzles.curriculum import references
from tritonpuzzles.judge.drawn import DrawnCase, widened
from tritonpuzzles.wire.drawing import dtype_of

SOFTMAX_RELATIVE = {torch.float32: 64.0, torch.float16: 2.0, torch.bfloat16: 2.0}
ROW_SUM = 128.0  # units of float32: twice the most of one weight. Ordinary kernels are 6 off, long serial sums 100
ROW_ROUNDED = 3.0  # random roundings of a row's 16-bit weights; one that subtracts the maximum in 16 bits has 1.6
SCALED_FIRST = 2.0  # half a unit for the input, half for the maximum, and the same again for room
SCALED_AT_MOST = 0.75  # a row of zeros is never right
SPACED = 2.0**28  # from here on numbers of float32 are 32 and more apart: scaled or not, a weight is 0 or 1
FLOAT32_EPS = 2.0**-23  # a unit in the last place, relative; a rounding is at most half of it
FLOAT16_SUBNORMAL = 2.0**-24
NEARLY_HALFWAY = 0.04  # of a unit in the last place: within it, float32 rounding may decide the direction
EIGHTHS, LARGEST_EXACT = 8, 16.0  # multiples of 1/8 up to here, and their differences, are exact in 8 bits
SUMMED = 64.0
AS_PYTORCH = 4.0
SUMMED_PRODUCTS = 8.0
HELD_EXACTLY = 2.0**24  # whole numbers up to here are exact in float32
HALF_RANGE = 2.0**62  # of int64
BLOCK = 1 << 17  # elements; a mebibyte in float64


@dataclass(frozen=True)
class Tolerance:
    """Limits for one output."""

    relative: float  # and absolute: the largest allowed deviation of an element is relative * |truth| + absolute
    absolute: float
    rms: float | None = None  # the largest allowed root mean square of all deviations; `None` for no such limit
    normalised: bool = False  # whether rows are divided by their sums; then a factor has a known cause
    each: Tensor | None = field(default=None, compare=False)  # further absolute limits, one per element, float64
    sums: Tensor | None = field(default=None, compare=False)  # how far from 1 each row's sum may be, float64

    def limit(self, golden: Tensor, start: int = 0) -> Tensor:
        """Return each element's largest allowed deviation, float64; `golden` may be a flat piece from `start` on."""
        found = golden.double().abs().mul_(self.relative).add_(self.absolute)
        if self.each is not None:
            found += self.each.reshape(-1)[start : start + found.numel()].reshape(found.shape)
        return found


EQUAL = Tolerance(0.0, 0.0)
Rule = Callable[[DrawnCase, int], Tolerance]  # for one output, by its index


def exact(case: DrawnCase, output: int) -> Tolerance:
    """The one rounding to the dtype, as near to the truth as the dtype allows: for a single sum or product.

    A kernel may compute it in float32 and round again at the store: that gives the same number, because float32 has
    more than twice the bits of a 16-bit dtype. Whole numbers and truth values must be equal.
    """
    dtype = dtype_of(case.outputs[output].dtype)
    if not dtype.is_floating_point:
        return EQUAL
    golden = case.golden[output].double()
    return Tolerance(0.0, 0.0, each=(golden.to(dtype).double() - golden).abs_().nan_to_num_(0.0, 0.0, 0.0))


def close(case: DrawnCase, output: int) -> Tolerance:
    """Two roundings of the dtype, and 64 units of float32 at the size of the whole output: for sums in float32.

    If PyTorch's own error in float32 is known, four times that is allowed as well: a difference of equal numbers has
    few correct digits. Whole numbers and truth values must be equal.

    In 8 bits one unit in the last place is what two roundings are apart, two may be half of a number, and one of the
    largest number is many times a small one: there PyTorch's own error is one of these roundings.
    """
    dtype = dtype_of(case.outputs[output].dtype)
    if not dtype.is_floating_point:
        return EQUAL
    info, wide = torch.finfo(dtype), dtype.itemsize > 1
    own = AS_PYTORCH * case.rounding[output] if case.rounding and wide else 0.0
    size = root_mean_square(case.golden[output].nan_to_num(0.0, 0.0, 0.0))
    floor = own + SUMMED * torch.finfo(torch.float32).eps * size
    return Tolerance((2 if wide else 1) * info.eps, floor + info.eps * info.smallest_normal)


def softmax(case: DrawnCase, output: int) -> Tolerance:
    """Relative to each probability, with a floor far below 1 / n_cols, so that no row of zeros can pass.

    A kernel may scale its inputs by log2(e) before it subtracts the maximum. That changes each input by half a unit in
    the last place, and the result by that much times the input. The second term allows for it, up to inputs of 3e6. For
    far larger inputs, whose spacing exceeds the range of exp, such a kernel is exact again.

    In 16 bits two units in the last place leave room for a maximum that is subtracted in 16 bits. Where that is exact,
    only the one known rounding remains: then a sum in 16 bits is detected.

    The sum of a row is as near to 1 as its roundings allow: what changes an input changes a weight, and is divided out.
    Scaled inputs count here, too, because an online kernel may rescale by the difference of unscaled maxima.
    """
    eps, x = torch.finfo(case.dtype).eps, case.inputs[0].tensor()
    if case.dtype is not torch.float32 and bool(((x * EIGHTHS).frac() == 0).all() and (x.abs() <= LARGEST_EXACT).all()):
        golden = case.golden[output]
        return Tolerance(
            NEARLY_HALFWAY * eps, 0.0, normalised=True, each=(golden.to(case.dtype).double() - golden).abs()
        )
    scaled = SCALED_FIRST * FLOAT32_EPS * _largest(x)
    scaled = min(scaled, SCALED_AT_MOST)
    n_cols = max(1, case.shape[-1])
    floor = max(eps / n_cols, FLOAT16_SUBNORMAL if case.dtype is torch.float16 else 0.0)
    sums = _row_sums(case.golden[output], case.dtype, x)
    return Tolerance(SOFTMAX_RELATIVE[case.dtype] * eps + scaled, floor, normalised=True, sums=sums)


def _row_sums(golden: Tensor, dtype: torch.dtype, x: Tensor) -> Tensor:
    """Return how far from 1 the sums of weights may be that are computed in float32 and rounded to a dtype, per row."""
    sizes = torch.nn.functional.pad(x.abs().nan_to_num_(0.0, 0.0, 0.0), (0, 1))  # of an empty row: 0
    largest = sizes.amax(dim=-1).double().to(golden.device)
    scaled = (SCALED_FIRST * largest).clamp_(max=SCALED_AT_MOST / FLOAT32_EPS).masked_fill_(largest >= SPACED, 0.0)
    limit = FLOAT32_EPS * (ROW_SUM + scaled)
    if dtype is not torch.float32:
        rounded = (golden.to(dtype).double().sum(dim=-1) - 1).abs()
        limit += rounded + ROW_ROUNDED * torch.finfo(dtype).eps * golden.square().sum(dim=-1).sqrt()
    return limit


def attention(case: DrawnCase, output: int) -> Tolerance:
    """Multiples of the error of an ordinary correct computation: the maximum and the root mean square.

    Neither alone is enough: the maximum misses a missing key mask in bfloat16, the mean a skipped last block. With few
    keys in float32 that computation is nearly exact, and a correct kernel a few units in the last place off: the floor
    of 4 eps is still far below the error of TF32.
    """
    golden = case.golden[output]
    eps = torch.finfo(case.dtype).eps
    model = references.attention_model(*(layout.tensor() for layout in case.inputs)).double()
    max_factor, rms_factor, floor = (10.0, 10.0, 4.0) if case.dtype is torch.float32 else (3.0, 1.75, 0.25)
    known = torch.isfinite(golden)  # NaN in the truth is compared separately, and says nothing of other elements
    error, size = (model - golden)[known], root_mean_square(golden[known])
    largest = float(error.abs().max()) if error.numel() else 0.0
    return Tolerance(
        relative=0.0,
        absolute=max_factor * largest + max(2.0, floor) * eps * size,
        rms=rms_factor * root_mean_square(error) + floor * eps * size,
        normalised=True,
    )


def matmul(case: DrawnCase, output: int) -> Tolerance:
    """Products summed in float32 in any order, then one rounding to the output's dtype, per element.

    The product of two 16-bit numbers is exact in float32. A sum of k of them, in any order, is off by some sqrt(k)
    roundings of the sum of their magnitudes, |a| |b|. Tensor cores truncate instead of rounding, and add in steps of 16
    and more. Each of these sqrt(k) may be `SUMMED_PRODUCTS` roundings large. The output's rounding adds half a unit in
    the last place, in float16 the larger part up to a thousand products. A sum in 16 bits, or one rounded before the
    activation, is off by two such halves or more.

    If all products and their sums are whole numbers that float32 holds, only the known rounding of the truth is
    allowed. After the slope of the activation, which is not exact in float32, it may round up or down.
    """
    a, b = (layout.tensor().double() for layout in case.inputs[:2])
    sloped = case.values.get("activation") == references.LEAKY_RELU
    return _product(a, b, case.golden[output].to(a.device), dtype_of(case.outputs[output].dtype), sloped)


def dot(case: DrawnCase, output: int) -> Tolerance:
    """As `matmul`, for the product of two matrices that may be transposed, and for its gradients: products too."""
    tensors, wanted = case.tensors, case.outputs[output]
    against = case.against[output // len(case.wanted)] if wanted.of else case.against[0]
    a, b, g = (tensors[name].tensor().double() for name in ("a", "b", against))
    turned_a, turned_b = (bool(case.values[name]) for name in ("transpose_a", "transpose_b"))
    left, right = references.dot_factors(a, b, g, turned_a, turned_b, wanted.of)
    return _product(left, right, case.golden[output], dtype_of(wanted.dtype))


RULES: dict[str, Rule] = {  # by the names that records use
    "exact": exact,
    "close": close,
    "softmax": softmax,
    "attention": attention,
    "matmul": matmul,
    "dot": dot,
}


def _product(a: Tensor, b: Tensor, golden: Tensor, dtype: torch.dtype, sloped: bool = False) -> Tolerance:
    """Return how far a b, summed in float32, may be from the truth; see `matmul`."""
    info = torch.finfo(dtype)
    sizes = _finite_sizes(a) @ _finite_sizes(b)
    exact = bool((a == a.round()).all() and (b == b.round()).all() and (sizes <= HELD_EXACTLY).all())
    each = sizes.mul_(0.0 if exact else SUMMED_PRODUCTS * FLOAT32_EPS / 2 * a.shape[1] ** 0.5)
    below = golden < 0 if sloped else torch.zeros(1, dtype=torch.bool, device=golden.device)
    if sloped:
        each = torch.where(below & (golden < -references.SLOPE * each), references.SLOPE * each, each)
    known = (golden.to(dtype).double() - golden).abs_() if exact else 0.0  # the one rounding
    if exact and not sloped:
        each += known
    else:
        half = golden.abs().mul_(info.eps / 2 + 2 * FLOAT32_EPS).add_(info.eps * info.smallest_normal / 2)
        each += torch.where(below, half, known) if exact else half
    return Tolerance(0.0, 0.0, each=each.nan_to_num_(0.0, 0.0, 0.0).cpu())


def _finite_sizes(values: Tensor) -> Tensor:
    """Return |values|, 0 where they are not finite."""
    return values.abs().nan_to_num_(0.0, 0.0, 0.0)


def _largest(values: Tensor) -> float:
    """Return the largest finite magnitude, 0 where there is none."""
    finite = values[torch.isfinite(values)]
    return float(finite.abs().max()) if finite.numel() else 0.0


def root_mean_square(values: Tensor) -> float:
    """Return sqrt(mean(values^2)), 0 for an empty tensor."""
    return float(values.double().square().mean().sqrt()) if values.numel() else 0.0


@dataclass(frozen=True)
class Deviation:
    """How far a whole output is from the truth."""

    wrong: int  # number of elements over their limit
    worst: int  # flat index of the element with the largest ratio of error to limit
    error: float  # and limit: the error of that element, and what is allowed there
    limit: float
    rms: float  # root mean square of all distances


def deviation(given: Tensor, golden: Tensor, tolerance: Tolerance) -> Deviation:
    """Measure an output of any dtype, with at least one element.

    The truth is widened and has the same shape. Where it is NaN or infinite, the output must be the same.
    """
    flat, truth = given.reshape(-1), golden.reshape(-1)
    wrong, squares, worst, farthest, at = 0, 0.0, 0, -1.0, (0.0, 0.0)
    for start in range(0, truth.numel(), BLOCK):
        error, limit = _distance(flat[start : start + BLOCK], truth[start : start + BLOCK], tolerance, start)
        wrong += error.numel() - int((error <= limit).sum())
        squares += float(error.square().sum())
        ratio, index = (error / limit).nan_to_num_(torch.inf, torch.inf).max(dim=0)
        if float(ratio) > farthest:
            farthest, worst = float(ratio), start + int(index)
            at = float(error[index]), float(limit[index])
    return Deviation(wrong, worst, *at, (squares / truth.numel()) ** 0.5)


def wrong_elements(given: Tensor, golden: Tensor, tolerance: Tolerance) -> Tensor:
    """Return the mask of elements over their limit; if there are none, those over the rms or in rows of a wrong sum."""
    error, limit = _distance(given, golden, tolerance)
    wrong = ~(error <= limit)
    if bool(wrong.any()):
        return wrong
    if tolerance.rms is not None and error.square().mean().sqrt() > tolerance.rms:
        return error > tolerance.rms
    if tolerance.sums is not None:
        wrong |= (row_sums_off(given) > tolerance.sums).unsqueeze(-1)
    return wrong


def row_sums_off(given: Tensor) -> Tensor:
    """Return how far the sum of each row is from 1, float64; NaN where a row has NaN or infinities."""
    return (given.double().sum(dim=-1) - 1).abs()


def difference(values: Tensor, golden: Tensor) -> Tensor:
    """Return |values - golden| in float64; exact for whole numbers of any size."""
    values = widened(values)
    error = (values.double() - golden.double()).abs_()
    if values.dtype.is_floating_point or golden.dtype.is_floating_point:
        return error
    return torch.where(error < HALF_RANGE, (values - golden).abs().double(), error)  # larger ones may wrap in int64


def _distance(values: Tensor, golden: Tensor, tolerance: Tolerance, start: int = 0) -> tuple[Tensor, Tensor]:
    """Return distances and limits of a piece; where the truth is not finite, the distance is 0 if equal, else NaN."""
    limit = tolerance.limit(golden, start).clamp_min_(torch.finfo(torch.float64).tiny)
    error = difference(values, golden)
    held = golden.to(values.dtype) if values.dtype.is_floating_point else golden
    special = ~torch.isfinite(held)
    if bool(special.any()):
        same = torch.where(torch.isnan(held), torch.isnan(values), values == held)
        error = torch.where(special, torch.where(same, 0.0, torch.nan), error)
        limit = torch.where(special, 1.0, limit)
    return error, limit
