"""Named families of inputs, each of which catches mistakes that random normal numbers do not show.

A family takes a shape and a generator and returns float64 tensors: one, or those of the whole call. The judge rounds
them to their dtypes and lays them out. A pack's own families need nothing else.
"""

from tritonpuzzles.curriculum.families import products  # noqa: F401 (it registers what it draws)
from tritonpuzzles.curriculum.families.rows import FAMILIES, draws_all

__all__ = ["FAMILIES", "draws_all"]
