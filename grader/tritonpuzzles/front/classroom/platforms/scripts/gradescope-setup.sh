#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image.
set -euo pipefail
here=${AUTOGRADER:-/autograder}
python3 -c 'import ensurepip' || (apt-get update && apt-get install -y --no-install-recommends python3-venv)
python3 -m venv "$here/venv"
"$here/venv/bin/pip" install --no-cache-dir --find-links "$here/source/wheels" {{torch}}
"$here/venv/bin/pip" install --no-cache-dir --find-links "$here/source/wheels" tritonpuzzles=={{version}}
