"""The engine of a local model: turns a chat into a prompt, and draws the answer by tokens or from choices."""

import codecs
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ModelRetryable, ModelUnusable
from lucca_llm.local.chat_template import ChatTemplate
from lucca_llm.local.llama_context import LlamaContext
from lucca_llm.local.prompt_cache import PromptCache
from lucca_llm.local.token_tree import MOST_BRANCHES, token_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call: the chat, the sampling, and constraints of the answer. See ChatOptions."""

    messages: tuple[dict[str, str], ...]
    temperature: float = 0.2
    top_p: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    seed: int | None = None
    max_tokens: int = 256
    grammar: str | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer and its cost in tokens.

    `known_tokens` of the prompt were evaluated before. `likelihoods`: the logarithms of those of the choices.
    """

    text: str
    prompt_tokens: int
    known_tokens: int
    completion_tokens: int
    finish_reason: str = 'stop'
    likelihoods: tuple[float, ...] = ()


class Engine:
    """One model that answers one request at a time."""

    def __init__(self, context: LlamaContext, cache_bytes: int) -> None:
        self._context = context
        self._cache = PromptCache(context, cache_bytes)
        self._scores: OrderedDict[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], list[float]] = OrderedDict()
        begin, end = context.begin_and_end
        self._template = ChatTemplate(context.template, begin=begin, end=end, marks=context.marks)

    def answer(self, request: Request, on_text: Callable[[str], None], cancelled: Callable[[], bool]) -> Answer:
        """The answer to a request.

        Raises:
            ModelUnusable: the chat does not fit the window, or the template or the grammar is wrong.
            ModelRetryable: it was cancelled.
        """
        if len(request.choices) == 1:  # there is nothing to weigh
            on_text(request.choices[0])
            return Answer(text=request.choices[0], prompt_tokens=0, known_tokens=0, completion_tokens=0)
        prompt = self._context.tokenized(self._template.render(request.messages), special=True)
        if not prompt:
            raise ModelUnusable('the chat template of the model makes an empty prompt of this chat')
        answers = [self._context.tokenized(text, special=False) for text in request.choices]
        longest = max(map(len, answers)) + 1 if answers else request.max_tokens
        if len(prompt) + longest > self._context.window:
            raise ModelUnusable(
                f'the prompt has {len(prompt)} tokens and the answer up to {longest}; the context of the model has '
                f'{self._context.window}'
            )
        scores: list[float] = []
        if answers:
            known, scores = self._weighed(prompt, answers, cancelled)
            chosen = _chosen(scores, request)
            on_text(request.choices[chosen])
            text, count, finish_reason = request.choices[chosen], len(answers[chosen]), 'stop'
        else:
            known = self._evaluated(prompt, cancelled)
            text, count, finish_reason = self._drawn(request, on_text, cancelled)
        return Answer(
            text=text,
            prompt_tokens=len(prompt),
            known_tokens=known,
            completion_tokens=count,
            finish_reason=finish_reason,
            likelihoods=tuple(scores),
        )

    def _evaluated(self, prompt: Sequence[int], cancelled: Callable[[], bool]) -> int:
        """Makes the context hold a prompt; returns how many of its tokens were known already."""
        known = self._cache.prepare(prompt)
        if not self._context.evaluate(prompt[known:], cancelled):
            raise ModelRetryable('the call was cancelled')
        return known

    def _weighed(
        self, prompt: Sequence[int], answers: Sequence[Sequence[int]], cancelled: Callable[[], bool]
    ) -> tuple[int, list[float]]:
        """How many tokens of a prompt were known, and the log-likelihoods of its answers.

        The same question is not evaluated again.
        """
        key = (tuple(prompt), tuple(map(tuple, answers)))
        if (scores := self._scores.get(key)) is not None:
            self._scores.move_to_end(key)
            return len(prompt), scores
        known = self._evaluated(prompt, cancelled)
        self._scores[key] = scores = self.log_likelihoods(answers)
        if len(self._scores) > _KEPT_SCORES:
            self._scores.popitem(last=False)
        return known, scores

    def _drawn(
        self, request: Request, on_text: Callable[[str], None], cancelled: Callable[[], bool]
    ) -> tuple[str, int, str]:
        decoder = codecs.getincrementaldecoder('utf-8')('replace')
        pieces, count = list[str](), 0

        def show(data: bytes, *, final: bool = False) -> None:
            if text := decoder.decode(data, final):
                pieces.append(text)
                on_text(text)

        with self._sampler(request) as sampler:
            while True:
                token = int(self._context.functions.llama_sampler_sample(sampler, self._context.handle, -1))
                if self._context.ends(token):
                    finish_reason = 'stop'
                    break
                count += 1
                show(self._context.piece(token))
                if count == request.max_tokens:
                    finish_reason = 'length'
                    break
                if not self._context.evaluate([token], cancelled):
                    raise ModelRetryable('the call was cancelled')
        show(b'', final=True)
        return ''.join(pieces), count, finish_reason

    def log_likelihoods(self, answers: Sequence[Sequence[int]]) -> list[float]:
        """The log-likelihood of each answer, with its end, after the prompt, whose last logits must be known."""
        first = _log_softmax(self._context.logits())
        ends = np.array([token for token in range(self._context.size) if self._context.ends(token)])
        found: list[float] = []
        for start in range(0, len(answers), MOST_BRANCHES):
            found += self._of_one_tree(answers[start : start + MOST_BRANCHES], first, ends)
        return found

    def _of_one_tree(self, answers: Sequence[Sequence[int]], first: NDArray[Any], ends: NDArray[Any]) -> list[float]:
        nodes, paths = token_tree(answers)
        for path in paths:
            if path:
                nodes[path[-1]].is_continued = True  # by the end of the answer
        after: dict[int, NDArray[Any]] = {-1: first}

        def see(number: int, logits: NDArray[Any]) -> None:
            after[number] = _log_softmax(logits)

        self._context.logits_of_branches(nodes, len(answers), see)
        return [
            sum(float(after[nodes[number].parent][nodes[number].token]) for number in path)
            + float(np.logaddexp.reduce(after[path[-1] if path else -1][ends]))
            for path in paths
        ]

    @contextmanager
    def _sampler(self, request: Request) -> Iterator[Any]:
        llama = self._context.functions
        chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        try:
            if request.grammar is not None:
                rules = llama.llama_sampler_init_grammar(self._context.vocabulary, request.grammar.encode(), b'root')
                if not rules:
                    raise ModelUnusable(f'llama.cpp refuses the grammar {request.grammar[:200]!r}')
                llama.llama_sampler_chain_add(chain, rules)
            for part in _drawing(llama, request, self._context.size):
                llama.llama_sampler_chain_add(chain, part)
            yield chain
        finally:
            llama.llama_sampler_free(chain)


