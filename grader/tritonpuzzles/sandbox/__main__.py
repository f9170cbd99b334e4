"""Confine this process, which does nothing, and print as JSON what holds it: what `report` starts."""

from __future__ import annotations

import json

from tritonpuzzles.sandbox.confine import confine
from tritonpuzzles.sandbox.supervisor import supervise

held = supervise() + confine([])
print(json.dumps({"holds": held.holds, "missing": held.missing}), flush=True)
