"""The coordinator: talks with people and runs tasks with its language model.

Modules in reading order: `goal_dispatcher` receives goals; `agent` works out what a text means (its `interpretation`)
in one `turn`, with the lookups of the `toolbox`, and `conversation_recorder` keeps the turn; `goals` decides which goal
runs and which wait; `goal_run` carries out one task (its `step`s, the `outcomes` of its actions, its `goal_end`)
through `goal_access` and the protocols in `interfaces`. Only `node`, `ros_interfaces` and `people/service_client`
import ROS.
"""
