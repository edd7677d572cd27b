"""The retrieval experiment on LoCoMo dialogues (Maharana et al. 2024), without a language model.

The data set is not part of this project (CC BY-NC 4.0); the command takes a folder with its files.
"""
