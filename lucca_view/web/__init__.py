"""The page: its server, who may use it, and what it may ask for."""
