"""Hears and speaks: audio in, voice activity, transcription, the stop word, speech out. Only `node.py` and
`conversions.py` touch ROS; the rest imports lucca_core, lucca_llm (for deadlines) and lucca_memory (for the names of
tasks and actions)."""
