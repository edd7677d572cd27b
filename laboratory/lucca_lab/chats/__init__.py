"""Long chats with an assistant, drawn by seed with the truth known, and how much of what was said in them is found again.

Generator and wording know nothing of the retriever; `run.py` alone asks it.
"""
