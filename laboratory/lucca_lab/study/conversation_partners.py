"""The conversation partners of a user study: the robot's agent with memory, and a plain model without memory."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Tally, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.persona import load_persona
from coordinator_node.talk.agent import Agent
from coordinator_node.talk.interpretation import Heard
from coordinator_node.waits import Waits
from lucca_cli.local_people import local_worker
from lucca_llm.model import ChatModel, ChatOptions, Message
from worker_node.people.config import DeskConfig

WITH_MEMORY = 'B'
INSTRUCTIONS = 'You are a friendly companion. Talk with the person in one to three sentences at a time.'
SOURCE = 'cli'
NO_HANDS = 'this is a conversation only; there are no arms here'


class Talker(Protocol):
    """The conversation partner of a participant."""

    def begin(self) -> None:
        """Begins a new conversation."""
        ...

    def answer(self, text: str) -> str:
        """The answer to what the participant said.

        Raises:
            LuccaError: there is no answer.
        """
        ...


class PlainTalker:
    """A model that knows only the current conversation."""

    def __init__(self, model: ChatModel, options: ChatOptions | None = None) -> None:
        self._model = model
        self._options = options or ChatOptions(temperature=0.7)
        self._turns: list[Message] = []

    def begin(self) -> None:
        """See `Talker`."""
        self._turns.clear()

    def answer(self, text: str) -> str:
        """See `Talker`."""
        self._turns.append(Message('user', text))
        said = self._model.chat([Message('system', INSTRUCTIONS), *self._turns], self._options).text.strip()
        self._turns.append(Message('assistant', said))
        return said


class AgentTalker:
    """The coordinator's agent with the worker's memory of people and facts, as on the robot, but without arms."""

    def __init__(self, agent: Agent, participant: str) -> None:
        self._agent = agent
        self._participant = participant

    def begin(self) -> None:
        """See `Talker`. After this, only memory knows about the earlier conversation."""
        self._agent.leave(self._heard(''))

    def answer(self, text: str) -> str:
        """See `Talker`."""
        return self._agent.turn(self._heard(text), Tally(), never).argument

    def _heard(self, text: str) -> Heard:
        return Heard(text=text, person=self._participant, source=SOURCE)


@contextmanager
def talker_of(
    group: str, model: ChatModel, participant: str, facts_dir: Path | None = None, *, embedding: str = ''
) -> Iterator[Talker]:
    """The conversation partner of a participant. In the group with memory, its memory is in a temporary folder.

    Args:
        group: A or B; B has memory.
        model: the model of both groups; with memory, also the worker's.
        participant: the code of the participant.
        facts_dir: text files from which the group with memory gets answers; None for none.
        embedding: spec; empty for the default.

    Raises:
        LuccaError: the memory cannot be opened.
    """
    if group != WITH_MEMORY:
        yield PlainTalker(model)
        return
    config = CoordinatorConfig()
    desk = DeskConfig(store='sqlite', facts_dir=str(facts_dir) if facts_dir else '')
    with (
        tempfile.TemporaryDirectory(prefix='lucca-study-') as folder,
        local_worker(Path(folder) / 'memory', model, embedding=embedding, config=desk) as (memory, people),
    ):
        model_caller = ModelCaller(model, config, Waits())
        agent = Agent(model_caller, memory, config, people=people, persona=load_persona(), no_hands=NO_HANDS)
        with closing(agent):
            yield AgentTalker(agent, participant)
