"""A private PostgreSQL server for tests and benchmarks."""
