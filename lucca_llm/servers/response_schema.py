"""Schemas of model servers' responses, which check types, ranges and lengths for every protocol.

A response that does not fit fails the call. Unknown fields are ignored, as servers add their own.
"""

import json
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from lucca_core.json_text import parse_json
from lucca_llm.model import ToolCall
from lucca_llm.servers.secret import Secret

MOST_TOKENS = 1_000_000_000
_MOST_CALLS = 256


def _as_text(value: Any) -> Any:
    """Arguments of a call as JSON text; some servers send the value itself. The tool checks them, not this module."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _as_plain(text: str) -> str:
    text.encode()  # raises a ValueError for a lone surrogate, which no file or message can hold
    return text


DataT = TypeVar('DataT', bound='_ServerData')
Tokens = Annotated[int, Field(strict=True, ge=0, le=MOST_TOKENS)]
Arguments = Annotated[str | None, BeforeValidator(_as_text)]
Text = Annotated[str, AfterValidator(_as_plain)]
Word = Annotated[Text, Field(max_length=100)]


class UnreadableAnswer(ValueError):
    """A server's response violates its protocol; the message names the field."""


class _ServerData(BaseModel):
    model_config = ConfigDict(frozen=True, extra='ignore', strict=True, allow_inf_nan=False)


class CalledFunction(_ServerData):
    """Name and arguments of a tool call, or the next piece of them in a stream."""

    name: Text | None = None
    arguments: Arguments = None


class CallPart(_ServerData):
    """A tool call, or the next piece of one in a stream, where `index` says which call it continues."""

    index: Annotated[int, Field(ge=0, lt=_MOST_CALLS)] | None = None
    id: Text | None = None
    function: CalledFunction | None = None


class AnswerPart(_ServerData):
    """An answer, or the next piece of one in a stream."""

    content: Text | None = None
    refusal: Text | None = None
    tool_calls: Annotated[list[CallPart], Field(max_length=_MOST_CALLS)] | None = None


class ServerChoice(_ServerData):
    """One alternative answer: `delta` in a stream, otherwise `message`."""

    delta: AnswerPart | None = None
    message: AnswerPart | None = None
    finish_reason: Word | None = None


class TokenCounts(_ServerData):
    """Token counts; None where the server gives none."""

    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None


class OpenAIAnswer(_ServerData):
    """A whole answer of OpenAI's chat completions, or one event of a stream."""

    choices: list[ServerChoice] | None = None
    usage: TokenCounts | None = None
    error: Any = None
    object: Any = None
    """`error` where an event is one whose words are in `message`."""
    message: Any = None


class ListedModel(_ServerData):
    """A model that a server says it has."""

    id: Text


class ListedModels(_ServerData):
    """The list of models in OpenAI's protocol."""

    data: list[ListedModel]


class OllamaCounts(_ServerData):
    """Token counts and reason to stop in the last part of an Ollama answer."""

    prompt_eval_count: Tokens | None = None
    eval_count: Tokens | None = None
    done_reason: Word | None = None


class Embedding(_ServerData):
    """One vector of OpenAI's protocol."""

    index: int
    embedding: list[float]


class OpenAIEmbeddings(_ServerData):
    """Vectors in OpenAI's protocol."""

    data: list[Embedding]


class OllamaEmbeddings(_ServerData):
    """Vectors in Ollama's protocol."""

    embeddings: list[list[float]]


class SpeechSegment(_ServerData):
    """Confidence of a speech recogniser in one segment."""

    avg_logprob: float | None = None
    no_speech_prob: float | None = None


class SpokenText(_ServerData):
    """A transcript of an utterance."""

    text: Text
    language: Word | None = None
    segments: list[SpeechSegment] | None = None


def read_as(kind: type[DataT], sent: Any) -> DataT:
    """JSON, as bytes or parsed, as an instance of `kind`.

    Raises:
        UnreadableAnswer: it does not fit.
    """
    try:
        return kind.model_validate_json(sent) if isinstance(sent, bytes) else kind.model_validate(sent)
    except ValidationError as error:
        why = first_fault(error)
    raise UnreadableAnswer(why)


def first_fault(error: ValidationError) -> str:
    """Names the first wrong field and the type of its value. The value itself may be long or hold a key."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = '.'.join(map(str, first['loc'])) or 'the answer'
    more = f' (and {error.error_count() - 1} more)' if error.error_count() > 1 else ''
    return f'{where}: {first["msg"]}, got {_shown(first["input"])}{more}'


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < MOST_TOKENS):
        return repr(value)
    return 'a larger number' if isinstance(value, int) else f'a {type(value).__name__}'


def read_call(part: CallPart, number: int, key: Secret) -> ToolCall:
    """A complete tool call. Its arguments are not checked against the tool.

    The key is hidden in the parsed arguments, because JSON escapes could spell it in many ways.
    """
    function = part.function or CalledFunction()
    arguments = function.arguments or ''
    try:
        value = parse_json(arguments)
        # Encoding turns a lone surrogate, which no file or message can hold, into a question mark.
        plain = json.dumps(key.hide_in_json(value), ensure_ascii=False).encode(errors='replace').decode()
    except (ValueError, RecursionError):
        plain = arguments
    return ToolCall(
        call_id=key.hide_in(part.id or f'call-{number}')[:100],
        name=key.hide_in(function.name or ''),
        arguments=key.hide_in(plain),
    )
