"""The state of one conversation turn: what was said, by whom, and what the model has been shown."""

import re
from dataclasses import dataclass
from datetime import datetime

from coordinator_node.interpretation import Heard
from coordinator_node.people.interface import ROBOT, Partner
from coordinator_node.sentences import Voice
from coordinator_node.sessions import Session
from coordinator_node.toolbox import Toolbox
from lucca_core.protocol.remembered import Recollection
from lucca_core.protocol.tasks import TaskState
from lucca_llm.model import Message

_WORD = re.compile(r'\w{4,}')


@dataclass(slots=True)
class Turn:
    """One turn. `messages` are those that the model is shown; by `end_s` of the clock it has to have answered."""

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

    def taken_up(self, answer: str) -> tuple[Recollection, ...]:
        """The memories shown that an answer takes up: a fact by its place, anything else by words that were not in the
        question.

        Which ones a language model really went by cannot be known; this is what can be seen.
        """
        asked, told = set(_WORD.findall(self.heard.text.lower())), set(_WORD.findall(answer.lower()))
        taken: dict[str, Recollection] = {}
        for item in (*self.toolbox.noted.memories, *self.partner.opening):
            new = set(_WORD.findall(item.text.lower())) - asked
            repeats = item.speaker != ROBOT and len(new & told) >= min(2, len(new)) > 0
            if item.source in answer if item.kind == 'fact' else repeats:
                taken.setdefault(item.item_id, item)
        return tuple(taken.values())
