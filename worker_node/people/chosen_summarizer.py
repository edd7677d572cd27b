"""Summaries for a small model: it chooses which lines tell something, and they are kept word for word."""

from collections.abc import Callable, Sequence

from lucca_llm.limits.retry import ask
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.prompt_templates import prompt_templates
from lucca_llm.prompt_text import harmless
from lucca_llm.talk_kinds import ALWAYS, TalkKind
from lucca_memory.people.summarizer import ExtractiveSummarizer
from lucca_memory.people.values import Line, Person
from worker_node.people.config import DeskConfig

_LINE_CHARS = 300
_NAME, _ABOUT = 'Lucca', 'You remember what each person told you.'


class ChosenSummarizer:
    """See Summarizer. A model that is too small to write a summary makes up parts of it; so this one only chooses."""

    def __init__(self, model: ChatModel, config: DeskConfig, *, cancelled: Callable[[], bool]) -> None:
        """`cancelled` ends a call once it is true."""
        self._model = model
        self._config = config
        self._cancelled = cancelled
        self._template = prompt_templates()
        self._extracts = ExtractiveSummarizer(config.summary_answer_tokens)

    def summarize(self, person: Person, lines: Sequence[Line]) -> str:
        """See Summarizer: the most informative of the lines that the model chose, or of all if it chose none."""
        chosen = [line for line in lines if not line.answers and self._tells(person, line)]
        return self._extracts.summarize(person, chosen or lines)

    def _tells(self, person: Person, line: Line) -> bool:
        """Whether the model takes a line for a statement, and not for a greeting, a question or the like."""
        name, text = harmless(person.name, 80), harmless(line.text, _LINE_CHARS)
        base = self._template('talk_base.j2').render(name=_NAME, about=_ABOUT, person=name, known=[]).rstrip()
        question = self._template('talk_kind.j2').render(before=[], person=name, text=text)
        reply = ask(
            self._model,
            [Message('system', base), Message('user', question)],
            ChatOptions(temperature=0.0, choices=ALWAYS, deadline_s=self._config.summary_deadline_s),
            cancelled=self._cancelled,
        )
        return reply.text.strip() == TalkKind.STATEMENT
