"""The state of one step of a task: snapshot, retrieved memories, and checks of proposed calls against them."""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.retrieved import Retrieved
from lucca_core.protocol.snapshots import Snapshot


class StepOver(Exception):
    """Ends the step; the next one begins with a fresh snapshot."""


@dataclass(slots=True)
class Step:
    """The state of one step of a task. `view` is the snapshot as the model reads it.

    `repairs` counts wrong answers, `gave_up` how often the model said that it cannot do the task. With `must_retrieve`,
    both memories have to be retrieved before anything else; otherwise that is left to the model.
    """

    task: str
    snapshot: Snapshot
    view: Snapshot
    declarative: Retrieved | None = None
    working: Retrieved | None = None
    correction: str = ''
    repairs: int = 0
    gave_up: int = 0
    must_retrieve: bool = True

    @property
    def nothing_left(self) -> bool:
        """Whether both memories were retrieved and leave nothing to do."""
        return self.declarative is not None and self.working is not None and not self.working.to_do

    def doubt(self) -> str:
        """The reply to a model that gives up."""
        if self.nothing_left:
            return 'the working memory lists nothing; a task with nothing left to do is finished'
        names = ', '.join(self.working.to_do) if self.working else ''
        return f'the working memory still lists {names}' if names else 'retrieve the memories of the task first'

    def against_finishing(self) -> str:
        """Why the task cannot be called finished yet; empty if it can."""
        if self.working is None:
            return f'retrieve the working memory of {self.task} first' if self.must_retrieve else ''
        if self.working.to_do:
            return f'the task is not finished: the working memory still lists {", ".join(self.working.to_do)}'
        return ''

    def every_call(self, actions: Sequence[str], names: Sequence[str]) -> tuple[ActionCall, ...]:
        """The calls of a model without memory: every action on every object in view, or the end."""
        calls = (ActionCall(action, name) for action in actions for name in names)
        return (*calls, ActionCall('finish_task', self.task))

    def unopposed(
        self, actions: Sequence[str], names: Sequence[str], *, attend: bool, confirmed: str = ''
    ) -> tuple[ActionCall, ...]:
        """All calls without an objection now, apart from giving up.

        Args:
            actions: the actions of the task.
            names: names of the objects in view.
            attend: offer only what the working memory lists.
            confirmed: a call that a person has confirmed, which need not be listed; empty if there is none.
        """
        retrieve = [
            ActionCall(f'retrieve_{kind}_memory', self.task)
            for kind, found in (('declarative', self.declarative), ('working', self.working))
            if found is None
        ]
        if retrieve and self.must_retrieve:
            return (retrieve[0],)
        of_objects = (ActionCall(action, name) for action in actions for name in names)
        calls = [call for call in of_objects if not self.against(call, attend=attend and str(call) != confirmed)]
        finish = [ActionCall('finish_task', self.task)] if not self.against_finishing() else []
        return (*retrieve, *calls, *finish)

    def against(self, call: ActionCall, *, attend: bool) -> str:
        """Why a call cannot be made now, empty if it can. `attend`: allow only what the working memory lists."""
        if self.declarative is None and self.must_retrieve:
            return f'retrieve the declarative memory of {self.task} first'
        if self.working is None:
            return f'retrieve the working memory of {self.task} first' if self.must_retrieve else ''
        known = self.snapshot.object_named(call.argument) is not None
        if attend and known and call.argument not in self.working.to_do:
            names = ', '.join(self.working.to_do)
            advice = f'it lists {names}' if names else 'it lists nothing, so the task is finished'
            return f'{call.argument} is not in the working memory of {self.task}; {advice}'
        if attend and self.working.calls and str(call) not in self.working.calls:
            return f'{call} is not among the calls still to make: {", ".join(self.working.calls)}'
        return ''
