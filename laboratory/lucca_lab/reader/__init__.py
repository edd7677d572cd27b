"""Answers of a language model that reads the contexts of memories (`lucca eval answers`)."""
