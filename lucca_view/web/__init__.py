"""The page: its server, access to it, and the acts that it offers."""
