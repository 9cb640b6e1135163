"""What a stranger would add: patches that are applied to a copy of the tree, counted and run."""
