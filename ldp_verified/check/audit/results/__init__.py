"""Results of an audit, its plan beforehand, and findings on file."""
