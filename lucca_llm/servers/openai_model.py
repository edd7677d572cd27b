"""Client of any server with OpenAI's chat completions: OpenAI itself, llama.cpp, vLLM, LM Studio, Ollama's /v1, …"""

import logging
import re
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

import openai

from lucca_core.errors import ModelError, ModelRetryable, ToolsRefused
from lucca_llm.limits.deadline import Emit, call_within
from lucca_llm.limits.tokens import estimate_prompt_tokens, estimate_tokens
from lucca_llm.model import ChatOptions, ChatReply, Message, ToolCall
from lucca_llm.servers.bounded_http import bound_answers, client_options, refused_answer
from lucca_llm.servers.openai_errors import mapped_openai_error, words_of
from lucca_llm.servers.response_schema import (
    AnswerPart,
    CalledFunction,
    CallPart,
    ListedModels,
    OpenAIAnswer,
    TokenCounts,
    read_as,
    read_call,
)
from lucca_llm.servers.secret import Secret, openai_key
from lucca_llm.servers.server_address import OPENAI_URL, parse_server_address
from lucca_llm.servers.server_model import ServerModel
from lucca_llm.servers.server_text import AnswerText, speaks_of_context, words_in

_logger = logging.getLogger(__name__)
_OPTIONAL = ('stream_options', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'seed', 'grammar')
_MOST_FORMS = 8
_LIST_BYTES = 1_000_000
_MOST_NAMED, _NAME_CHARS = 3, 80
_NO_TOOLS = re.compile(r'\btools?\b|tool[_ -]?(?:choice|call|use)|function[_ -]?call|--jinja', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RequestDialect:
    """The part of the protocol that a server supports, learned from what it refuses."""

    without: frozenset[str] = frozenset()
    renamed_max_tokens: bool = False
    schema_form: int = 0
    """How a JSON schema is sent. 0: as json_schema, 1: as json_object with a schema (llama.cpp), 2: not at all."""
    takes_tools: bool = True


class OpenAIModel(ServerModel):
    """A model behind an OpenAI-compatible server. See ChatModel, and `openai_key` for its key.

    Raises:
        ConfigError: the URL is malformed or carries a key.
        ModelUnusable: the key is malformed.
    """

    KIND = 'openai'
    CHECK_TOKENS = 16

    def __init__(self, model: str, url: str = OPENAI_URL) -> None:
        address = parse_server_address(url, default_path='/v1')
        super().__init__(model, address, openai_key(address))
        self._client = self._new_client()
        self._dialect = RequestDialect()

    @property
    def native_tools(self) -> bool:
        """See ToolCalling."""
        return self._dialect.takes_tools

    async def _ask(self, messages: Sequence[Message], options: ChatOptions, emit: Emit) -> ChatReply:
        dialect = self._dialect
        for _ in range(_MOST_FORMS):
            request = _request(self._model, messages, options, dialect)
            try:
                reply = await self._send(request, messages, options, emit)
            except openai.APIStatusError as error:
                if options.tools and _refuses_tools(error):
                    self._dialect = replace(dialect, takes_tools=False)
                    raise ToolsRefused(f'{self.spec} takes no tools: HTTP {error.status_code}') from None
                simpler = _simpler_dialect(dialect, request, error)
                if simpler is None:
                    raise
                _logger.info('%s refused a form of request (HTTP %s); trying %s', self.spec, error.status_code, simpler)
                dialect = simpler
            else:
                self._dialect = dialect
                return reply
        raise ModelRetryable(f'{self.spec} refused every form of the request')

    async def _send(
        self, request: dict[str, Any], messages: Sequence[Message], options: ChatOptions, emit: Emit
    ) -> ChatReply:
        started_s = time.monotonic()
        answer = _Answer(options.max_tokens, emit, self._key)
        await self._receive(self._client, request, options, answer)
        if answer.is_silent:
            # llama_cpp.server ends a stream without a word for a prompt that is too long, for tools, and when another
            # request comes. Asked for the whole answer at once, it gives it, or says what is wrong.
            _logger.info('%s ended its stream before the first word; asking again without a stream', self.spec)
            # On a connection of its own, as the server may be about to close the one of the stream.
            async with self._new_client() as client:
                await self._receive(client, _unstreamed(request), options, answer)
        if answer.finish_reason is None:
            raise ModelRetryable(
                f'{self.spec}: the server ended the answer in the middle, after {len(answer.text.raw)} characters, and'
                ' gave no reason'
            )
        answer.text.close()
        return ChatReply(
            text=answer.text.shown,
            prompt_tokens=answer.usage.prompt_tokens or estimate_prompt_tokens(messages),
            completion_tokens=answer.usage.completion_tokens or estimate_tokens(answer.text.raw),
            model_s=time.monotonic() - started_s,
            finish_reason=self._key.hide_in(answer.finish_reason),
            tool_calls=answer.calls,
        )

    async def _receive(
        self, client: openai.AsyncOpenAI, request: dict[str, Any], options: ChatOptions, answer: '_Answer'
    ) -> None:
        """Sends a request and adds what comes to `answer`."""
        bound_answers(options.answer_bytes)
        # Read as plain JSON, because the client's own types accept any value for any field.
        async with await client.post(
            '/chat/completions',
            cast_to=object,
            body=request,
            options={'headers': self._headers()},
            stream=True,
            stream_cls=openai.AsyncStream[object],
        ) as stream:
            if 'json' in stream.response.headers.get('content-type', ''):
                # This server does not stream.
                answer.take_whole(read_as(OpenAIAnswer, await stream.response.aread()))
                return
            try:
                async for event in stream:
                    answer.take(read_as(OpenAIAnswer, event))
                    if answer.finish_reason == _CUT:
                        break
            except openai.APIConnectionError as error:
                if refused_answer(error) or not (answer.is_silent and request['stream']):
                    raise

    def notice(self, deadline_s: float) -> str:
        """That the server lists other models than this one: some answer with what they have loaded, whatever is asked.

        Only on request, as llama_cpp.server breaks off the answer that it is giving for any other request.
        """
        self._address.require_allowed()
        try:
            names = call_within(lambda emit: self._listed(), deadline_s=deadline_s, what=self.spec)
        except ModelError as error:
            _logger.info('no list of models: %s', error)
            return ''
        if not names or self._model in names:
            return ''
        shown = [self._key.hide_in(''.join(filter(str.isprintable, name)))[:_NAME_CHARS] for name in names]
        more = f' and {len(shown) - _MOST_NAMED} more' if len(shown) > _MOST_NAMED else ''
        listed = ', '.join(shown[:_MOST_NAMED])
        return f'{self.spec} answers, but its server lists no model of that name; it has {listed}{more}'

    async def _listed(self) -> tuple[str, ...]:
        bound_answers(_LIST_BYTES)
        try:
            found = await self._client.get('/models', cast_to=object, options={'headers': self._headers()})
            return tuple(item.id for item in read_as(ListedModels, found).data)
        except Exception as error:  # noqa: BLE001 - whatever it is, there is no list; its text may show the key
            raise ModelRetryable(f'{self.spec}: {type(error).__name__}') from None

    def _headers(self) -> dict[str, Any]:
        # Without a key, the client must be told explicitly to send no Authorization header.
        return {} if self._key else {'Authorization': openai.Omit()}

    def _new_client(self) -> openai.AsyncOpenAI:
        http_client = openai.DefaultAsyncHttpxClient(**client_options(self._address))
        return openai.AsyncOpenAI(
            api_key=self._key.reveal() or 'none',
            admin_api_key='',  # otherwise the client reads one from the environment
            base_url=self._address.url,
            timeout=None,  # call_within enforces the deadline
            max_retries=0,  # limits.retry asks again, within a budget
            http_client=http_client,
        )

    def _mapped(self, error: Exception) -> ModelError:
        return mapped_openai_error(error, self.spec, self._key)

    def _close(self) -> Coroutine[Any, Any, object]:
        return self._client.close()


_CUT = 'length'


class _Answer:
    """An answer put together from the events of a stream."""

    def __init__(self, max_tokens: int, emit: Emit, key: Secret) -> None:
        self._key = key
        self._calls: dict[int, CallPart] = {}
        self.text = AnswerText(max_tokens, emit, key)
        self.usage = TokenCounts()
        self.finish_reason: str | None = None

    @property
    def is_silent(self) -> bool:
        """Whether nothing was said yet, not even that this is the end."""
        return self.finish_reason is None and not self.text.raw and not self._calls

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The complete tool calls."""
        return tuple(read_call(part, number, self._key) for number, part in sorted(self._calls.items()))

    def take(self, event: OpenAIAnswer) -> None:
        """Adds the next event of a stream."""
        if event.error or event.object == 'error':
            raise ValueError(f'the server says: {words_in(event.error or event.message)}')
        self.usage = event.usage or self.usage
        for choice in event.choices or ():
            self._take_said(choice.delta or choice.message or AnswerPart())
            self.finish_reason = choice.finish_reason or self.finish_reason
        if self.text.is_full:
            self.finish_reason = _CUT

    def take_whole(self, document: OpenAIAnswer) -> None:
        """Adds an answer that was not streamed."""
        self.take(document)
        if not document.choices:
            raise ValueError('the answer has no choices')
        self.finish_reason = self.finish_reason or 'stop'

    def _take_said(self, said: AnswerPart) -> None:
        self.text.add(said.content or said.refusal or '')
        for place, part in enumerate(said.tool_calls or ()):
            number = place if part.index is None else part.index
            self._calls[number] = _longer_call(self._calls.get(number), part)


def _request(model: str, messages: Sequence[Message], options: ChatOptions, dialect: RequestDialect) -> dict[str, Any]:
    request: dict[str, Any] = {
        'model': model,
        'messages': [_message(message) for message in messages],
        'stream': True,
        'stream_options': {'include_usage': True},
        'temperature': options.temperature,
        'max_completion_tokens' if dialect.renamed_max_tokens else 'max_tokens': options.max_tokens,
    }
    # Left out at the protocol's default, as some servers refuse these options altogether.
    if options.top_p != 1:
        request['top_p'] = options.top_p
    if options.frequency_penalty:
        request['frequency_penalty'] = options.frequency_penalty
    if options.presence_penalty:
        request['presence_penalty'] = options.presence_penalty
    if options.seed is not None:
        request['seed'] = options.seed
    if options.json_schema is not None:
        if dialect.schema_form == 0:
            schema = {'name': 'answer', 'schema': options.json_schema, 'strict': True}
            request['response_format'] = {'type': 'json_schema', 'json_schema': schema}
        elif dialect.schema_form == 1:
            request['response_format'] = {'type': 'json_object', 'schema': options.json_schema}
    elif options.grammar is not None and 'grammar' not in dialect.without:
        request['grammar'] = options.grammar
    if options.tools:
        request['tools'] = [tool.json_schema() for tool in options.tools]
        request['tool_choice'] = 'auto'  # the protocol's default, but llama_cpp.server takes none as `none`
    for name in dialect.without:
        request.pop(name, None)
    return request


def _unstreamed(request: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name != 'stream_options'} | {'stream': False}


def _message(message: Message) -> dict[str, Any]:
    shown: dict[str, Any] = {'role': message.role, 'content': message.content}
    if message.tool_calls:
        shown['tool_calls'] = [
            {'id': call.call_id, 'type': 'function', 'function': {'name': call.name, 'arguments': call.arguments}}
            for call in message.tool_calls
        ]
    if message.role == 'tool':
        shown['tool_call_id'] = message.call_id
    return shown


def _longer_call(known: CallPart | None, part: CallPart) -> CallPart:
    """A streamed call with its next part. The name comes first and whole, the arguments in pieces."""
    if known is None:
        return part
    first, more = known.function or CalledFunction(), part.function or CalledFunction()
    arguments = (first.arguments or '') + (more.arguments or '')
    return CallPart(id=known.id or part.id, function=CalledFunction(name=first.name or more.name, arguments=arguments))


def _refuses_tools(error: openai.APIStatusError) -> bool:
    said = f'{error.param} {words_of(error)}'
    return (
        error.status_code in (400, 404, 422, 500, 501)
        and not speaks_of_context(said)
        and _NO_TOOLS.search(said) is not None
    )


def _simpler_dialect(
    dialect: RequestDialect, request: dict[str, Any], error: openai.APIStatusError
) -> RequestDialect | None:
    """The dialect to try after this refusal, or None if the refusal is not about the form of the request."""
    form_may_be_why = error.status_code in (400, 422) or (
        error.status_code in (500, 501) and 'response_format' in request
    )
    said = f'{error.param} {words_of(error)}'
    if not form_may_be_why or speaks_of_context(said):
        return None
    if error.status_code in (400, 422):
        if 'max_tokens' in request and 'max_completion_tokens' in said:
            return replace(dialect, renamed_max_tokens=True)
        for name in _OPTIONAL:
            if name in request and name in said:
                return replace(dialect, without=dialect.without | {name})
        if 'grammar' in request and 'response_format' not in request:
            return replace(dialect, without=dialect.without | {'grammar'})
    if 'response_format' in request:
        return replace(dialect, schema_form=dialect.schema_form + 1)
    return None
