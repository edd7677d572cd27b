"""The judge: the outcome of a run from the simulator's trace alone, and whether honest physics produced it.

The judge does not use the stack. `evidence` derives contacts from the scene's geometry, not from the contacts that
the trace reports. `motion`, `solids`, `grasps` and `record` hold most of the laws; `events` lists, in order, what was
carried and pointed at; `verdict` combines the results.
"""
