"""One small interface for everything that keeps events, files or PostgreSQL, and copying between them."""