def _chosen(scores: Sequence[float], request: Request) -> int:
    """Draws one of the answers, by the likelihood of each as a whole. Temperature 0 takes the most likely one."""
    values = np.array(scores)
    if request.temperature == 0:
        return int(np.argmax(values))
    scaled = (values - values.max()) / request.temperature
    chances = np.exp(scaled) / np.exp(scaled).sum()
    return int(np.random.default_rng(request.seed).choice(len(values), p=chances))


_LAST_TOKENS = 256
_KEPT_SCORES = 512
_DRAWN_SEED = 0xFFFFFFFF
"""The seed for which llama.cpp draws one itself."""


def _drawing(llama: Any, request: Request, words: int) -> Iterator[Any]:
    """The parts of a sampler that draw a token, after a grammar has removed those that are not allowed."""
    if request.frequency_penalty or request.presence_penalty:
        yield llama.llama_sampler_init_penalties(
            words, _LAST_TOKENS, 1.0, request.frequency_penalty, request.presence_penalty
        )
    if request.temperature == 0:
        yield llama.llama_sampler_init_greedy()
        return
    if request.top_p < 1:
        yield llama.llama_sampler_init_top_p(request.top_p, 1)
    yield llama.llama_sampler_init_temp(request.temperature)
    seed = _DRAWN_SEED if request.seed is None else request.seed % _DRAWN_SEED
    yield llama.llama_sampler_init_dist(seed)


def _log_softmax(logits: NDArray[Any]) -> NDArray[Any]:
    values = logits.astype(np.float64)
    top = float(values.max())
    shifted: NDArray[Any] = values - top - math.log(np.exp(values - top).sum())
    return shifted
