"""The worker: the only writer of memory, and the one that reads it out through its own language model.

`worker.py` is the worker of tasks: it asks its model by `model_questions.py`, on what `recorder.py` reads of the logs,
and answers with values of lucca_core.protocol. `node.py` and
`people/services.py` speak ROS; the rest is plain Python and calls lucca_memory, lucca_llm and lucca_core.
"""
