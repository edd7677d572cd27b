"""The retrieval experiment on long synthetic chats with an assistant, with known ground truth.

The generator and its wording are independent of the retriever; only `run.py` calls the retriever.
"""
