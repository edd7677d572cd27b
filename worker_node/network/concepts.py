"""Concepts named by the worker's language model and checked against the sentence, with keywords as a fallback.

What the model names weighs more, but all words remain concepts, so that a bad answer loses nothing that a question
could match. A model writes the names, or, if it is too small for that, weighs the words of the sentence by likelihood.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean, pstdev
from typing import Protocol

from lucca_core.errors import ConfigError, ModelError, ModelUnusable
from lucca_llm import answer_grammar
from lucca_llm.limits.retry import ask
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.model_spec import AUTO, is_language_model, takes_short_prompts, talks_in_short
from lucca_llm.prompt_templates import prompt_templates
from lucca_llm.prompt_text import harmless
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
    weight_of_telling,
)
from worker_node.name_lists import NoList, listed
from worker_node.network.config import NetworkConfig

_MOST = 8
_MOST_CHOICES = 16
"""Words of a sentence that a small model weighs, the heaviest ones by keywords."""
_LEAST_CHOICES = 3
_GAIN_SHARE = 0.2
"""How much heavier a word becomes if it gains one standard deviation more than the mean of its sentence."""
_LEAST_FACTOR = 0.5
_LONGEST_SENTENCE = 2_000
_LONGEST_ANSWER = 800
_ANSWER_TOKENS = 120
_GRAMMAR = answer_grammar.free_names([answer_grammar.NOTHING])
_ABOUT_NOTHING = 'Hello.'
"""A sentence for comparison: some words are likely answers whatever the sentence is."""
_log = logging.getLogger(__name__)


class ConceptSource(Protocol):
    """Finds the concepts of one text with a language model."""

    @property
    def spec(self) -> str:
        """The name of the model, for people."""
        ...

    def mentions(self, text: str, keywords: Sequence[Mention]) -> tuple[Mention, ...]:
        """The mentions of a text; `keywords` are those found without the model.

        Raises:
            ModelError: the model failed.
            NoList: what it answered, even when asked again, names nothing that the text says.
        """
        ...


class WrittenConcepts:
    """See ConceptSource: the model writes one line of names. A faulty answer is shown back to it once.

    A grammar is sent to servers that accept one; every answer is checked even so.
    """

    def __init__(self, model: ChatModel, deadline_s: float, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """`cancelled` ends a call once it is true."""
        self._model = model
        self._deadline_s = deadline_s
        self._cancelled = cancelled
        self._template = prompt_templates()
        self.spec = f'model {model.spec}'

    def mentions(self, text: str, keywords: Sequence[Mention]) -> tuple[Mention, ...]:
        """See ConceptSource. Names weigh more than other words; the weights of keywords are not used."""
        try:
            names = read_concepts(self._asked(text), text)
        except NoList as error:
            names = read_concepts(self._asked(text, str(error)), text)
        return _weighed(mentions_of(text), names, text)

    def _asked(self, text: str, correction: str = '') -> str:
        sentence = ' '.join(text.split())
        prompt = self._template('worker_concepts.j2').render(sentence=sentence, most=_MOST, correction=correction)
        options = ChatOptions(max_tokens=_ANSWER_TOKENS, deadline_s=self._deadline_s, grammar=_GRAMMAR)
        return ask(self._model, [Message('user', prompt)], options, cancelled=self._cancelled).text


class WeighedConcepts:
    """See ConceptSource: words that the sentence makes likelier as the answer to what it is about become heavier.

    What a word gains is the difference of its log-likelihoods as that answer for this sentence and for a greeting.
    """

    def __init__(self, model: ChatModel, deadline_s: float, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """`cancelled` ends a call once it is true."""
        self._model = model
        self._deadline_s = deadline_s
        self._cancelled = cancelled
        self._template = prompt_templates()
        self.spec = f'likelihoods of {model.spec}'

    def mentions(self, text: str, keywords: Sequence[Mention]) -> tuple[Mention, ...]:
        """See ConceptSource; a model that tells no likelihoods counts as one that failed."""
        words = [mention for mention in keywords if ' ' not in mention.label]
        words = sorted(words, key=lambda mention: -mention.weight)[:_MOST_CHOICES]
        choices = tuple(dict.fromkeys(mention.label for mention in words))
        if len(choices) < _LEAST_CHOICES:
            return tuple(keywords)
        now, before = self._likelihoods(text, choices), self._likelihoods(_ABOUT_NOTHING, choices)
        gains = [ours - theirs for ours, theirs in zip(now, before, strict=True)]
        mean, deviation = fmean(gains), pstdev(gains) or 1.0
        factors = {
            choice: max(_LEAST_FACTOR, 1 + _GAIN_SHARE * (gain - mean) / deviation)
            for choice, gain in zip(choices, gains, strict=True)
        }
        return tuple(
            replace(mention, weight=min(round(mention.weight * factors.get(mention.label, 1.0), 4), PHRASE))
            for mention in keywords
        )

    def _likelihoods(self, text: str, choices: tuple[str, ...]) -> tuple[float, ...]:
        prompt = self._template('worker_about.j2').render(text=harmless(text, _LONGEST_SENTENCE))
        options = ChatOptions(temperature=0.0, deadline_s=self._deadline_s, choices=choices)
        found = ask(self._model, [Message('user', prompt)], options, cancelled=self._cancelled).likelihoods
        if len(found) != len(choices):
            raise ModelUnusable(f'{self._model.spec} tells no likelihoods, so it cannot weigh concepts')
        return found


class ModelExtractor:
    """See Extractor. Where the model fails, keywords are used as they are."""

    def __init__(self, source: ConceptSource, keywords: Extractor) -> None:
        """
        Args:
            source: finds concepts with the model.
            keywords: finds them without it.
        """
        self._source = source
        self._keywords = keywords
        self._told = threading.Event()

    @property
    def spec(self) -> str:
        """See Extractor."""
        return f'{self._source.spec}, else {self._keywords.spec}'

    def extract(self, texts: Sequence[str]) -> Sequence[tuple[Mention, ...]]:
        """See Extractor. Errors of the model never make this fail."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> tuple[Mention, ...]:
        keywords = self._keywords.extract([text])[0]
        if not keywords or len(text) > _LONGEST_SENTENCE:
            return keywords
        try:
            return self._source.mentions(text, keywords)
        except (NoList, ModelError) as error:
            if not self._told.is_set():
                # Warn only once: otherwise every sentence would repeat the warning while a server is away.
                self._told.set()
                _log.warning('concepts are found by %s for now: %s', self._keywords.spec, error)
        return keywords


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
    if takes_short_prompts(model.spec, AUTO):
        if config.extractor == 'model':
            raise ConfigError(
                f'extractor model needs a model that writes or weighs words, and {model.spec} decides tasks'
            )
        _log.info('concepts are found by %s: %s decides tasks only', keywords.spec, model.spec)
        return keywords
    source = WeighedConcepts if talks_in_short(model.spec, AUTO) else WrittenConcepts
    return ModelExtractor(source(model, config.concepts_deadline_s, cancelled=cancelled), keywords)


def _keywords() -> Extractor:
    try:
        return YakeExtractor()
    except ConfigError as error:
        _log.info('concepts are the words themselves: %s', error)
        return make_extractor('words')


def _weighed(known: Sequence[Mention], names: Sequence[str], text: str) -> tuple[Mention, ...]:
    """The mentions, reweighted: words of a one-word name count as a name, words of longer names as part of a phrase.

    What is asked for weighs little, as elsewhere.
    """
    told = weight_of_telling(text)
    weights: dict[int, float] = {}
    for name in names:
        terms = terms_of(name)
        for term in terms:
            weights[term] = max(weights.get(term, 0.0), told * (NAME if len(terms) == 1 else PHRASE / 2))
    return weighed(known, weights)
