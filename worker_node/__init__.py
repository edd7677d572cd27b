"""The worker: the only writer of memory, which it also reads out through its own language model.

`worker.py` handles tasks: it asks its model (`model_questions.py`) about what `recorder.py` reads from the logs, and
answers with values of lucca_core.protocol. `node.py` and `people/services.py` speak ROS; the rest is plain Python on
top of lucca_memory, lucca_llm and lucca_core.
"""
