"""Client of an Ollama server, over Ollama's own protocol."""

import json
import logging
import re
import time
from collections.abc import Coroutine, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

import httpx
import ollama

from lucca_core.errors import ModelError, ModelRetryable, ToolsRefused
from lucca_core.json_text import parse_json
from lucca_llm.config import OllamaConfig
from lucca_llm.limits.deadline import Emit
from lucca_llm.limits.tokens import estimate_prompt_tokens, estimate_tokens
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_llm.servers.bounded_http import bound_answers, client_options
from lucca_llm.servers.ollama_context import ContextSizer
from lucca_llm.servers.ollama_errors import mapped_ollama_error, words_of
from lucca_llm.servers.response_schema import AnswerPart, CalledFunction, CallPart, OllamaCounts, read_as, read_call
from lucca_llm.servers.secret import Secret, ollama_key
from lucca_llm.servers.server_address import ServerAddress, parse_server_address
from lucca_llm.servers.server_model import ServerModel
from lucca_llm.servers.server_text import AnswerText, retry_after_s

_logger = logging.getLogger(__name__)
_ABOUT_FORMAT = re.compile(r'format|schema|grammar', re.IGNORECASE)
OLLAMA_URL = 'http://127.0.0.1:11434'

# The client's ResponseError has no headers, so a hook on responses notes the wait that the server asks for.
_server_wish: ContextVar[float | None] = ContextVar('_server_wish', default=None)


class OllamaModel(ServerModel):
    """A model behind an Ollama server. See ChatModel. Grammars are not sent, as the protocol has none.

    Raises:
        ConfigError: the URL is malformed or carries a key.
        ModelUnusable: the key is malformed; see `ollama_key`.
    """

    KIND = 'ollama'
    CHECK_TOKENS = 8

    def __init__(self, model: str, url: str = OLLAMA_URL, config: OllamaConfig | None = None) -> None:
        address = parse_server_address(url)
        super().__init__(model, address, ollama_key(address))
        self._config = config or OllamaConfig()
        self._client = _make_client(address, self._key)
        self._sizer = ContextSizer(self._config)
        self._shown: ollama.ShowResponse | None = None
        self._takes_schema = True

    @property
    def native_tools(self) -> bool:
        """See ToolCalling. True until the server has described the model, then as it says."""
        return self._shown is None or _takes_tools(self._shown)

    async def _ask(self, messages: Sequence[Message], options: ChatOptions, emit: Emit) -> ChatReply:
        started_s = time.monotonic()
        _server_wish.set(None)
        bound_answers(options.answer_bytes)
        shown = self._shown = self._shown or await self._client.show(self._model)
        if options.tools and not _takes_tools(shown):
            raise ToolsRefused(f'{self.spec} takes no tools, as its server says')
        plan = self._sizer.plan(
            estimate_tokens=estimate_prompt_tokens(messages) + _tool_tokens(options),
            answer_tokens=options.max_tokens,
            context_length=_context_length(shown) or self._config.fallback_context,
            what=self.spec,
        )
        text = AnswerText(options.max_tokens, emit, self._key)
        request = _request(self._model, messages, options, shown, plan.num_ctx)
        if not self._takes_schema:
            request['format'] = None
        try:
            last, calls = await self._read(await self._client.chat(**request), text)
        except ollama.ResponseError as error:
            if request['format'] is None or text.raw or not _ABOUT_FORMAT.search(words_of(error)):
                raise
            _logger.info('%s refused a schema; asking without', self.spec)
            self._takes_schema = False
            last, calls = await self._read(await self._client.chat(**{**request, 'format': None}), text)
        names = OllamaCounts.model_fields
        counts = read_as(OllamaCounts, {name: getattr(last, name) for name in names})
        read, written = counts.prompt_eval_count or 0, counts.eval_count or 0
        self._sizer.learn(plan, prompt_tokens=read, answer_tokens=written, what=self.spec)
        return ChatReply(
            text=text.shown,
            prompt_tokens=read or plan.estimate_tokens,
            completion_tokens=written or estimate_tokens(text.raw),
            model_s=time.monotonic() - started_s,
            finish_reason=self._key.hide_in(counts.done_reason or 'stop') if last.done else 'length',
            tool_calls=tuple(read_call(call, number, self._key) for number, call in enumerate(calls)),
        )

    async def _read(self, parts: Any, text: AnswerText) -> tuple[ollama.ChatResponse, list[CallPart]]:
        """Reads a stream into `text`. Returns its last part and the tool calls."""
        calls: list[CallPart] = []
        async with aclosing(parts):
            async for part in parts:
                text.add(read_as(AnswerPart, {'content': part.message.content}).content or '')
                for call in part.message.tool_calls or ():
                    arguments = json.dumps(dict(call.function.arguments))
                    calls.append(CallPart(function=CalledFunction(name=call.function.name, arguments=arguments)))
                if part.done or text.is_full:
                    text.close()
                    return part, calls
        raise ModelRetryable(f'{self.spec}: the answer ended in the middle, after {len(text.raw)} characters')

    def _mapped(self, error: Exception) -> ModelError:
        return mapped_ollama_error(error, self.spec, self._model, self._key, _server_wish.get())

    def _close(self) -> Coroutine[Any, Any, object]:
        return self._client.close()  # type: ignore[no-untyped-call]


