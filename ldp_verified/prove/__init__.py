"""Claims become obligations, and independent checkers decide them."""
