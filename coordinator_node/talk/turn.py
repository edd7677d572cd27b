"""The state of one conversation turn: what was said, by whom, and what the model has been shown."""

from dataclasses import dataclass
from datetime import datetime

from coordinator_node.people.interface import Partner
from coordinator_node.talk.interpretation import Heard
from coordinator_node.talk.rests_on import rests_on
from coordinator_node.talk.sentences import Voice
from coordinator_node.talk.sessions import PastTurn, Session
from coordinator_node.talk.toolbox import Toolbox
from lucca_core.protocol.remembered import Recollection
from lucca_core.protocol.tasks import TaskState
from lucca_llm.model import Message


@dataclass(slots=True)
class Turn:
    """One turn. `messages` is the prompt so far; the model has to answer before `end_s` of the clock.

    `asked` is the robot's own question that this turn may answer, and what it is about. `past` are the turns before.
    While memory cannot be reached, it is unknown whether these were forgotten, so then there are none.
    """

    began: datetime
    heard: Heard
    session: Session
    partner: Partner
    tasks: tuple[TaskState, ...]
    toolbox: Toolbox
    voice: Voice
    messages: list[Message]
    native: bool
    end_s: float
    asked: tuple[str, str] = ('', '')
    past: tuple[PastTurn, ...] = ()

    def taken_up(self, answer: str) -> tuple[Recollection, ...]:
        """The shown memories that an answer repeats; see `rests_on`."""
        return rests_on(answer, self.heard.text, (*self.toolbox.noted.memories, *self.partner.opening))
