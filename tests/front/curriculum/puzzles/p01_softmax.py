# %% [markdown]
# # 1. Softmax
#
# The story of softmax, with $m_i \cdot l$ and x[mask].

# %%
def softmax(x):
    # TODO: write this (about 1 line)
    return None
