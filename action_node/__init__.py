"""Acts: parses what the model wrote, gates it, moves the arms, verifies the effect.

In reading order: `parser`, `gate`, `one_action` (the course of an action) with its `record`, in `executor` (one at a
time), `mover` (run, stop, go home) over `runner`, `stream` (chunks) and `valve` (what a stop shuts), `retreat`,
`watching` (what is seen of an effect) and `verify` (what that says); planning is in `motion`. Every file but `node.py`
and `conversions.py` is plain Python. Calls lucca_core, lucca_memory.procedural (what an action is) and lucca_robot
(what the robot is); knows no other node package.
"""
