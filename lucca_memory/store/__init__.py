"""Databases: how a SQLite file or a PostgreSQL schema is opened, brought to its newest version, read and written."""