def _make_client(address: ServerAddress, key: Secret) -> ollama.AsyncClient:
    options = client_options(address, on_response=_note_server_wish, on_request=None if key else _without_key)
    # Given a header, the client does not read a key from the environment.
    options['headers']['Authorization'] = f'Bearer {key.reveal()}' if key else 'none'
    return ollama.AsyncClient(host=address.url, **options)


def _request(
    model: str, messages: Sequence[Message], options: ChatOptions, shown: ollama.ShowResponse, num_ctx: int
) -> dict[str, Any]:
    return {
        'model': model,
        'messages': [_message(message) for message in messages],
        'tools': [tool.json_schema() for tool in options.tools] or None,
        'stream': True,
        # Reasoning would use up the answer's tokens. Models that cannot reason refuse the field.
        'think': False if 'thinking' in (shown.capabilities or ()) else None,
        'format': options.json_schema,
        'options': _ollama_options(options, num_ctx),
    }


def _tool_tokens(options: ChatOptions) -> int:
    """Tokens that the server adds to the prompt for the tools."""
    return estimate_tokens(json.dumps([tool.json_schema() for tool in options.tools])) if options.tools else 0


def _takes_tools(shown: ollama.ShowResponse) -> bool:
    return 'tools' in (shown.capabilities or ())


def _message(message: Message) -> dict[str, Any]:
    shown: dict[str, Any] = {'role': message.role, 'content': message.content}
    if message.tool_calls:
        shown['tool_calls'] = [
            {'function': {'name': call.name, 'arguments': _as_mapping(call.arguments)}} for call in message.tool_calls
        ]
    if message.role == 'tool':
        shown['tool_name'] = message.tool_name
    return shown


def _as_mapping(arguments: str) -> dict[str, Any]:
    """The arguments of a call, or none if they are not JSON; the call's result tells the model so."""
    try:
        read = parse_json(arguments)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _ollama_options(options: ChatOptions, num_ctx: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        'num_ctx': num_ctx,
        'num_predict': options.max_tokens,
        'temperature': options.temperature,
        'top_p': options.top_p,
        'frequency_penalty': options.frequency_penalty,
        'presence_penalty': options.presence_penalty,
    }
    if options.seed is not None:
        result['seed'] = options.seed
    return result


def _context_length(shown: ollama.ShowResponse) -> int | None:
    """The model's context length, found under a key that begins with the name of its architecture."""
    for name, value in (shown.modelinfo or {}).items():
        if name.endswith('.context_length') and isinstance(value, int) and value > 0:
            return value
    return None


async def _without_key(request: httpx.Request) -> None:
    request.headers.pop('Authorization', None)


async def _note_server_wish(response: httpx.Response) -> None:
    if response.status_code >= 400:
        _server_wish.set(retry_after_s(response.headers))
