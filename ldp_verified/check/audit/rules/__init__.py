"""The named checks, LDP001 and on: what each looks for and how it is decided."""
