"""`--as`: the mechanism that an auditor names, its best event and its exact power."""
