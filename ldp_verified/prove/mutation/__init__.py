"""Wrong variants of mechanisms, and which checker rejects each."""
