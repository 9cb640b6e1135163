"""`python -m ldp_verified.recheck`: write the transcript of the catalogue."""

from ldp_verified.recheck.transcribing import main

if __name__ == "__main__":
    main()
