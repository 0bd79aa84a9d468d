"""`python -m cuebid` is the `cuebid` command."""

import sys

from cuebid.cli import main

sys.exit(main())
