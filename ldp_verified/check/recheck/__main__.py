"""`python -m ldp_verified.check.recheck`: write the transcript of the catalogue."""

from ldp_verified.check.recheck.transcribing import main

if __name__ == "__main__":
    main()
