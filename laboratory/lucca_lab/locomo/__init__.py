"""How much of the evidence is found on LoCoMo dialogues (Maharana et al. 2024), without any language model.

The data is not part of this project (CC BY-NC 4.0): a folder of files in its format is named by whoever runs this.
"""
