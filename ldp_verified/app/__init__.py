"""What people type and read: the command line, its reports and its explanations."""
