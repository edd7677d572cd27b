"""Reasons: talks with people and runs tasks with the coordinator's language model.

In reading order: `goal_dispatcher` (where goals arrive), `conversation` and `agent` (what was said: its
`interpretation`, one `turn`, the lookups of the `toolbox`, what stays of it by `conversation_recorder`), `goals` (who
waits for whom), `task_loop` and `goal_run` (one task: its `step`s, the `outcomes` of actions, its `goal_end`) over
`goal_access` and the protocols in `interfaces`. Only `node`, `ros_interfaces` and `people/service_client` import ROS.
"""
