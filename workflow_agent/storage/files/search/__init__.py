"""Finding workflows: full text in SQLite, kept in step with the catalogue."""
