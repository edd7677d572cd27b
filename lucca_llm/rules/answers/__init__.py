"""Answers to the prompts of the coordinator, the worker and a conversation."""
