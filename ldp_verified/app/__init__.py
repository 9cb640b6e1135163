"""The command line, its reports and its explanations: all that people type and read."""
