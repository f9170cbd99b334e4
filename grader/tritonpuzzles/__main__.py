"""`python -m tritonpuzzles`."""

import sys

from tritonpuzzles.front.cli import main

sys.exit(main())
