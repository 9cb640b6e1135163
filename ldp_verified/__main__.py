"""`python -m ldp_verified` is `ldp-verified`."""

import contextlib
import sys

from ldp_verified.extras import MissingPackageError


def main() -> None:
    """Run the command line; without its packages, say in one line how to install them."""
    try:
        from ldp_verified.app.cli import main as run
    except MissingPackageError as error:
        # Without a stderr that can be written to, the exit code alone says it: 1 is "refuted".
        with contextlib.suppress(AttributeError, OSError, ValueError):
            sys.stderr.write(f"ldp-verified: {error}\n")
        sys.exit(2)
    run()


if __name__ == "__main__":
    main()
