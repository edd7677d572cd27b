"""Recorded answers of models: recording them, and replaying them in place of the model."""
