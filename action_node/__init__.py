"""The action node: parses a model's answer, checks it at the gate, moves the arms and verifies the effect.

In reading order: `gate` (parser and gate), `executor` (one action at a time), `action_run` (the course of an action)
with its `action_record`, `mover` (run, stop, go home), `motion_runner`, `segment_stream` (chunks), `stop` (the valve
that a stop shuts, and the stop marker), `retreat`, `effect_watcher` and `effect_verification`; planning is in `motion`.
Only `node.py`, `conversions.py`, `ros_interfaces.py`, `action_sender.py`, `running_controllers.py`, `grasp_display.py`
and `moveit.py` use ROS.
The package imports lucca_core, lucca_memory.procedural (action specs) and lucca_robot, for ROS lucca_ros, and no other
node package.
"""
