"""Class counts for all sizes: the rows of a table against the blocks that they stand for."""
