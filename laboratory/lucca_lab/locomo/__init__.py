"""Retrieval experiment on LoCoMo dialogues (Maharana et al. 2024), without a language model.

The data set is not part of this project (CC BY-NC 4.0); the command is given a folder with its files.
"""
