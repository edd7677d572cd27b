"""Settlement of open intents: the action node judges by the table whether each took effect, and records it."""

from coordinator_node.interfaces import Goal
from coordinator_node.tasks.goal_access import GoalAccess
from coordinator_node.tasks.goal_end import Interruption
from coordinator_node.tasks.held_objects import held_on_table
from coordinator_node.tasks.outcomes import Outcomes
from coordinator_node.tasks.parts import Parts
from lucca_core.protocol.goals import Phase
from lucca_core.protocol.retrieved import OpenIntent
from lucca_core.protocol.snapshots import Snapshot


class Settlement:
    """Settles open intents for one goal, both of its own task and of others."""

    def __init__(
        self, parts: Parts, goal: Goal, access: GoalAccess, outcomes: Outcomes, interruption: Interruption
    ) -> None:
        self._parts = parts
        self._goal = goal
        self._access = access
        self._outcomes = outcomes
        self._interruption = interruption

    def settle_open(self, task: str, snapshot: Snapshot) -> None:
        """Settles the open intent of a task, if its log still has one."""
        found = self._access.patiently(
            lambda: self._parts.memory.declarative(
                task, held_on_table(snapshot), cancelled=self._interruption.is_wanted
            )
        )
        self._access.tally.worker += found.usage
        if found.open_intent is not None:
            self.settle(task, found.open_intent, snapshot)

    def settle(self, task: str, intent: OpenIntent, snapshot: Snapshot) -> None:
        """Has an open intent judged and its outcome recorded."""
        self._access.emit(Phase.ACTING, f'settling {intent.action}')
        report = self._access.patiently(
            lambda: self._parts.actions.settle(task, intent, snapshot, cancelled=self._interruption.cancelled)
        )
        self._outcomes.settled(intent, report, own=task == self._goal.task)
