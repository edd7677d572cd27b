"""Text embeddings from an Ollama or OpenAI-compatible server, usable as lucca_memory's `Embedder`."""

import time
from collections.abc import Sequence
from typing import Literal

import httpx
import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ConfigError, ModelError, ModelRetryable, ModelTimeout, ModelUnusable
from lucca_core.json_text import parse_json
from lucca_llm.limits.deadline import call_within, finish
from lucca_llm.servers.advice import ollama_advice, openai_advice
from lucca_llm.servers.bounded_http import bound_answers, client_options, refused_answer
from lucca_llm.servers.response_schema import OllamaEmbeddings, OpenAIEmbeddings, UnreadableAnswer, read_as
from lucca_llm.servers.secret import ollama_key, openai_key
from lucca_llm.servers.server_address import OPENAI_URL, parse_server_address
from lucca_llm.servers.server_text import connection_failed, is_transient, quoted, words_in

EmbeddingProtocol = Literal['ollama', 'openai']

URLS: dict[str, str] = {'ollama': 'http://localhost:11434', 'openai': OPENAI_URL}
_AT_ONCE = 64
_LONGEST_CHARS = 8_000
"""Texts are cut here, as servers refuse longer ones than their model takes; all common models take 2,000 tokens."""

_BYTES_PER_TEXT = 200_000
"""Enough for 8,192 numbers with all their digits."""


class HttpEmbedder:
    """Embeddings from a server. The first answer shows the length of the vectors."""

    def __init__(self, dialect: EmbeddingProtocol, model: str, url: str = '', *, deadline_s: float = 20.0) -> None:
        """Asks the server for one vector.

        Raises:
            ConfigError: the URL is malformed.
            ModelRetryable: the server does not answer now.
            ModelUnusable: it lacks the model, or requests are turned off.
        """
        self._dialect = dialect
        self._model = model
        self._address = parse_server_address(url or URLS[dialect], default_path='/v1' if dialect == 'openai' else '')
        self._address.require_allowed()
        self._key = openai_key(self._address) if dialect == 'openai' else ollama_key(self._address)
        self._deadline_s = deadline_s
        self.spec = f'{dialect}:{model}@{self._address.url}'
        self._client = httpx.AsyncClient(**client_options(self._address))
        if self._key:
            self._client.headers['Authorization'] = f'Bearer {self._key.reveal()}'
        self.dimensions = 0
        try:
            self.dimensions = int(self._ask(['dimensions'], time.monotonic() + deadline_s).shape[1])
        except ModelError:
            self.close()
            raise

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per text, shape (n, d).

        Raises:
            ModelRetryable: the server did not answer in time.
            ModelUnusable: asking again cannot help.
        """
        deadline = time.monotonic() + self._deadline_s
        parts = [
            self._ask([text[:_LONGEST_CHARS] or ' ' for text in texts[start : start + _AT_ONCE]], deadline)
            for start in range(0, len(texts), _AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), np.float32)

    def close(self) -> None:
        """Closes the connections."""
        finish(self._client.aclose())

    def _ask(self, texts: Sequence[str], deadline: float) -> NDArray[np.float32]:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise ModelTimeout(f'{self.spec} did not answer in time')
        return call_within(lambda _: self._answer(texts), deadline_s=left_s, what=self.spec)

    async def _answer(self, texts: Sequence[str]) -> NDArray[np.float32]:
        bound_answers(_BYTES_PER_TEXT * len(texts))
        path = '/api/embed' if self._dialect == 'ollama' else '/embeddings'
        try:
            reply = await self._client.post(
                f'{self._address.url}{path}', json={'model': self._model, 'input': list(texts)}
            )
            if reply.status_code == 200:
                return self._unit_vectors(reply.content, len(texts))
        except Exception as error:  # noqa: BLE001 - whatever a server makes the client raise is mapped
            said = quoted(str(refused_answer(error) or error), self._key)
            if isinstance(error, httpx.HTTPError):
                raised = connection_failed(self.spec, type(error).__name__, said)
            else:
                raised = ModelRetryable(f'{self.spec}: unreadable answer ({type(error).__name__}: {said})')
        else:
            raised = self._refusal(reply)
        # Raised outside the handler, so that an error that may show the key does not become its context.
        raise raised

    def _refusal(self, reply: httpx.Response) -> ModelRetryable | ModelUnusable:
        status = reply.status_code
        if 300 <= status < 400:
            return ModelUnusable(f'{self.spec}: HTTP {status}: the server is elsewhere; redirects are not followed')
        said = quoted(_words_of(reply.text), self._key)
        if is_transient(status):
            return ModelRetryable(f'{self.spec}: HTTP {status}: {said}')
        advice = openai_advice(status) if self._dialect == 'openai' else ollama_advice(status, said, self._model)
        return ModelUnusable(f'{self.spec}: HTTP {status}: {advice}{said}')

    def _unit_vectors(self, answer: bytes, count: int) -> NDArray[np.float32]:
        if self._dialect == 'ollama':
            rows = read_as(OllamaEmbeddings, answer).embeddings
        else:
            rows = [
                item.embedding for item in sorted(read_as(OpenAIEmbeddings, answer).data, key=lambda item: item.index)
            ]
        if {len(row) for row in rows} - {self.dimensions or len(rows[0])} or len(rows) != count:
            raise UnreadableAnswer(
                f'asked for {count} vectors of length {self.dimensions}, got {len(rows)} of other lengths'
            )
        vectors = np.array(rows, np.float32)
        if not vectors.shape[1] or not np.isfinite(vectors).all():
            raise UnreadableAnswer('a vector is empty or holds numbers that are not finite')
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def _words_of(body: str) -> str:
    try:
        return words_in(parse_json(body)) or body
    except (ValueError, RecursionError):
        return body


def make_http_embedder(spec: str) -> HttpEmbedder:
    """The embedder of a spec `ollama:MODEL[@URL]` or `openai:MODEL[@URL]`.

    Raises:
        ConfigError: the spec has neither form.
        ModelError: see HttpEmbedder.
    """
    kind, _, rest = spec.partition(':')
    model, separator, url = rest.partition('@http')
    address = f'http{url}' if separator else ''
    if model and kind == 'ollama':
        return HttpEmbedder('ollama', model, address)
    if model and kind == 'openai':
        return HttpEmbedder('openai', model, address)
    raise ConfigError(f'{kind}:… is no embedding server; the forms are ollama:MODEL[@URL] and openai:MODEL[@URL]')
