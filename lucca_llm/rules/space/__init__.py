"""Where things stand: phrases that tell a thing or place by its position, and what they mean on the table."""
