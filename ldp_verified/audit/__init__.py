"""Lower bounds on epsilon for anybody's randomizer, and exact ones for tables and configurations."""
