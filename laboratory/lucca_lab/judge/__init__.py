"""The judge: says from the simulator's trace alone what came of a run, and whether honest physics could have made the trace.

Nothing of the stack is asked. `evidence` derives from a trace what touched what, by the geometry of the scene and not by what the trace
says of contacts; `motion`, `solids`, `grasps` and `record` hold the laws; `events` finds what was carried where and pointed at, and in
which order; `verdict` joins them.
"""
