"""The written-out table at exact points: what can veto a claim, and never proves one."""
