"""`python -m ldp_verified` is `ldp-verified`."""

import contextlib
import sys

from ldp_verified.app.interrupts import interrupted, listen
from ldp_verified.extras import MissingPackageError


def main() -> None:
    """Run the command line; without its packages, say in one line how to install them.

    Ctrl-C ends it with 130 and without a word, while its modules are being loaded too.
    """
    listen()
    try:
        from ldp_verified.app.cli import main as run

        run()
    except SystemExit:
        raise
    except BaseException as error:
        if interrupted(error):
            sys.exit(130)
        if not isinstance(error, MissingPackageError):
            raise
        # Without a stderr that can be written to, the exit code alone says it: 1 is "refuted".
        with contextlib.suppress(AttributeError, OSError, ValueError):
            sys.stderr.write(f"ldp-verified: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
