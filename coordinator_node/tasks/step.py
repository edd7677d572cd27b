"""One step of a goal: its snapshot and memories, and their objections to a decision."""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.retrieved import Retrieved
from lucca_core.protocol.snapshots import Snapshot


class StepOver(Exception):
    """The step ends here; the next one begins with a fresh snapshot."""


@dataclass(slots=True)
class Step:
    """What has come together in a step of a task. `view` is the snapshot as the model reads it.

    `repairs` and `gave_up` count the wrong answers in it, and how often the model said that it cannot do the task.
    """

    task: str
    snapshot: Snapshot
    view: Snapshot
    declarative: Retrieved | None = None
    working: Retrieved | None = None
    correction: str = ''
    repairs: int = 0
    gave_up: int = 0

    @property
    def nothing_left(self) -> bool:
        """Both memories are there, and there is nothing to do by them."""
        return self.declarative is not None and self.working is not None and not self.working.to_do

    def doubt(self) -> str:
        """What is shown to a model that gives up."""
        if self.nothing_left:
            return 'the working memory lists nothing; a task with nothing left to do is finished'
        names = ', '.join(self.working.to_do) if self.working else ''
        return f'the working memory still lists {names}' if names else 'retrieve the memories of the task first'

    def against_finishing(self) -> str:
        """Why the task cannot be called finished; empty where it can."""
        if self.working is None:
            return f'retrieve the working memory of {self.task} first'
        if self.working.to_do:
            return f'the task is not finished: the working memory still lists {", ".join(self.working.to_do)}'
        return ''

    def unopposed(self, actions: Sequence[str], names: Sequence[str], *, attend: bool) -> tuple[str, ...]:
        """Every call that nothing speaks against now, apart from giving up. `names`: of the objects in view."""
        if self.declarative is None:
            return (f'<retrieve_declarative_memory({self.task})>',)
        if self.working is None:
            return (f'<retrieve_working_memory({self.task})>',)
        of_objects = (ActionCall(action, name) for action in actions for name in names)
        calls = [str(call) for call in of_objects if not self.against(call, attend=attend)]
        return (*calls, f'<finish_task({self.task})>') if not self.working.to_do else tuple(calls)

    def against(self, call: ActionCall, *, attend: bool) -> str:
        """Why an action cannot be taken; empty where it can. `attend`: on what the working memory lists alone."""
        if self.declarative is None:
            return f'retrieve the declarative memory of {self.task} first'
        if self.working is None:
            return f'retrieve the working memory of {self.task} first'
        known = self.snapshot.object_named(call.argument) is not None
        if attend and known and call.argument not in self.working.to_do:
            names = ', '.join(self.working.to_do)
            advice = f'it lists {names}' if names else 'it lists nothing, so the task is finished'
            return f'{call.argument} is not in the working memory of {self.task}; {advice}'
        return ''
