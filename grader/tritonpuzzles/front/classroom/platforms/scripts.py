"""What each platform runs, as text. `kits` fills in what stands in `{{...}}`.

`AUTOGRADER` and `GRADE` stand for the folders that Gradescope and PrairieLearn use, where a script is tried elsewhere.
"""

from __future__ import annotations

GRADESCOPE_SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image.
set -euo pipefail
here=${AUTOGRADER:-/autograder}
python3 -c 'import ensurepip' || (apt-get update && apt-get install -y --no-install-recommends python3-venv)
python3 -m venv "$here/venv"
"$here/venv/bin/pip" install --no-cache-dir --find-links "$here/source/wheels" {{torch}}
"$here/venv/bin/pip" install --no-cache-dir --find-links "$here/source/wheels" tritonpuzzles=={{version}}
"""

GRADESCOPE_RUN = """\
#!/usr/bin/env bash
# Grades one submission. What this prints is for instructors alone. Where the grader fails nothing is written, and
# Gradescope says that the autograder failed, without points.
here=${AUTOGRADER:-/autograder}
exec "$here/venv/bin/tritonpuzzles" class report "$here/submission" --for gradescope{{unconfined}} \\
    --config "$here/source/class.toml" --to "$here/results/results.json"
"""

GITHUB = """\
# The name of the workflow and that of its one job are as the reporter asks for.
name: Autograding Tests
on: [push, workflow_dispatch]
permissions:
  actions: read
  checks: write
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Install the grader
        run: |
          sudo "$(which python)" -m venv /opt/tritonpuzzles
          sudo /opt/tritonpuzzles/bin/pip install --find-links .github/classroom/wheels {{torch}}
          sudo /opt/tritonpuzzles/bin/pip install --find-links .github/classroom/wheels tritonpuzzles=={{version}}
      - name: Grade, as root, so that each file is run by a user of its own
        id: tritonpuzzles
        working-directory: /
        run: |
          result=$(sudo /opt/tritonpuzzles/bin/tritonpuzzles class report "$GITHUB_WORKSPACE" \\
              --for github{{unconfined}} --config "$GITHUB_WORKSPACE/.github/classroom/class.toml")
          echo "result=$result" >> "$GITHUB_OUTPUT"
          until=$(openssl rand -hex 16) # what a student's file makes the report say is no command to the runner
          echo "::stop-commands::$until"
          base64 -d <<< "$result" | jq -r '.tests[] | .name, .message, ""'
          echo "::$until::"
      - name: Autograding Reporter
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
          TRITONPUZZLES_RESULTS: ${{ steps.tritonpuzzles.outputs.result }}
        with:
          runners: tritonpuzzles
"""

AUTOLAB_MAKEFILE = """\
# Autolab runs `make` in a folder with this file, autograde.tar and the hand-in: handin.py, handin.ipynb or handin.zip.
all:
\t@tar xf autograde.tar
\t@mkdir -p handin
\t@mv handin.* handin/
\t@./driver.sh
"""

AUTOLAB_DRIVER = """\
#!/usr/bin/env bash
# The last line is what Autolab reads. Without one it gives a zero, so where the grader fails the scores are null.
tritonpuzzles class report handin --for autolab --config class.toml{{unconfined}} || echo '{{nulls}}'
"""

PRAIRIELEARN_RUN = """\
#!/usr/bin/env bash
# PrairieLearn runs this in the container of a submission. Where the grader fails nothing is written.
grade=${GRADE:-/grade}
exec tritonpuzzles class report "$grade/student" --for prairielearn{{unconfined}} \\
    --config "$grade/serverFilesCourse/tritonpuzzles/class.toml" --to "$grade/results/results.json"
"""

PRAIRIELEARN_IMAGE = """\
# The container of a submission has no network, so the grader is in its image.
FROM python:3.12-slim
COPY . /wheels
RUN pip install --no-cache-dir --find-links /wheels {{torch}} \\
    && pip install --no-cache-dir --find-links /wheels tritonpuzzles=={{version}}
"""

PRAIRIELEARN_QUESTION = """\
<pl-question-panel>
  <p>Hand in your files.</p>
  <pl-file-upload file-names="{{files}}"></pl-file-upload>
</pl-question-panel>
<pl-submission-panel>
  <pl-external-grader-results></pl-external-grader-results>
  <pl-file-preview></pl-file-preview>
</pl-submission-panel>
"""

OTTER = '''\
"""Reads the score of puzzle {{number}}. A fault of the grader ends the test with its sentence, not with a verdict."""

OK_FORMAT = True

test = {
    "name": "q{{number}}",
    "points": {{points}},
    "suites": [
        {
            "type": "doctest",
            "scored": True,
            "setup": "",
            "teardown": "",
            "cases": [
                {
                    "code": ">>> import tritonpuzzles\\n"
                    ">>> tritonpuzzles.check({{number}}).score(points={{points}})\\n{{points}}",
                    "hidden": False,
                    "locked": False,
                }
            ],
        }
    ],
}
'''
