"""Files that were written once, by the release of their folder's name, and are read for ever."""
