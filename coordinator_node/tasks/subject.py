"""What a goal is about: its task as it stands, how the model understands it, and the news that change either."""

from dataclasses import replace

from coordinator_node.tasks.changes import TakeChanges
from coordinator_node.tasks.held_objects import held_on_table
from coordinator_node.tasks.parts import Parts
from coordinator_node.tasks.prohibited import Prohibited
from coordinator_node.tasks.restatement import Restatement
from coordinator_node.tasks.understanding import TaskUnderstanding
from lucca_core.protocol.snapshots import Snapshot
from lucca_memory.procedural import TaskSpec


class Subject:
    """The task of one goal.

    Attributes:
        spec: the task as it stands.
        base: the start of every prompt.
        restatement: how the model understands the task; empty if it is not asked.
    """

    def __init__(
        self, parts: Parts, task: str, understanding: TaskUnderstanding, prohibited: Prohibited, changes: TakeChanges
    ) -> None:
        self._parts = parts
        self._understanding = understanding
        self._prohibited = prohibited
        self._changes = changes
        self.spec = TaskSpec(name=task, description='', actions=())
        self.base = ''
        self.restatement = Restatement()

    def becomes(self, spec: TaskSpec) -> None:
        """Sets the task that every prompt is about from now on."""
        self.spec = spec
        if self._parts.short_prompts:
            self.base = self._parts.prompts.short_base()
            return
        self.base = self._parts.prompts.base(
            self._parts.definitions.for_prompt(spec),
            self._parts.definitions.actions.values(),
            memory=self._parts.config.memory,
        )

    def restate(self, snapshot: Snapshot) -> None:
        """Asks the model how it understands the task, if it is to be asked.

        Raises:
            Ended, Interrupted: see `TaskUnderstanding.restate`.
        """
        if self._parts.config.restate:
            self.restatement = self._understanding.restate(self.base, held_on_table(snapshot), self.spec)

    def take_news(self, snapshot: Snapshot, *, last: bool = False) -> bool:
        """Takes in what was prohibited, lifted or said to change the task since the last time. False if nothing was.

        `last`: the goal is about to finish. If there is no news, it takes no more changes from then on.

        Raises:
            Ended: the changed task cannot be done or is not understood, or it is not known what is prohibited.
            StackError: the action node could not be reached.
            Interrupted: the goal is to end.
        """
        other = self._prohibited.look(snapshot)
        changes = self._changes(last and not other)
        if changes:
            self._prohibited.read()  # the same words may have prohibited something
        for change in changes:
            self.restatement = self._understanding.change(self.base, held_on_table(snapshot), self.spec, change)
            self.becomes(replace(self.spec, description=self.restatement.description))
        if other and not changes:
            self.restate(snapshot)
        return other or bool(changes)
