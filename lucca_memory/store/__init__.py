"""Databases: opening, upgrading, reading and writing a SQLite file or a PostgreSQL schema."""
