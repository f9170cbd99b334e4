"""Triton's messages and what they mean to a learner: cause and next step.

`{0}`, `{1}` stand for the groups of the pattern, `{0:type}` for a type in words. Patterns are searched in order.
What needs a look at the source is in `explain.py`.
"""

from __future__ import annotations

from tritonpuzzles.results.words import ANY_STRIDES

TILE_ASKED = "Boolean value of Tensor with more than one value is ambiguous"
ONE_TRUTH = "a condition asks a whole tile for one truth value"

PHRASES: tuple[tuple[str, str, str], ...] = (
    (
        r"f-string containing non-constexpr",
        "an f-string cannot hold a run-time value in a kernel",
        'Use tl.device_print("n", n) to look at a value.',
    ),
    (r"JoinedStr", "a kernel cannot build an f-string", 'Use tl.device_print("n", n) to look at a value.'),
    (
        r"^'tuple' object has no attribute '?(\w+)|^'(append|extend|insert|pop|remove|sort)' is not in list",
        "a list in a kernel cannot be changed ({0})",
        "Use a tile (tl.zeros) or one variable for each element.",
    ),
    (
        r"only tuple comprehensions are supported",
        "a kernel cannot build a list from a comprehension",
        "Use a tile made with tl.arange, or a tl.static_range loop.",
    ),
    (
        r"used as tl\.static_range \w+ value is not a constexpr",
        "tl.static_range is unrolled by the compiler, and its bound is known only at run time",
        "Use range(...), or make the bound a tl.constexpr parameter.",
    ),
    (
        r"Mismatched type for (\w+) between then block \((.+)\) and else block \((.+)\)",
        "{0} is {1:type} after the `if` and {2:type} after the `else`",
        "Give both the same shape and dtype, with tl.zeros, tl.full or .to(dtype).",
    ),
    (
        r"initial value for `(\w+)` is of type (.+), but the (?:then|else) block redefines it as (.+)$",
        "{0} is {1:type} before the `if` and {2:type} in it",
        "Give both the same shape and dtype, with tl.zeros, tl.full or .to(dtype).",
    ),
    (
        r"^(?:Return type mismatch|Inconsistent return types):? (.+?) and ([^.]+)",
        "one `return` gives {0:type} and another {1:type}",
        "Return the same shape and dtype everywhere.",
    ),
    (
        r"Ternary expression with dynamic condition has inconsistent types (.+) and (.+)$",
        "the two sides of `a if condition else b` are {0:type} and {1:type}",
        "Use tl.where(condition, a, b).",
    ),
    (
        TILE_ASKED,
        ONE_TRUTH,
        "Compute both values and choose with tl.where(condition, a, b); a load or a store takes it as mask=condition.",
    ),
    (
        r"Input shapes should have M >= \d+, N >= \d+ and K >= (\d+)",
        "tl.dot needs an inner dimension K of at least {0} for this dtype",
        "Give both tiles at least {0} elements along it; mask what lies beyond the matrix with other=0.0.",
    ),
    (
        r"Both operands must be same dtype\. Got (\S+) and (\S+)",
        "the operands of tl.dot are {0:dtype} and {1:dtype}",
        "Convert one of them to the dtype of the other: x.to(y.dtype).",
    ),
    (
        r"equal reduction dimensions|are not compatible for matmul",
        "the inner dimensions of tl.dot(a, b) differ: a must be (M, K) and b (K, N)",
        "Load b transposed, or use tl.trans(b).",
    ),
    (
        r"dot operands must be block tensors",
        "tl.dot gets a scalar where it needs a two-dimensional tile",
        "For vectors use tl.sum(a * b, axis=0).",
    ),
    (
        r"Both inputs must be either 2D or 3D",
        "tl.dot needs two tiles of two dimensions",
        "Give a vector a second axis with [:, None]; each size must be at least 16.",
    ),
    (
        r"expected accumulator (shape|dtype) (.+), got ([^;]+)",
        "the accumulator of tl.dot has {0} {2} where {1} is needed",
        "Start it with tl.zeros((BLOCK_M, BLOCK_N), tl.float32).",
    ),
    (
        r"arange's range must be a power of 2|Shape element \d+ must be a power of 2",
        "the size of a tile must be a power of two",
        "Take triton.next_power_of_2(n) in the host function, and mask the rest.",
    ),
    (
        r"arange's arguments must be of type|Shape element \d+ must have type `constexpr",
        "both bounds of tl.arange must be known when the kernel is compiled, and here one is a run-time value",
        "End it at a parameter BLOCK_SIZE: tl.constexpr, tl.arange(0, BLOCK_SIZE), and mask what lies past the size.",
    ),
    (
        r"arange's end argument must be greater than the start",
        "tl.arange(start, end) is empty: its end is not greater than its start",
        "Both count elements: tl.arange(0, BLOCK_SIZE).",
    ),
    (
        r"numel \((\d+)\) exceeds triton maximum tensor numel \((\d+)\)",
        "a tile of {0:number} elements is more than Triton allows ({1:number})",
        "Work through the data in a loop of smaller tiles.",
    ),
    (
        r"incompatible dimensions at index (\d+): (\d+) and (\d+)",
        "tiles with {1} and {2} elements along axis {0} meet in one operation",
        "Give both the same size, or size 1 with [:, None] or [None, :].",
    ),
    (
        r"Cannot broadcast, rank mismatch",
        "tiles with different numbers of axes meet in one operation",
        "Add the missing axis with [:, None] or [None, :].",
    ),
    (
        r"Simultaneous multiple assignment is not supported",
        "`a = b = c` gives one value to several names, and a kernel cannot",
        "Write an assignment for each name, or one of pairs: a, b = c, c.",
    ),
    (
        r"^__setitem__ is not supported",
        "an element of a tile cannot be assigned",
        "Make a new tile with tl.where(condition, value, tile).",
    ),
    (
        r"unsupported tensor index",
        "a tile or pointer cannot be indexed for an element; only [:, None] and [None, :] exist",
        "Load what you need with tl.load(x_ptr + offset), or reduce the tile with tl.sum and tl.where.",
    ),
    (r"cannot add pointers together", "two addresses are added", "Load first, then add: tl.load(x_ptr + offsets)."),
    (
        r"^(Value|Mask|Other) argument cannot be block type if pointer argument is not a block",
        "a tile of values meets a single address ({0} is a tile, the pointer is not)",
        "Add a tile of offsets to the pointer, or reduce the value to a scalar.",
    ),
    (
        r"Unsupported ptr type (.+) in `(tl\.\w+)`",
        "{1} needs a pointer and gets {0:type}",
        "Start from a tensor argument: x_ptr + offsets.",
    ),
    (
        r"`other` cannot be provided without `mask`",
        "tl.load is given `other` and no `mask`",
        "Give the mask too: tl.load(ptrs, mask=mask, other=0.0).",
    ),
    (
        r"(?:invalid axis|reduction axis|scan axis) ?0\b",
        "what is reduced is a single number, not a tile",
        "Make its offsets with tl.arange: a load then gives a tile.",
    ),
    (
        r"Unsupported (?:lhs|rhs) dtype (?:triton\.language\.)?pointer",
        "an operand of tl.dot is a tile of pointers",
        "Load it first: k = tl.load(k_ptrs, mask=mask, other=0.0).",
    ),
    (
        r"(?:invalid axis|reduction axis|scan axis) ?(-?\d+)?",
        "the tile has no axis {0}",
        "Count axes from 0; a one-dimensional tile has only axis 0.",
    ),
    (
        r"Cannot have `return` statements inside `(?:while|for)`",
        "`return` cannot leave a loop in a kernel",
        "Put the condition into a `while`, or mask what is not wanted.",
    ),
    (
        r"^(?:\w+\(\) )?got an unexpected keyword argument '(?:dim|keepdims?)'",
        "a reduction takes `axis` and `keep_dims`, not PyTorch's `dim` and `keepdim`, nor NumPy's `keepdims`",
        "Write axis=0, or another axis, and keep_dims=True where the axis is to stay, with one element.",
    ),
    (
        r"got an unexpected keyword argument '(trans_[ab])'",
        "tl.dot has no argument {0}",
        "Transpose before: tl.dot(a, tl.trans(b)), or tl.dot(tl.trans(a), b).",
    ),
    (
        r"^(maximum|minimum)\(\) got an unexpected keyword argument 'axis'",
        "tl.{0} takes the larger or smaller of two values, element by element, and no axis",
        "Along an axis reduce tl.max(x, axis=0) and tl.min(x, axis=0).",
    ),
    (
        r"^(\w+)\(\) got an unexpected keyword argument '(\w+)'",
        "{0} has no argument `{1}`",
        "Check the spelling; tl.load takes mask and other, tl.store takes mask.",
    ),
    (
        r"^got an unexpected keyword argument '(\w+)'",
        "what is called here has no argument `{0}`",
        "Check the spelling.",
    ),
    (
        r"^full\(\) missing 1 required positional argument: 'dtype'",
        "tl.full is called without a dtype",
        "Write tl.full(shape, value, tl.float32).",
    ),
    (
        r"^(\w+)\(\) missing \d+ required \S+ arguments?: (.+)$",
        "{0} is called without {1}",
        "Give every argument.",
    ),
    (
        r"Block pointers have been removed",
        "tl.make_block_ptr does not exist in this version of Triton",
        ANY_STRIDES,
    ),
    (
        r"of a tensor descriptor must be",
        "a tensor descriptor takes rows that begin at multiples of 16 bytes, each in one piece",
        ANY_STRIDES,
    ),
    (
        r"simultaneous multiple comparison",
        "a chained comparison (0 <= i < n) does not work in a kernel",
        "Write (0 <= i) & (i < n).",
    ),
    (
        r"AST comparison operator '(?:Not)?In'|^'(?:Not)?In' object has no attribute",
        "a kernel cannot test with `in`",
        "Write the comparisons out: (n == 1) | (n == 2).",
    ),
    (
        r"cannot unpack non-iterable value|^'tensor' object has no attribute 'values'",
        "one value cannot be unpacked into several names",
        "Assign it to one name; tl.split gives two halves of a tile.",
    ),
    (
        r"^(float|int)\(\) argument must be",
        "{0}() cannot convert a run-time value in a kernel",
        "Use x.to(tl.float32) or another dtype.",
    ),
    (
        r"^object of type 'tensor' has no len",
        "len() of a run-time value is not known to the compiler",
        "Pass the size as a parameter.",
    ),
    (
        r"^'\w+' object has no attribute 'func'",
        "a loop in a kernel runs over range, tl.range or tl.static_range, and nothing else",
        "Use range(...), or write the iterations out.",
    ),
    (
        r"^(?:min|max) requires at least 2 values",
        "Python's min and max compare several values; they do not reduce a tile",
        "Use tl.max(x, axis=0) or tl.min(x, axis=0).",
    ),
    (
        r"Did you forget to add @triton\.jit",
        "a function of Triton is called from ordinary Python",
        "Decorate the function that calls it with @triton.jit.",
    ),
    (
        r"^Expected dtype \['fp32'.* but got (?!pointer)(\w+)"
        r"|^\((?:triton\.language\.)?(b?float16)\b",  # all that libdevice says
        "a function that takes float32 gets {0:dtype}",
        "Convert with .to(tl.float32), right after tl.load where it was loaded.",
    ),
    (
        r"type (fp8\w+) not supported in this architecture",
        "{0} does not exist on this GPU",
        "Use float16 or bfloat16 here.",
    ),
    (
        r"binary operator 'MatMult'|^'MatMult' object",
        "`@` does not multiply tiles in a kernel",
        "Use tl.dot(a, b).",
    ),
    (
        r"^'tensor' object has no attribute '(astype|type|half|float|bfloat16)'",
        "a value in a kernel has no `{0}`",
        "Convert it with .to(tl.float32) or another dtype.",
    ),
    (
        r"^'pointer_type' object has no attribute '(primitive_bitwidth|is_\w+|fp_mantissa_width)'"
        r"|^Expected dtype .+ but got pointer",
        "addresses are computed with as if they were numbers: nothing has been loaded from them",
        "Load what lies there first: x = tl.load(pointers, mask=...).",
    ),
    (
        r"^'tensor' object has no attribute '(\w+)'",
        "a value in a kernel has no `{0}`",
        "Use a function of tl.",
    ),
    (
        r"'scf\.condition' op operand",
        "the condition of a `while` is a tile, and must be one truth value",
        "Reduce it with tl.max or tl.sum.",
    ),
    (
        r"^cannot cast (.*pointer<.+) to (?!.*pointer).+$",
        "what is converted to numbers is {0:type}: addresses, which nothing has loaded from",
        "Load what lies there first: x = tl.load(pointers, mask=...).",
    ),
    (
        r"^cannot cast (.+) to (<\[[^\]]*\], pointer<.+|pointer<.+)$",
        "{0:type} is converted to {1:type}: that is the dtype of addresses, and not of what lies there",
        "Convert with .to(x_ptr.dtype.element_ty), where x_ptr is the argument; tl.store converts by itself.",
    ),
    (
        r"'dtype' object is not callable",
        "a dtype is called like a function",
        "Convert with .to: x.to(tl.float32).",
    ),
    (
        r"`mask` and `other` arguments cannot be specified for loading block pointers",
        "a block pointer is loaded with `mask` or `other`, which are for tiles of pointers",
        'Pass boundary_check=(0, 1), the axes to check, and padding_option="zero" in their place.',
    ),
    (
        r"`mask` argument cannot be specified for storing block pointers",
        "a block pointer is stored with `mask`, which is for tiles of pointers",
        "Pass boundary_check=(0, 1), the axes to check, in its place.",
    ),
    (
        r"cannot convert None of type",
        "None stands where a number or a tile is needed",
        "Give it a value.",
    ),
    (
        r"Expected pointer argument to have shape (.+) but got (.+)$",
        "the pointers, the value and the mask of tl.store have different shapes",
        "Build all of them from the same offsets.",
    ),
    (
        r"^type object '(float|int|bool)' has no attribute",
        "Python's {0} is no dtype of a kernel",
        "Use tl.float32, tl.int32 or tl.int1.",
    ),
    (
        r"wrong type argument to unary|Cannot use .* because they have different signedness",
        "an operator gets values of a kind that it is not made for",
        "Convert them with .to(dtype).",
    ),
)
