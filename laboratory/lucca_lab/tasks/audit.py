"""A witness beside the action gate: checks each action, as it is executed, against its task and the true table."""

from collections.abc import Callable

from lucca_core.protocol.actions import ActionCall, ActionRequest
from lucca_core.protocol.snapshots import TABLE, Snapshot
from lucca_memory.procedural import TaskSpec


class Audit:
    """A witness of every action that moves something on a symbolic table."""

    def __init__(self, spec_of: Callable[[str], TaskSpec | None]) -> None:
        """`spec_of` returns the specification of a task by its name, as people wrote it; None if there is none."""
        self._spec_of = spec_of
        self.ungated: list[str] = []
        """Actions that were executed although the task does not allow them, or their object was not on the table: in
        the snapshot of the decision, or in reality."""

    def __call__(self, request: ActionRequest, call: ActionCall, table: Snapshot) -> None:
        """Judges one action just before its effect. `table` is the true state of the table."""
        spec = self._spec_of(request.task)
        if spec is None or call.name not in spec.actions:
            self.ungated.append(f'{call} is not allowed for {request.task}')
            return
        for where, snapshot in (('decided on', request.snapshot), ('there is', table)):
            item = next((item for item in snapshot.objects if item.name == call.argument), None)
            if item is None or item.container != TABLE:
                self.ungated.append(f'{call} is not about an object on the table that was {where}')
                return
