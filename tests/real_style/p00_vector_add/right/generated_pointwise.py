"""As a compiler of graphs writes it: flat index, size hints as heuristics, names by number."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"XBLOCK": lambda args: min(triton.next_power_of_2(args["xnumel"]), 1024)})
@triton.jit
def triton_poi_fused_add_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0).to(tl.int64) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tmp0 + tmp1
    tl.store(out_ptr0 + (x0), tmp2, xmask)


def call(args):
    arg0_1, arg1_1 = args
    args.clear()
    buf0 = torch.empty_strided(arg0_1.shape, (1,), device=arg0_1.device, dtype=arg0_1.dtype)
    xnumel = arg0_1.shape[0]
    if xnumel:
        grid = lambda meta: (triton.cdiv(xnumel, meta["XBLOCK"]),)  # noqa: E731
        triton_poi_fused_add_0[grid](arg0_1, arg1_1, buf0, xnumel)
    return (buf0,)


def add(x, y):
    return call([x, y])[0]
