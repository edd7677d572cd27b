"""Calls to a speech server with OpenAI's protocol, with limits on time and size, for transcriber and speaker."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import openai

from lucca_core.errors import ConfigError, ModelError, SpeechError
from lucca_llm.limits.deadline import Emit, call_within
from lucca_llm.servers.bounded_http import bound_answers, client_options
from lucca_llm.servers.openai_errors import mapped_openai_error
from lucca_llm.servers.secret import openai_key
from lucca_llm.servers.server_address import OPENAI_URL, parse_server_address

T = TypeVar('T')


class OpenaiAudioServer:
    """Calls one speech server, with a hard deadline per call. API keys are chosen as they are for chat models."""

    def __init__(self, kind: str, argument: str, timeout_s: float, most_bytes: int) -> None:
        self.model, _, url = argument.partition('@')
        if not self.model:
            raise ConfigError('openai needs a model, as in openai:whisper-1@http://localhost:8000')
        self._endpoint = parse_server_address(url or OPENAI_URL, default_path='/v1')
        self._key = openai_key(self._endpoint)
        self._timeout_s = timeout_s
        self._most_bytes = most_bytes
        self.name = f'openai:{self.model}@{self._endpoint.url}'
        self._what = f'{kind} by {self.name}'

    def hide_key(self, text: str) -> str:
        """Removes the API key from a text of the server."""
        return self._key.hide_in(text)

    def call(self, ask: Callable[[openai.AsyncOpenAI], Awaitable[Any]], read: Callable[[bytes], T]) -> T:
        """Sends the request that `ask` makes and returns the response body as parsed by `read`.

        Raises:
            SpeechError: the server did not answer in time, answered with an error, or sent an invalid body.
        """

        async def answer(_: Emit) -> bytes:
            bound_answers(self._most_bytes)
            http = openai.DefaultAsyncHttpxClient(**client_options(self._endpoint))
            async with openai.AsyncOpenAI(
                base_url=self._endpoint.url, api_key=self._key.reveal() or 'none', max_retries=0, http_client=http
            ) as client:
                return bytes((await ask(client)).content)

        try:
            self._endpoint.require_allowed()
            return read(call_within(answer, deadline_s=self._timeout_s, what=self._what))
        except (ModelError, SpeechError) as error:
            raise SpeechError(self._key.hide_in(str(error))) from None
        except Exception as error:  # noqa: BLE001 - whatever a server makes the client raise is mapped
            mapped = mapped_openai_error(error, self.name, self._key)
            cause = None if self._key.is_in(error) else error
        raise SpeechError(f'{self._what}: {mapped}') from cause
