"""Training of adapters for small language models: scenes, the stack's decisions in them, and LoRA.

`make_data` writes decisions, `train_adapter` trains on them, `write_adapter` makes the file that llama.cpp reads. The
last two run in an environment of their own, with torch, transformers, peft and gguf.
"""
