#!/usr/bin/env bash
# PrairieLearn runs this in the container of a submission. Where the grader fails nothing is written.
grade=${GRADE:-/grade}
exec tritonpuzzles class report "$grade/student" --for prairielearn{{unconfined}} \
    --config "$grade/serverFilesCourse/tritonpuzzles/class.toml" --to "$grade/results/results.json"
