"""Exceptions of the `openai` client, mapped to ModelError and its subclasses."""

import openai

from lucca_core.errors import ModelError, ModelRetryable, ModelTimeout, ModelUnusable
from lucca_llm.servers.advice import openai_advice
from lucca_llm.servers.bounded_http import refused_answer
from lucca_llm.servers.secret import Secret
from lucca_llm.servers.server_text import (
    connection_failed,
    is_transient,
    quoted,
    retry_after_s,
    speaks_of_context,
    words_in,
)


def mapped_openai_error(error: Exception, what: str, key: Secret) -> ModelError:
    """The ModelError for an exception of the client; never holds the key.

    Args:
        error: anything raised during the call.
        what: names the model in the message.
        key: removed from the server's message.
    """
    if (refused := refused_answer(error)) is not None:
        return ModelRetryable(f'{what}: {refused}')
    said = quoted(words_of(error), key)
    if isinstance(error, openai.APITimeoutError | TimeoutError) or 'Timeout' in type(error).__name__:
        return ModelTimeout(f'{what} did not answer in time')
    if isinstance(error, openai.APIConnectionError):
        reason = error.__cause__ or error
        said = quoted(str(reason) or type(reason).__name__, key)
        return connection_failed(what, type(reason).__name__, said)
    if isinstance(error, openai.APIStatusError):
        return _from_status(error, what, said)
    if speaks_of_context(said):
        return ModelUnusable(f'{what}: the prompt does not fit its context: {said}')
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return ModelUnusable(f'{what}: its content filter refused the request')
    return ModelRetryable(f'{what}: unreadable answer ({type(error).__name__}: {said})')


def _from_status(error: openai.APIStatusError, what: str, said: str) -> ModelError:
    status = error.status_code
    if _is_about_context(error):
        return ModelUnusable(f'{what}: the prompt does not fit its context (HTTP {status}): {said}')
    if error.code == 'insufficient_quota':
        return ModelUnusable(f'{what}: the account has no quota left (HTTP {status}): {said}')
    if is_transient(status):
        return ModelRetryable(f'{what}: HTTP {status}: {said}', retry_after_s=retry_after_s(error.response.headers))
    if 300 <= status < 400:
        return ModelUnusable(f'{what}: HTTP {status}: the server is elsewhere; redirects are not followed with a key')
    return ModelUnusable(f'{what}: HTTP {status}: {openai_advice(status)}{said}')


def _is_about_context(error: openai.APIError) -> bool:
    names = f'{error.code} {error.type}'
    return 'context' in names or speaks_of_context(words_of(error))


def words_of(error: Exception) -> str:
    """What a server says about an error.

    OpenAI's form is `{"error": {"message": …}}`. Others answer with a text, `{"error": …}`, `{"detail": …}` or a list,
    of which the client's own message holds nothing.
    """
    if not isinstance(error, openai.APIError):
        return str(error)
    return words_in(error.body) or error.message
