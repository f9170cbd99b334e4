#!/usr/bin/env bash
# Grades one submission. What this prints is for instructors alone. Where the grader fails nothing is written, and
# Gradescope says that the autograder failed, without points.
here=${AUTOGRADER:-/autograder}
exec "$here/venv/bin/tritonpuzzles" class report "$here/submission" --for gradescope{{unconfined}} \
    --config "$here/source/class.toml" --to "$here/results/results.json"
