# %% [markdown]
# # 0. Vector add
#
# The story of vector_add, with $m_i \cdot l$ and x[mask].

# %%
def add(x):
    # TODO: write this (about 1 line)
    return None
