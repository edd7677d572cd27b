"""Answers that a language model reads from what memories hand over (`lucca eval answers`)."""
