"""What model servers send, read into checked values: types, ranges and lengths, in one place for every protocol.

What is odd is an error of the call it came with. Unknown fields are let be, as servers add some of their own.
"""

import json
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from lucca_llm.model import ToolCall
from lucca_llm.servers.secret import Secret

MOST_TOKENS = 1_000_000_000
_MOST_CALLS = 256


def _as_text(value: Any) -> Any:
    """Arguments of a call as JSON text; some servers send the value itself. Who reads the call says what is wrong with it."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _as_plain(text: str) -> str:
    text.encode()  # raises a ValueError: no file and no message can hold half a pair of surrogates
    return text


DataT = TypeVar('DataT', bound='_ServerData')
Tokens = Annotated[int, Field(strict=True, ge=0, le=MOST_TOKENS)]
Arguments = Annotated[str | None, BeforeValidator(_as_text)]
Text = Annotated[str, AfterValidator(_as_plain)]
Word = Annotated[Text, Field(max_length=100)]


class UnreadableAnswer(ValueError):
    """A server sent something else than its protocol says; the message names the field."""


class _ServerData(BaseModel):
    model_config = ConfigDict(frozen=True, extra='ignore', strict=True, allow_inf_nan=False)


class CalledFunction(_ServerData):
    """Name and arguments of a call, or the next piece of them."""

    name: Text | None = None
    arguments: Arguments = None


class CallPart(_ServerData):
    """One call, or the next piece of one. `index` is given in streams."""

    index: Annotated[int, Field(ge=0, lt=_MOST_CALLS)] | None = None
    id: Text | None = None
    function: CalledFunction | None = None


class AnswerPart(_ServerData):
    """An answer, or the next piece of one."""

    content: Text | None = None
    refusal: Text | None = None
    tool_calls: Annotated[list[CallPart], Field(max_length=_MOST_CALLS)] | None = None


class Choice(_ServerData):
    """`delta` in streams, else `message`."""

    delta: AnswerPart | None = None
    message: AnswerPart | None = None
    finish_reason: Word | None = None


class TokenCounts(_ServerData):
    """What a server counted. None where it did not."""

    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None


class OpenAIAnswer(_ServerData):
    """A whole answer of OpenAI's chat completions, or one event of a stream."""

    choices: list[Choice] | None = None
    usage: TokenCounts | None = None
    error: Any = None


class OllamaCounts(_ServerData):
    """What the last part of an Ollama answer tells beside its text."""

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
    """How sure a recogniser is of a piece of speech."""

    avg_logprob: float | None = None
    no_speech_prob: float | None = None


class SpokenText(_ServerData):
    """What a server understood of an utterance."""

    text: Text
    language: Word | None = None
    segments: list[SpeechSegment] | None = None


def read_as(kind: type[DataT], sent: Any) -> DataT:
    """A value of this kind from JSON, in bytes or parsed.

    Raises:
        Unreadable: it is none.
    """
    try:
        return kind.model_validate_json(sent) if isinstance(sent, bytes) else kind.model_validate(sent)
    except ValidationError as error:
        why = _why(error)
    raise UnreadableAnswer(why)


def _why(error: ValidationError) -> str:
    """Which field is wrong and how; the value itself is named by its kind only, as it may be long or hold a key."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = '.'.join(map(str, first['loc'])) or 'the answer'
    more = f' (and {error.error_count() - 1} more)' if error.error_count() > 1 else ''
    return f'{where}: {first["msg"]}, got {_shown(first["input"])}{more}'


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < MOST_TOKENS):
        return repr(value)
    return 'a larger number' if isinstance(value, int) else f'a {type(value).__name__}'


def read_call(part: CallPart, number: int, key: Secret) -> ToolCall:
    """A whole call. Its arguments may be anything; that they are what the tool takes is checked where it is known.

    The key is hidden in every spelling that JSON has for it, as whoever reads the arguments undoes that.
    """
    function = part.function or CalledFunction()
    arguments = function.arguments or ''
    try:
        value = json.loads(arguments)
        # By way of bytes: half a pair of surrogates, which no text file or message can hold, becomes a question mark.
        plain = json.dumps(key.hide_in_json(value), ensure_ascii=False).encode(errors='replace').decode()
    except (ValueError, RecursionError):
        plain = arguments
    return ToolCall(
        call_id=key.hide_in(part.id or f'call-{number}')[:100],
        name=key.hide_in(function.name or ''),
        arguments=key.hide_in(plain),
    )
