"""From the pair tables to closed forms. Untrusted: it proposes, `prove` checks."""
