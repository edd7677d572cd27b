"""The protocol that every language model implements, with its messages, options and replies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

MOST_ANSWER_BYTES = 4_000_000
"""Default bound on an answer, in decoded bytes."""

Role = Literal['system', 'user', 'assistant', 'tool']


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A function that a model may call. `parameters` are (name, meaning) pairs; every argument is a required text."""

    name: str
    description: str
    parameters: tuple[tuple[str, str], ...] = ()

    def json_schema(self) -> dict[str, Any]:
        """The function in the notation that OpenAI's and Ollama's protocols share."""
        schema = {
            'type': 'object',
            'properties': {name: {'type': 'string', 'description': meaning} for name, meaning in self.parameters},
            'required': [name for name, _ in self.parameters],
            'additionalProperties': False,
        }
        function = {'name': self.name, 'description': self.description, 'parameters': schema}
        return {'type': 'function', 'function': function}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asks for. `arguments` is JSON as the model wrote it, and may be malformed."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat.

    An assistant's message may hold calls; a tool's message is the result of call `call_id` of tool `tool_name`.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ''
    tool_name: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """Sampling, limits and answer constraints of one call.

    The sampling defaults are those of "Robots Can Multitask Too", section IV. `tools` are offered natively, and only to
    models with `native_tools`. `deadline_s` bounds the wall time of the whole call, streaming included. `max_tokens`
    bounds the answer; `answer_bytes` bounds all that a server sends for it, in decoded bytes. `json_schema` and
    `grammar` (GBNF) constrain the answer if the server supports that; callers still parse strictly. `choices` are all
    possible answers: a model that can compute the likelihood of each draws one of them.
    """

    temperature: float = 0.2
    top_p: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    seed: int | None = None
    deadline_s: float = 60.0
    max_tokens: int = 256
    answer_bytes: int = MOST_ANSWER_BYTES
    json_schema: dict[str, Any] | None = field(default=None, hash=False)
    grammar: str | None = None
    choices: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()

    def __post_init__(self) -> None:
        if not self.deadline_s > 0:
            raise ValueError(f'deadline_s must be positive, got {self.deadline_s}')
        if self.max_tokens < 1:
            raise ValueError(f'max_tokens must be at least 1, got {self.max_tokens}')
        if self.answer_bytes < 1:
            raise ValueError(f'answer_bytes must be at least 1, got {self.answer_bytes}')
        if not 0 <= self.temperature <= 2:
            raise ValueError(f'temperature must be within 0 and 2, got {self.temperature}')


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """A model's answer and its cost. Token counts are the server's, or estimates if it reports none.

    `likelihoods`: the log-likelihood of each of `ChatOptions.choices`, from models that compute it; else empty.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    model_s: float
    finish_reason: str = 'stop'
    tool_calls: tuple[ToolCall, ...] = ()
    likelihoods: tuple[float, ...] = ()


@runtime_checkable
class ToolCalling(Protocol):
    """A model that may accept `ChatOptions.tools`."""

    @property
    def native_tools(self) -> bool:
        """False once the server has refused tools; the refused call raised ToolsRefused."""
        ...


def has_native_tools(model: object) -> bool:
    """Whether to offer tools natively. A model that is not ToolCalling is asked in text."""
    return isinstance(model, ToolCalling) and model.native_tools


@runtime_checkable
class NoticingModel(Protocol):
    """A model that can say what somebody should know of it though it answers."""

    def notice(self, deadline_s: float) -> str:
        """What it is; empty for nothing. Takes at most `deadline_s`, and a failure to find out is nothing."""
        ...


def notice_of(model: object, deadline_s: float) -> str:
    """What somebody should know of a model though it answers; empty for nothing."""
    return model.notice(deadline_s) if isinstance(model, NoticingModel) else ''


class ChatModel(Protocol):
    """A language model. Implementations can be called from several threads at once."""

    @property
    def spec(self) -> str:
        """The string that chose this model, without any key."""
        ...

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer to a chat.

        Args:
            messages: at least one; the first may be the system prompt.
            options: see ChatOptions; `deadline_s` holds even if the server stalls.
            on_text: called with each piece of text as the server streams it; never with reasoning.
            cancelled: polled at least every 50 ms; once it returns true, the call ends with ModelRetryable.

        Raises:
            ModelTimeout: the deadline passed.
            ModelRetryable: asking again may help.
            ModelUnusable: asking again cannot help. ToolsRefused, one of these: ask again without tools.
        """
        ...

    def check(self, deadline_s: float) -> None:
        """Makes the model answer once, for activation and `lucca doctor`.

        Raises:
            ModelError: it gave no answer.
        """
        ...
