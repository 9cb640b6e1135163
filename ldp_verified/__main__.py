"""`python -m ldp_verified` is `ldp-verified`."""

from ldp_verified.cli import main

if __name__ == "__main__":
    main()
