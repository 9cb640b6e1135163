"""The long form: `python -m tests.campaign [SEED]`."""

from __future__ import annotations

import secrets
import sys

from tests.campaign.whole import LONG, parts


def main() -> int:
    """Run all parts; 1 if anything was accepted, lost, leaked or foreign."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else secrets.randbits(64)
    sys.stdout.write(f"seed {seed}\n")
    failed = False
    for outcome in parts(seed, LONG):
        failed |= bool(outcome.failures)
        sys.stdout.write("\n  ".join([outcome.line(), *outcome.shown]) + "\n")
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
