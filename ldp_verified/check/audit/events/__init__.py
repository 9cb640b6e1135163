"""Events: sets of outputs that tell two inputs apart, searched and written down."""
