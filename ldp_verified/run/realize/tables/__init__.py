"""Tables of cells, as claimed and as integer thresholds, with the error between them."""
