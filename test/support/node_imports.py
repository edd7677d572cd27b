"""Imported by the process that nodes are forked from: what nodes import but rclpy, and what each would work out once.

To import rclpy starts threads, and a process with threads must not be forked. Messages start none.
"""

import gc
import importlib
import inspect

from coordinator_node.config import CoordinatorConfig
from coordinator_node.tasks.parts import load_known
from lucca_core.protocol.observations import adapter
from lucca_view.events import KINDS

for _name in (
    'action_node.action_run',
    'action_node.executor',
    'action_node.gate.call_parser',
    'action_node.motion.arm_reach',
    'action_node.motion.planner',
    'action_node.motion_runner',
    'action_node.stop.stop_keeper',
    'coordinator_node.goals.goal_dispatcher',
    'coordinator_node.goals.goal_threads',
    'lucca_core.claim',
    'lucca_core.joint_states',
    'lucca_core.parent_process',
    'lucca_core.protocol.speech',
    'lucca_core.protocol.vocabulary',
    'lucca_core.rotating_file',
    'lucca_core.stop_command',
    'lucca_llm.limits.usage_meter',
    'lucca_llm.rules.rule_based_model',
    'lucca_memory.backup',
    'lucca_memory.embedding.bert',
    'lucca_memory.task_book',
    'lucca_sim.factories',
    'lucca_sim.kinematic_table',
    'lucca_sim.physics_table',
    'lucca_sim.trace_recorder',
    'perception_node.annotation',
    'perception_node.newest_only',
    'perception_node.pipeline',
    'pydantic',
    'pydantic.type_adapter',
    'speech_node.components',
    'worker_node.network.concepts',
    'worker_node.people.desk',
    'worker_node.people.opening',
    'worker_node.recorder',
    'worker_node.table_watch',
    'worker_node.worker',
    'yake',
):
    importlib.import_module(_name)

# Messages, and the libraries that convert them.
for _package, _kinds in {
    'action_msgs': ('msg', 'srv'),
    'builtin_interfaces': ('msg',),
    'diagnostic_msgs': ('msg',),
    'geometry_msgs': ('msg',),
    'lifecycle_msgs': ('msg', 'srv'),
    'lucca_interfaces': ('msg', 'srv', 'action'),
    'rcl_interfaces': ('msg', 'srv'),
    'rosgraph_msgs': ('msg',),
    'sensor_msgs': ('msg',),
    'service_msgs': ('msg',),
    'shape_msgs': ('msg',),
    'std_msgs': ('msg',),
    'std_srvs': ('srv',),
    'trajectory_msgs': ('msg',),
    'type_description_interfaces': ('msg', 'srv'),
    'unique_identifier_msgs': ('msg',),
    'visualization_msgs': ('msg',),
}.items():
    for _kind in _kinds:
        for _class in vars(importlib.import_module(f'{_package}.{_kind}')).values():
            if hasattr(type(_class), '__import_type_support__'):
                type(_class).__import_type_support__()

for _event in KINDS.values():
    adapter(_event)
# The reader's tables are made at the first sentence.
load_known(CoordinatorConfig())
# See `run_node`: a node looks at the source of all its modules and at all its objects before it spins.
inspect.stack()
gc.collect()
gc.freeze()
