"""`python -m fivefold`: the command `fivefold`."""

import sys

from ._cli import main

sys.exit(main())
