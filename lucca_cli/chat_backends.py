"""Back ends of `lucca chat`: the agent in this process on a data folder, or the robot of a running stack."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Tally
from coordinator_node.model_caller import ModelCaller
from coordinator_node.persona import load_persona
from coordinator_node.talk.agent import Agent
from coordinator_node.talk.interpretation import Heard
from coordinator_node.talk.tools import Wish
from coordinator_node.waits import Interrupted, Waits
from lucca_cli.local_memory import LocalMemory
from lucca_cli.local_people import local_worker
from lucca_cli.options import SAID_PRIORITY
from lucca_cli.output import Output
from lucca_cli.terminal import TypedStop
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult, Status
from lucca_core.stop_command import has_stop_word, is_typed_stop
from lucca_llm.model_spec import make_model, talking_spec, working_spec

if TYPE_CHECKING:
    from lucca_cli.client import StackClient

SOURCE = 'cli'

NO_ROBOT = 'no robot is running here; start one with lucca up'


@dataclass(frozen=True)
class ChatAnswer:
    """An answer, the memories that it rests on (one line each), and the result of what was said."""

    text: str
    recalled: tuple[str, ...] = ()
    result: GoalResult = GoalResult(status=Status.FINISHED)  # noqa: RUF009 - it is frozen


class LocalChat:
    """The agent in this process. It has no arms: a line that only says stop ends the answer that is being made."""

    def __init__(self, agent: Agent, memory: LocalMemory, person: str, where: str) -> None:
        self._agent = agent
        self._memory = memory
        self._person = person
        self._stop: threading.Event | None = None
        """Set to end the answer that is being made; None while nothing is asked."""
        self.where = where

    def say(self, text: str, on_sentence: Callable[[str], None]) -> ChatAnswer:
        """Says something; `on_sentence` receives each sentence of the answer as soon as it is complete.

        Raises:
            LuccaError: there is no answer.
        """
        stop = self._stop = threading.Event()
        try:
            meaning = self._agent.turn(self._heard(text), Tally(), stop.is_set, on_sentence)
        except Interrupted:
            on_sentence('[stopped]')
            return ChatAnswer('', result=GoalResult(status=Status.CANCELLED, reason='stopped'))
        finally:
            self._stop = None
        answer = meaning.told() if meaning.asks or meaning.wish is Wish.SAY else f'I cannot do that: {meaning.argument}'
        if meaning.wish is not Wish.SAY:
            on_sentence(answer)
        return ChatAnswer(
            answer,
            tuple(f'{item.item_id} ({item.shown_source}): {item.text}' for item in meaning.rests_on),
            GoalResult(
                status=Status.FINISHED if meaning.wish is Wish.SAY else Status.REFUSED,
                said=answer,
                question=answer if meaning.asks else '',
            ),
        )

    def hear(self, line: str) -> bool:
        """Ends the answer, if a line asks for it; false for any other. May be called from any thread."""
        stop = self._stop
        if stop is None or not is_typed_stop(line):
            return False
        stop.set()
        return True

    def rate(self, verdict: str) -> str:
        """Records the person's verdict on the last answer; returns a sentence that confirms it."""
        return f'kept: {verdict} for {self._agent.rate(self._heard(""), verdict)}'

    def tasks(self) -> tuple[tuple[str, str, str], ...]:
        """Name, status and description of each task."""
        return tuple((item.task, item.status, item.description) for item in self._memory.tasks())

    def _heard(self, text: str) -> Heard:
        return Heard(text=text, person=self._person, source=SOURCE)


class StackChat:
    """The robot of a running stack.

    While the robot works, any line with a stop word stops it; otherwise only a line that says nothing else does.
    """

    def __init__(self, client: 'StackClient', person: str, show: Output) -> None:
        self._client = client
        self._person = person
        self._show = show
        self._stop = TypedStop(client.stop, show)
        self._works = False
        self.where = 'the running stack'

    def say(self, text: str, on_sentence: Callable[[str], None]) -> ChatAnswer:
        """As LocalChat.say; a task that was asked for has ended when this returns."""
        recalled: list[str] = []
        spoken: list[str] = []

        def on_feedback(step: GoalFeedback) -> None:
            if step.phase == 'saying':
                spoken.append(step.text)
                on_sentence(step.text)
            elif step.phase == 'waiting':
                on_sentence(f'[waiting {step.text}]')
            elif step.phase == 'recalled':
                recalled.extend(step.text.split('; '))
            elif step.phase == 'acted':
                on_sentence(f'[{step.text}: {step.code}]')

        self._stop, self._works = TypedStop(self._client.stop, self._show), True
        try:
            request = GoalRequest(text=text, person=self._person, priority=SAID_PRIORITY)
            report, _ = self._stop.wait(self._client.send_goal(request, on_feedback))
        finally:
            self._works = False
        said = report.said or report.reason
        left = report.left_to_say(spoken) if report.said else said
        if left:
            on_sentence(left)
        return ChatAnswer(said, tuple(recalled), report)

    def hear(self, line: str) -> bool:
        """Stops the robot, if a line asks for it; false for any other. May be called from any thread."""
        if not (has_stop_word(line) if self._works else is_typed_stop(line)):
            return False
        self._stop.say()
        return True

    def leave(self) -> None:
        """Ends the conversation, so that the next guest counts as another one."""
        self.say('/bye', lambda _: None)

    def rate(self, verdict: str) -> str:
        """As LocalChat.rate."""
        return self.say(f'/feedback {verdict}', lambda _: None).text

    def tasks(self) -> tuple[tuple[str, str, str], ...]:
        """Name, status and description of each task."""
        return tuple((item.task, item.status, item.description) for item in self._client.tasks())


ChatBackend = LocalChat | StackChat


@contextmanager
def local_chat(
    data_dir: Path,
    person: str,
    llm: str = '',
    worker_llm: str = '',
    *,
    embedding: str = '',
) -> Iterator[LocalChat]:
    """A chat on a data folder. What a guest says is deleted at its end.

    Raises:
        FolderInUseError: another process writes the folder.
        LuccaError: the folder, a model or a settings file cannot be used.
    """
    config = CoordinatorConfig(llm=llm) if llm else CoordinatorConfig()
    model = make_model(talking_spec(config.llm, config.talk_llm, config.prompts))
    with local_worker(data_dir, make_model(worker_llm or working_spec(config.llm)), embedding=embedding) as (
        memory,
        people,
    ):
        model_caller = ModelCaller(model, config, Waits())
        agent = Agent(model_caller, memory, config, people=people, persona=load_persona(), no_hands=NO_ROBOT)
        with closing(agent):
            yield LocalChat(agent, memory, person, f'{model.spec}, memory in {data_dir}')
