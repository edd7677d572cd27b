"""A model that knows the rule of a random scene, and records the calls that the stack makes to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lucca_core.errors import ModelUnusable
from lucca_lab.training.scenes import Scene
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatOptions, ChatReply, Message

OBJECT = 'Object: '
WHICH_CALL = 'Which call comes next?'
WHICH_OBJECTS = 'Question: Which objects '


@dataclass(frozen=True, slots=True)
class Decision:
    """One call: what was sent, and the right answer."""

    messages: tuple[Message, ...]
    answer: str


class Teacher:
    """Gives the right answers to the stack's questions about its scenes, and records them; see `ChatModel`.

    `done` returns the calls of the current task that are done, `now` returns the current scene.
    """

    spec = 'teacher'

    def __init__(self, kept: list[Decision], done: Callable[[], Sequence[str]], now: Callable[[], Scene]) -> None:
        self._kept = kept
        self._done = done
        self._now = now

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """See `ChatModel`."""
        asked = messages[-1].content
        answer = self._answer(asked)
        self._kept.append(Decision(tuple(messages), answer))
        return ChatReply(text=answer, prompt_tokens=estimate_prompt_tokens(messages), completion_tokens=8, model_s=0.0)

    def check(self, deadline_s: float) -> None:
        """See `ChatModel`."""

    def _answer(self, asked: str) -> str:
        scene, last = self._now(), asked.rstrip().rsplit('\n', 1)[-1]
        if last.startswith(OBJECT):
            name = last.removeprefix(OBJECT).partition(' (')[0]
            return scene.wanted.get(name, 'none')
        if last == WHICH_CALL:
            return self._next(scene)
        raise ModelUnusable(f'the teacher is not prepared for this question: {last[:200]!r}')

    def _next(self, scene: Scene) -> str:
        """The next call that is due: by the order of the task, and among equals by the order of the table."""
        done = set(self._done())
        for group in scene.groups:
            for thing in scene.things:
                if (action := group.get(thing.name)) and (call := f'<{action}({thing.name})>') not in done:
                    return call
        return f'<finish_task({scene.task.name})>'
