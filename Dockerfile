# What a check needs, for systems that Triton has no build for: docs/elsewhere.md says how to use it.
FROM python:3.12-slim

# Triton has a C compiler build what launches a kernel on a GPU; without one it needs none.
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*

# What pip picks brings gigabytes of CUDA; docs/elsewhere.md says how PyTorch's build for the CPU takes its place.
ARG TORCH=torch
RUN pip install --no-cache-dir $TORCH

COPY . /src
RUN pip install --no-cache-dir /src

# Where the folder with puzzles/ is mounted.
WORKDIR /course
CMD ["bash"]
