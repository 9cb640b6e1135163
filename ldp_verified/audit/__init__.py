"""Lower bounds on epsilon for anybody's randomizer; exact ones for tables and configurations."""
