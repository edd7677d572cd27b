"""Summaries of what was said, written by the worker's model."""

from collections.abc import Callable, Sequence

from lucca_core.errors import ModelRetryable
from lucca_llm.limits.retry import ask
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.model_spec import AUTO, is_language_model, takes_short_prompts, talks_in_short
from lucca_llm.prompt_templates import prompt_templates
from lucca_memory.people.summarizer import ExtractiveSummarizer
from lucca_memory.people.values import Line, Person, Summarizer
from worker_node.people.chosen_summarizer import ChosenSummarizer
from worker_node.people.config import DeskConfig


class ModelSummarizer:
    """See Summarizer. What was said is only data in the prompt; whatever it asks for, the result is only a text."""

    def __init__(self, model: ChatModel, config: DeskConfig, *, cancelled: Callable[[], bool]) -> None:
        """`cancelled` ends a call once it is true."""
        self._model = model
        self._config = config
        self._cancelled = cancelled
        self._template = prompt_templates()

    def summarize(self, person: Person, lines: Sequence[Line]) -> str:
        """See Summarizer."""
        prompt = self._template('worker_summary.j2').render(
            person=_on_a_line(person.name),
            words=self._config.summary_answer_tokens // 2,
            lines=[
                {'day': f'{line.time:%Y-%m-%d}', 'speaker': _on_a_line(line.speaker), 'text': _on_a_line(line.text)}
                for line in lines
            ],
        )
        reply = ask(
            self._model,
            [Message('user', prompt)],
            ChatOptions(max_tokens=self._config.summary_answer_tokens, deadline_s=self._config.summary_deadline_s),
            cancelled=self._cancelled,
        )
        if not (text := reply.text.strip()):
            raise ModelRetryable(f'the summary of {len(lines)} lines came back empty')
        return text


def make_summarizer(model: ChatModel, config: DeskConfig, cancelled: Callable[[], bool]) -> Summarizer:
    """The model's summarizer: one that only chooses if the model is small, the extractive one if it is none.

    A model with an adapter for tasks can decide, but not write.
    """
    if talks_in_short(model.spec, AUTO):
        return ChosenSummarizer(model, config, cancelled=cancelled)
    if is_language_model(model.spec) and not takes_short_prompts(model.spec, AUTO):
        return ModelSummarizer(model, config, cancelled=cancelled)
    return ExtractiveSummarizer(config.summary_answer_tokens)


def _on_a_line(text: str) -> str:
    return ' '.join(text.split())
