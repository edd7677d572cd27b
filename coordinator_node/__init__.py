"""Reasons: talks with people and runs tasks with the coordinator's language model.

In reading order: `desk` (where goals arrive), `conversation` and `agent` (what was said: its `meaning`, one `turn`, the
lookups of the `toolbox`, what stays of it in `keeping`), `goals` (who waits for whom), `task_loop` and `goal_run` (one
task: its `step`s, the `outcomes` of actions, its `ending`) over `goal_access` and the protocols in `ports`.
Plain parts import lucca_core, lucca_llm and lucca_memory. The `node.py` files alone import ROS.
"""
