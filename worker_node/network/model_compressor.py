"""General texts by the worker's language model; what it writes is only a proposal, which memory checks."""

import logging
from collections.abc import Callable, Sequence

from lucca_core.errors import ConfigError
from lucca_llm import answer_grammar
from lucca_llm.limits.retry import ask
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.model_spec import is_language_model
from lucca_llm.prompt_templates import prompt_templates
from lucca_memory.semantic.forgetting.compression import Compressor
from lucca_memory.semantic.forgetting.faithfulness import shortenable
from worker_node.network.config import NetworkConfig

_BYTES_PER_TOKEN = 3
"""For the limit of an answer, which must be shorter than the texts; English has more."""
_LONGEST = 4_000
"""Bytes of texts up to which the model is asked."""
_log = logging.getLogger(__name__)


class ModelCompressor:
    """See Compressor. The texts are only data in the prompt; whatever they ask for, the result is only a text."""

    def __init__(self, model: ChatModel, deadline_s: float, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """`cancelled` ends a call once it is true."""
        self._model = model
        self._deadline_s = deadline_s
        self._cancelled = cancelled
        self._template = prompt_templates()

    def compress(self, texts: Sequence[str]) -> str:
        """See Compressor; empty for texts that are too long to ask about."""
        lines = [' '.join(text.split()) for text in texts]
        size = sum(len(line.encode()) for line in lines)
        if size > _LONGEST:
            return ''
        prompt = self._template('worker_general.j2').render(lines=lines)
        options = ChatOptions(
            temperature=0.0,
            grammar=_grammar_of(lines),
            max_tokens=max(8, size // _BYTES_PER_TOKEN),
            deadline_s=self._deadline_s,
        )
        return ask(self._model, [Message('user', prompt)], options, cancelled=self._cancelled).text


def _grammar_of(lines: Sequence[str]) -> str:
    """The grammar of what memory accepts from one sentence each; joining them takes a model without a grammar."""
    sentences = [sentence for line in lines for sentence in shortenable(line)]
    return answer_grammar.left_out((sentence.words, sentence.may_go) for sentence in sentences)


def make_compressor(model: ChatModel, config: NetworkConfig, cancelled: Callable[[], bool]) -> Compressor | None:
    """The compressor of the settings; None if general nodes are off.

    Raises:
        ConfigError: they are on, and the worker's model is no language model.
    """
    if not config.generalize:
        return None
    if not is_language_model(model.spec):
        raise ConfigError(f'generalize needs a language model, and the worker has {model.spec}')
    return ModelCompressor(model, config.general_deadline_s, cancelled=cancelled)
