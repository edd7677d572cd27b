"""Recording what a model answered, and answering from the recording: a run with a real model becomes a test for ever.

A recording is a file of JSON lines, one call each: the request, its key, and the reply or the error. Times of day differ
from run to run and are left out of the key, as is the deadline, which is what was left of somebody's budget.
"""

import fcntl
import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError, ModelError, ModelRetryable, ModelTimeout, ModelUnusable, ToolsRefused
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message, ToolCall, ToolSpec
from lucca_llm.wrapped import Ask, WrappedModel

_TIME_OF_DAY = re.compile(r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?')
_ERRORS: dict[str, type[ModelError]] = {
    kind.__name__: kind for kind in (ModelError, ModelRetryable, ModelTimeout, ModelUnusable, ToolsRefused)
}
_CONTEXT_CHARS = 40


class RecordingModel(WrappedModel):
    """A model whose calls are appended to a file, failures included. Safe to use from several threads and processes."""

    def __init__(self, model: ChatModel, file: Path) -> None:
        super().__init__(model)
        self._file = file
        self._lock = threading.Lock()

    @property
    def spec(self) -> str:
        """The string that chose this model."""
        return f'record:{self._file}:{self._model.spec}'

    def _around(
        self, messages: Sequence[Message], options: ChatOptions, ask: Ask, cancelled: Callable[[], bool]
    ) -> ChatReply:
        request = _request(messages, options)
        line: dict[str, Any] = {'key': _key(request), 'model': self._model.spec, 'request': request}
        try:
            reply = ask(messages)
        except ModelError as error:
            # What was cancelled says nothing about the model; played back, it would look like a failure of its own.
            if not cancelled():
                self._append({**line, 'error': {'type': type(error).__name__, 'message': str(error)}})
            raise
        self._append({**line, 'reply': asdict(reply)})
        return reply

    def _append(self, line: dict[str, Any]) -> None:
        data = (json.dumps(line, ensure_ascii=False, sort_keys=True) + '\n').encode()
        with self._lock:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                written = os.write(handle, data)
                while written < len(data):
                    written += os.write(handle, data[written:])
                os.fsync(handle)
            finally:
                os.close(handle)


@dataclass(frozen=True, slots=True)
class _Recorded:
    line: int
    request: dict[str, Any]
    reply: ChatReply | None
    error: ModelError | None


class ReplayModel:
    """Answers from a recording: a request equal to a recorded one, in every message and option, gets what it got then.

    A request recorded several times gets its answers in their order, the last one from then on.

    Raises:
        ConfigError: the file is missing or a line of it is not a recorded call; a last line without its end is ignored.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._recorded = _read(file)
        self._by_key: dict[str, list[_Recorded]] = {}
        for item in self._recorded:
            self._by_key.setdefault(_key(item.request), []).append(item)
        self._asked: dict[str, int] = {}
        self._lock = threading.Lock()

    @property
    def spec(self) -> str:
        """The string that chose this model."""
        return f'replay:{self._file}'

    @property
    def native_tools(self) -> bool:
        """Whether tools were offered in the recording."""
        return any(item.request['options']['tools'] for item in self._recorded)

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """The recorded answer; see ChatModel.

        Raises:
            ModelError: the recorded one.
            ModelUnusable: the request is not in the recording; says what differs first from the most similar one.
        """
        if cancelled is not None and cancelled():
            raise ModelRetryable(f'{self.spec} was cancelled')
        request = _request(messages, options)
        key = _key(request)
        with self._lock:
            answers = self._by_key.get(key)
            count = self._asked.get(key, 0)
            self._asked[key] = count + 1
        if answers is None:
            raise ModelUnusable(f'{self.spec} has no such request; {_first_difference(request, self._recorded)}')
        item = answers[min(count, len(answers) - 1)]
        if item.error is not None:
            raise type(item.error)(*item.error.args)
        assert item.reply is not None
        if on_text is not None:
            on_text(item.reply.text)
        return item.reply

    def check(self, deadline_s: float) -> None:
        """See ChatModel. The file was read when the model was made, so there is nothing left to fail."""


def _request(messages: Sequence[Message], options: ChatOptions) -> dict[str, Any]:
    shown_options = asdict(options)
    del shown_options['deadline_s']
    return {'messages': [asdict(message) for message in messages], 'options': shown_options}


def _key(request: dict[str, Any]) -> str:
    text = json.dumps(_without_times(request), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_times(request: dict[str, Any]) -> dict[str, Any]:
    messages = [{**message, 'content': _settled(message['content'])} for message in request['messages']]
    return {**request, 'messages': messages}


def _settled(text: str) -> str:
    return _TIME_OF_DAY.sub('TIME', text)


def _read(file: Path) -> tuple[_Recorded, ...]:
    try:
        text = file.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'recording cannot be read: {error}', file=str(file)) from error
    lines = text.split('\n')[:-1]  # what follows the last line end is torn, or nothing
    recorded = []
    for number, line in enumerate(lines, start=1):
        try:
            recorded.append(_recorded(json.loads(line), number))
        except (KeyError, TypeError, ValueError) as error:
            reason = f'not a recorded call ({type(error).__name__}: {error})'
            raise ConfigError(reason, file=str(file), line=number) from error
    if not recorded:
        raise ConfigError('recording holds no call', file=str(file))
    return tuple(recorded)


def _recorded(document: Any, line: int) -> _Recorded:
    request = document['request']
    messages = [_message(message) for message in request['messages']]
    settled = _request(messages, _options(request['options']))
    if 'error' in document:
        kind = _ERRORS[document['error']['type']]
        return _Recorded(line, settled, None, kind(str(document['error']['message'])))
    return _Recorded(line, settled, ChatReply(**document['reply'] | _calls(document['reply'])), None)


def _calls(document: Any) -> dict[str, Any]:
    return {'tool_calls': tuple(ToolCall(**call) for call in document.get('tool_calls', ()))}


def _message(document: Any) -> Message:
    return Message(**document | _calls(document))


def _options(document: Any) -> ChatOptions:
    tools = (
        ToolSpec(item['name'], item['description'], tuple((name, meaning) for name, meaning in item['parameters']))
        for item in document.get('tools', ())
    )
    return ChatOptions(**document | {'tools': tuple(tools)})


def _first_difference(request: dict[str, Any], recorded: Sequence[_Recorded]) -> str:
    """Where the request first differs from the recorded one that it follows furthest."""
    ours = _parts(request)
    best_length, best_text = -1, ''
    for item in recorded:
        theirs = _parts(item.request)
        same = 0
        for (name, mine), (other_name, other) in zip(ours, theirs, strict=False):
            if name != other_name:
                break
            if mine != other:
                at = _same_characters(mine, other)
                length = same + at
                if length > best_length:
                    best_length = length
                    best_text = (
                        f'line {item.line} is closest and differs first in {name}, character {at}:'
                        f' {_around(mine, at)} was asked, {_around(other, at)} is recorded'
                    )
                break
            same += len(mine) + 1
        else:
            if same > best_length:
                best_length = same
                best_text = f'line {item.line} is closest and has {len(theirs)} parts, where {len(ours)} were asked'
    return best_text or 'no recorded request begins alike'


def _same_characters(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _parts(request: dict[str, Any]) -> list[tuple[str, str]]:
    options = [(f'option {name}', repr(value)) for name, value in sorted(request['options'].items())]
    parts = []
    for index, message in enumerate(request['messages']):
        parts.append((f'the role of message {index + 1}', message['role']))
        parts.append((f'message {index + 1} ({message["role"]})', _settled(message['content'])))
    return [*parts, *options]


def _around(text: str, at: int) -> str:
    return repr(text[max(0, at - _CONTEXT_CHARS // 2) : at + _CONTEXT_CHARS])
