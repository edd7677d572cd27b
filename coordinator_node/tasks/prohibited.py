"""What is prohibited while one goal runs: for its prompts, and against calls of its model before the gate."""

from collections.abc import Sequence
from dataclasses import replace

from coordinator_node.interfaces import Flag
from coordinator_node.tasks.goal_access import GoalAccess
from coordinator_node.tasks.goal_end import Ended
from coordinator_node.tasks.parts import Parts
from lucca_core.errors import MemoryFault
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.goals import Status
from lucca_core.protocol.prohibitions import KeptProhibitions, ProhibitionRequest
from lucca_core.protocol.retrieved import Retrieved
from lucca_core.protocol.snapshots import Snapshot
from lucca_language.prohibitions import barred_in, is_prohibited, prompt_lines, why_prohibited
from lucca_llm.prompt_text import shown_name
from lucca_memory.procedural import Motion, TaskSpec


class Prohibited:
    """The prohibitions as last read for one goal. The gate judges by those that hold at that moment."""

    def __init__(self, parts: Parts, access: GoalAccess, interrupted: Flag) -> None:
        self._parts = parts
        self._access = access
        self._interrupted = interrupted
        self._kept = KeptProhibitions()

    def read(self) -> None:
        """Asks the action node which prohibitions hold.

        Raises:
            Ended: they are not known, so nothing moves.
            StackError: the action node could not be reached.
        """
        self._kept = self._access.patiently(self._asked)
        if self._kept.fault:
            raise Ended(Status.REFUSED, self._kept.fault, f'I cannot do that: {self._kept.fault}')

    def look(self, snapshot: Snapshot) -> bool:
        """As `read`; whether anything on the table is prohibited now that was not, or the other way round."""
        before = self._kept
        self.read()
        return self._kept != before and _lines(self._kept, snapshot) != _lines(before, snapshot)

    def _asked(self) -> KeptProhibitions:
        try:
            answer = self._parts.prohibitions.ask(ProhibitionRequest(), cancelled=self._interrupted)
            return KeptProhibitions(prohibitions=answer.prohibitions)
        except MemoryFault as error:
            return KeptProhibitions(fault=str(error))

    def lines(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Lines for prompts: what must not be done with which objects."""
        return _lines(self._kept, snapshot)

    def against(self, call: ActionCall, snapshot: Snapshot) -> str:
        """By which prohibition a call is ruled out and how to lift it; empty if it is not."""
        spec, item = self._parts.definitions.actions.get(call.name), snapshot.object_named(call.argument)
        if spec is None or item is None or spec.motion is Motion.POINT:
            return ''
        for prohibition in self._kept.prohibitions:
            if meant := is_prohibited(prohibition, item, spec.effect.container):
                return why_prohibited(prohibition, item.name, meant)
        return ''

    def left_by(self, calls: Sequence[ActionCall], snapshot: Snapshot) -> str:
        """Why the first of these calls that is ruled out, with its object still on the table, is left; or empty."""
        on_table = {item.name for item in snapshot.on_table()}
        left = (self.against(call, snapshot) for call in calls if call.argument in on_table)
        return next(filter(None, left), '')

    def without(self, found: Retrieved, task: TaskSpec, snapshot: Snapshot) -> Retrieved:
        """A working memory without objects for which every action of the task is ruled out, and without such calls."""
        if not self._kept.prohibitions:
            return found
        to_do = tuple(
            name
            for name in found.to_do
            if not all(self.against(ActionCall(action, name), snapshot) for action in task.actions)
        )
        calls = tuple(call for call in found.calls if not self.against(ActionCall.from_text(call), snapshot))
        return replace(found, to_do=to_do, calls=calls)


def _lines(kept: KeptProhibitions, snapshot: Snapshot) -> tuple[str, ...]:
    if not kept.prohibitions:
        return ()
    names = {item.name: shown_name(item.name) for item in snapshot}
    return prompt_lines(barred_in(snapshot, kept.prohibitions), names.__getitem__)
