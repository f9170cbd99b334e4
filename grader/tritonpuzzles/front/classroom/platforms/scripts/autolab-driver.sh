#!/usr/bin/env bash
# The last line is what Autolab reads. Without one it gives a zero, so where the grader fails the scores are null.
tritonpuzzles class report handin --for autolab --config class.toml{{unconfined}} || echo '{{nulls}}'
