"""Exceptions of the `ollama` client, mapped to ModelError and its subclasses."""

import re

import httpx
import ollama
from pydantic import ValidationError

from lucca_core.errors import ModelError, ModelRetryable, ModelTimeout, ModelUnusable
from lucca_core.json_text import parse_json
from lucca_llm.servers.advice import ollama_advice
from lucca_llm.servers.bounded_http import refused_answer
from lucca_llm.servers.response_schema import first_fault
from lucca_llm.servers.secret import Secret
from lucca_llm.servers.server_text import connection_failed, is_transient, quoted, speaks_of_context, words_in

_MEMORY = re.compile(r'more system memory|out of memory|insufficient memory', re.IGNORECASE)


def mapped_ollama_error(
    error: Exception, what: str, model: str, key: Secret, retry_after_s: float | None = None
) -> ModelError:
    """The ModelError for an exception of the client; never holds the key.

    Args:
        error: anything raised during the call.
        what: names the model in the message.
        model: its bare name, for the command that fetches it.
        key: removed from the server's message.
        retry_after_s: from the response's headers, which the client's exceptions do not carry.
    """
    if (refused := refused_answer(error)) is not None:
        return ModelRetryable(f'{what}: {refused}')
    said = quoted(words_of(error) or type(error).__name__, key)
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return ModelTimeout(f'{what} did not answer in time')
    if isinstance(error, ollama.ResponseError):
        return _from_response(error, what, model, said, retry_after_s)
    if isinstance(error, httpx.ConnectError | ConnectionError):
        failed = connection_failed(what, type(error).__name__, said)
        if isinstance(failed, ModelUnusable):
            return failed
        return ModelRetryable(f'{what}: no Ollama server answers there ({said}); start it with `ollama serve`')
    if isinstance(error, httpx.HTTPError | httpx.StreamError | OSError):
        return connection_failed(what, type(error).__name__, said)
    if isinstance(error, ollama.RequestError | httpx.InvalidURL):
        return ModelUnusable(f'{what}: the request cannot be made: {said}')
    return ModelRetryable(f'{what}: unreadable answer ({type(error).__name__}: {said})')


def _from_response(
    error: ollama.ResponseError, what: str, model: str, said: str, retry_after_s: float | None
) -> ModelError:
    status = error.status_code
    if speaks_of_context(said):
        return ModelUnusable(f'{what}: the prompt does not fit its context: {said}')
    if _MEMORY.search(said):
        return ModelUnusable(f'{what}: the server has too little memory for this model: {said}')
    if is_transient(status) or status < 300:  # -1 for an error in the middle of a stream
        return ModelRetryable(f'{what}: {said}', retry_after_s=retry_after_s)
    if status < 400:
        return ModelUnusable(f'{what}: HTTP {status}: the server is elsewhere; redirects are not followed')
    return ModelUnusable(f'{what}: HTTP {status}: {ollama_advice(status, said, model)}{said}')


def words_of(error: Exception) -> str:
    """What an exception of the client says, in the server's own words where it has some."""
    if isinstance(error, ollama.ResponseError):
        try:
            # The client takes a body without the member `error` for the message itself.
            return words_in(parse_json(error.error))
        except (ValueError, TypeError, RecursionError):
            return words_in(error.error)
    if isinstance(error, ValidationError):
        return first_fault(error)
    if isinstance(error, ConnectionError) and isinstance(error.__context__, httpx.ConnectError):
        return str(error.__context__)  # the client's own message does not give the reason
    return str(error)
