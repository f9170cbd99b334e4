"""What stands in machine code: once, and in each innermost loop."""

import pytest

from tritonpuzzles.compiler.machine import read_code

SASS = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;                 /* 0x00000a00ff017b82 */
        /*0010*/              @!P1 LDG.E.128 R8, desc[UR12][R26.64+0x10] ; /* 0x0010000c1a089981 */
        /*0020*/                   HFMA2.MMA R25, -RZ, RZ, 0, 0 ;         /* 0x00000000ff197435 */
        /*0030*/                   IADD3 R3, R2, 0x1, RZ ;                /* 0x0000000102037810 */
        /*0040*/                   LDG.E R4, desc[UR12][R2.64] ;          /* 0x0000000c02047981 */
        /*0050*/                   MUFU.EX2 R5, R4 ;                      /* 0x0000000400057308 */
        /*0060*/                   SHFL.BFLY PT, R6, R5, 0x10, 0x1f ;     /* 0x0e001f0005067f89 */
        /*0070*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;          /* 0x0000000000007b1d */
        /*0080*/                   STL [R1], R6 ;                         /* 0x0000000601007387 */
        /*0090*/              @!P0 BRA 0x40 ;                             /* 0xfffffff000a89947 */
        /*00a0*/                   HMMA.16816.F32 R4, R8, R10, R4 ;       /* 0x0000000a0804723c */
        /*00b0*/                   STG.E.U16 desc[UR12][R2.64], R4 ;      /* 0x0000000402007986 */
        /*00c0*/              @P2 BRA 0x30 ;                              /* 0xfffffff0006c2947 */
        /*00d0*/                   EXIT ;                                 /* 0x000000000000794d */
        /*00e0*/                   NOP;                                   /* 0x0000000000007918 */
"""


def test_an_innermost_loop_is_what_a_branch_backwards_leads_to() -> None:
    code = read_code(SASS)
    (loop,) = code.loops  # the outer one holds it
    assert (loop.instructions, loop.load_bytes, loop.loads) == (6, 4, 1)
    assert (loop.special, loop.shuffles, loop.barriers, loop.local_bytes) == (1, 1, 1, 4)
    assert not loop.ahead


def test_what_stands_around_it_is_done_once() -> None:
    once = read_code(SASS).once
    assert (once.load_bytes, once.store_bytes, once.stores) == (16, 2, 1)
    assert once.tensor_operations == once.tensor_time == 2 * 16 * 8 * 16  # HFMA2.MMA makes a constant
    assert once.instructions == 8  # no padding


def test_a_copy_to_shared_memory_goes_ahead() -> None:
    text = SASS.replace("LDG.E R4, desc[UR12][R2.64]", "LDGSTS.E.BYPASS.128 [R5], [R2.64]")
    (loop,) = read_code(text).loops
    assert loop.ahead
    assert loop.load_bytes == 16


@pytest.mark.parametrize(
    ("mnemonic", "operations", "time", "queued"),
    [
        ("HMMA.1688.F32.TF32", 2 * 16 * 8 * 8, 2 * 2 * 16 * 8 * 8, False),
        ("HMMA.884.F32.F32.STEP0", 2 * 8 * 8 * 4, 2 * 8 * 8 * 4, False),
        ("HGMMA.64x128x16.F32", 2 * 64 * 128 * 16 // 4, 2 * 64 * 128 * 16 // 4, True),
        ("QGMMA.64x64x32.F32.E4M3.E4M3", 2 * 64 * 64 * 32 // 4, 2 * 64 * 64 * 32 // 8, True),
    ],
)
def test_a_product_says_how_much_it_multiplies(mnemonic: str, operations: int, time: int, queued: bool) -> None:
    once = read_code(SASS.replace("HMMA.16816.F32", mnemonic)).once
    assert (once.tensor_operations, once.tensor_time, once.queued) == (operations, time, queued)


FLATTENED = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;                 /* 0x00000a00ff017b82 */
        /*0010*/              @P0 BRA 0x40 ;                              /* 0x0000000000000947 */
        /*0020*/                   IADD3 R3, R2, 0x1, RZ ;                /* 0x0000000102037810 */
        /*0030*/                   IADD3 R4, R3, 0x1, RZ ;                /* 0x0000000103047810 */
        /*0040*/                   HMMA.16816.F32 R4, R8, R10, R4 ;       /* 0x0000000a0804723c */
        /*0050*/              @P1 BRA 0x80 ;                              /* 0x0000000000000947 */
        /*0060*/                   STG.E.128 desc[UR12][R2.64], R4 ;      /* 0x0000000402007986 */
        /*0070*/                   STS [R1], R6 ;                         /* 0x0000000601007388 */
        /*0080*/              @P2 BRA 0x10 ;                              /* 0xfffffff0006c2947 */
        /*0090*/                   EXIT ;                                 /* 0x000000000000794d */
"""


def test_stores_that_a_loop_of_products_skips_are_done_once() -> None:
    code = read_code(FLATTENED)
    (loop,) = code.loops
    assert (loop.instructions, loop.stores, loop.shared) == (6, 0, 0)  # what else is skipped stays
    assert (code.once.instructions, code.once.stores, code.once.shared) == (4, 1, 1)


@pytest.mark.parametrize(("found", "instead"), [("HMMA.16816.F32", "FADD"), ("@P1 BRA 0x80", "@P1 NOP")])
def test_a_loop_that_always_stores_or_multiplies_nothing_is_whole(found: str, instead: str) -> None:
    (loop,) = read_code(FLATTENED.replace(found, instead)).loops
    assert loop.stores == 1


def test_stores_around_a_product_are_not_skipped_alone() -> None:
    (loop,) = read_code(FLATTENED.replace("@P0 BRA 0x40", "@P0 BRA 0x70").replace("@P1 BRA 0x80", "@P1 NOP")).loops
    assert loop.stores == 1
