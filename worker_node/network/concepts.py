"""Concepts named by the worker's language model and checked against the sentence, with keywords as a fallback.

An answer is one line of names, each made of words of the sentence. A grammar is sent to servers that accept one; every
answer is checked even so. Names from the model weigh more, but all words remain concepts, so that a bad answer loses
nothing that a question could match.
"""

import logging
import threading
from collections.abc import Callable, Sequence

from lucca_core.errors import ConfigError, ModelError
from lucca_llm import answer_grammar
from lucca_llm.limits.retry import ask
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.model_spec import AUTO, is_language_model, talks_in_short
from lucca_llm.prompt_templates import prompt_templates
from lucca_memory.retrieval.analysis import terms_of
from lucca_memory.semantic.language.extraction import (
    NAME,
    PHRASE,
    Extractor,
    Mention,
    YakeExtractor,
    make_extractor,
    mentions_of,
    weighed,
)
from worker_node.name_lists import NoList, listed
from worker_node.network.config import NetworkConfig

_MOST = 8
_LONGEST_SENTENCE = 2_000
_LONGEST_ANSWER = 800
_ANSWER_TOKENS = 120
_GRAMMAR = answer_grammar.free_names([answer_grammar.NOTHING])
_log = logging.getLogger(__name__)


class ModelExtractor:
    """See Extractor. A faulty answer is shown back once; after that, or without any answer, keywords are used."""

    def __init__(
        self,
        model: ChatModel,
        fallback: Extractor,
        deadline_s: float,
        *,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """`cancelled` ends a call once it is true."""
        self._model = model
        self._fallback = fallback
        self._deadline_s = deadline_s
        self._cancelled = cancelled
        self._template = prompt_templates()
        self._told = threading.Event()

    @property
    def spec(self) -> str:
        """See Extractor."""
        return f'model {self._model.spec}, else {self._fallback.spec}'

    def extract(self, texts: Sequence[str]) -> Sequence[tuple[Mention, ...]]:
        """See Extractor. Errors of the model never make this fail."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> tuple[Mention, ...]:
        known = mentions_of(text)
        if not known or len(text) > _LONGEST_SENTENCE:
            return self._by_keywords(text)
        correction = ''
        try:
            for _ in range(2):
                try:
                    return _weighed(known, read_concepts(self._asked(text, correction), text))
                except NoList as error:
                    correction = str(error)
        except ModelError as error:
            correction = str(error)
        if not self._told.is_set():
            # Warn only once: otherwise every sentence would repeat the warning while a server is away.
            self._told.set()
            _log.warning('concepts are found by %s for now: %s', self._fallback.spec, correction)
        return self._by_keywords(text)

    def _asked(self, text: str, correction: str) -> str:
        sentence = ' '.join(text.split())
        prompt = self._template('worker_concepts.j2').render(sentence=sentence, most=_MOST, correction=correction)
        options = ChatOptions(max_tokens=_ANSWER_TOKENS, deadline_s=self._deadline_s, grammar=_GRAMMAR)
        return ask(self._model, [Message('user', prompt)], options, cancelled=self._cancelled).text

    def _by_keywords(self, text: str) -> tuple[Mention, ...]:
        return self._fallback.extract([text])[0]


def read_concepts(answer: str, text: str) -> tuple[str, ...]:
    """The names that an answer lists, restricted to names made of words of the text.

    Raises:
        NoList: the answer is empty, too long, has several lines, or holds only names that are not in the text.
    """
    said = set(terms_of(text))
    names = [name.rstrip('.') for name in listed(answer, _LONGEST_ANSWER)]
    grounded = [name for name in dict.fromkeys(names) if (terms := set(terms_of(name))) and terms <= said]
    if names and not grounded:
        raise NoList('it named nothing that the sentence says; use its own words')
    return tuple(grounded[:_MOST])


def make_model_extractor(model: ChatModel, config: NetworkConfig, cancelled: Callable[[], bool]) -> Extractor:
    """The extractor of the settings. If `auto` has to use keywords, the log says so.

    Raises:
        ConfigError: yake was requested and is not installed, or the worker's model was and is no language model.
    """
    if config.extractor in ('words', 'yake'):
        return make_extractor(config.extractor)
    keywords = _keywords()
    if not is_language_model(model.spec):
        if config.extractor == 'model':
            raise ConfigError(f'extractor model needs a language model, and the worker has {model.spec}')
        _log.info('concepts are found by %s: the worker has no language model', keywords.spec)
        return keywords
    if config.extractor != 'model' and talks_in_short(model.spec, AUTO):
        _log.info('concepts are found by %s: %s is too small to name them', keywords.spec, model.spec)
        return keywords
    return ModelExtractor(model, keywords, config.concepts_deadline_s, cancelled=cancelled)


def _keywords() -> Extractor:
    try:
        return YakeExtractor()
    except ConfigError as error:
        _log.info('concepts are the words themselves: %s', error)
        return make_extractor('words')


def _weighed(known: Sequence[Mention], names: Sequence[str]) -> tuple[Mention, ...]:
    """The mentions, reweighted: words of a one-word name count as a name, words of longer names as part of a phrase."""
    weights: dict[int, float] = {}
    for name in names:
        terms = terms_of(name)
        for term in terms:
            weights[term] = max(weights.get(term, 0.0), NAME if len(terms) == 1 else PHRASE / 2)
    return weighed(known, weights)
