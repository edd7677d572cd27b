"""The retrieval experiment on any set of long dialogues in LoCoMo's format, without a language model."""
