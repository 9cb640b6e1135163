"""A collector of reports: FastAPI workers over one PostgreSQL database."""
