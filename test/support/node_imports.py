"""Imported by the process that nodes are forked from: what nodes import but ROS, and what each would work out once.

To import rclpy starts threads, and a process with threads must not be forked.
"""

import gc
import importlib
import inspect

from coordinator_node.config import CoordinatorConfig
from coordinator_node.tasks.task_loop import load_known

for _name in (
    'action_node.motion.planner',
    'action_node.motion_runner',
    'coordinator_node.goals.goal_dispatcher',
    'lucca_llm.rules.rule_based_model',
    'lucca_memory.backup',
    'lucca_memory.embedding.bert',
    'lucca_sim.kinematic_table',
    'lucca_sim.physics_table',
    'lucca_sim.trace_recorder',
    'perception_node.annotation',
    'perception_node.pipeline',
    'pydantic',
    'worker_node.network.concepts',
    'worker_node.people.desk',
    'worker_node.people.opening',
    'yake',
):
    importlib.import_module(_name)

# The reader's tables are made at the first sentence.
load_known(CoordinatorConfig())
# See `run_node`: a node looks at the source of all its modules and at all its objects before it spins.
inspect.stack()
gc.collect()
gc.freeze()
