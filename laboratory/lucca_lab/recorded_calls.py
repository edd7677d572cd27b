"""Recordings of model calls: a wrapper that records calls to a file, and a model that answers from one.

A recording is a file of JSON lines with one call each: the request, its key, and the reply or the error. The key
ignores dates with times and the deadline, which differ from run to run.
"""

import fcntl
import hashlib
import json
import math
import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError, ModelError, ModelRetryable, ModelTimeout, ModelUnusable, ToolsRefused
from lucca_core.json_text import parse_json
from lucca_core.regular_file import open_regular, read_regular
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message, ToolCall, ToolSpec
from lucca_llm.wrapper import Ask, ModelWrapper

_TIME_OF_DAY = re.compile(r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?')
_ERRORS: dict[str, type[ModelError]] = {
    kind.__name__: kind for kind in (ModelError, ModelRetryable, ModelTimeout, ModelUnusable, ToolsRefused)
}
_CONTEXT_CHARS = 40
_MOST_TOKENS = 2**31 - 1
_LONGEST_S = 1e6


class RecordingModel(ModelWrapper):
    """Appends the wrapped model's calls to a file, including failed ones. Safe for several threads and processes."""

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
        line: dict[str, Any] = {**request_line(messages, options), 'model': self._model.spec}
        try:
            reply = ask(messages)
        except ModelError as error:
            # A cancelled call says nothing about the model, and would be replayed as a failure.
            if not cancelled():
                self._append({**line, 'error': {'type': type(error).__name__, 'message': str(error)}})
            raise
        self._append({**line, 'reply': asdict(reply)})
        return reply

    def _append(self, line: dict[str, Any]) -> None:
        # A lone surrogate cannot be encoded in UTF-8, so it is written as its JSON escape.
        data = (json.dumps(line, ensure_ascii=False, sort_keys=True) + '\n').encode(errors='backslashreplace')
        with self._lock:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                handle = open_regular(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX)
                    _write_line(handle, data)
                finally:
                    os.close(handle)
            except OSError as error:
                raise ModelUnusable(f'the call could not be recorded in {self._file}: {error}') from error


def _write_line(handle: int, data: bytes) -> None:
    """Appends a line whole or not at all, after cutting off a line that a crash left incomplete."""
    end = os.fstat(handle).st_size
    if end and os.pread(handle, 1, end - 1) != b'\n':
        end = os.pread(handle, end, 0).rfind(b'\n') + 1
        os.ftruncate(handle, end)
    try:
        written = 0
        while written < len(data):
            written += os.write(handle, data[written:])
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, end)
        raise


@dataclass(frozen=True, slots=True)
class _Recorded:
    line: int
    request: dict[str, Any]
    reply: ChatReply | None
    error: ModelError | None


class ReplayModel:
    """Answers each request from a recording, which has to contain a request with the same messages and options.

    A request that was recorded several times gets its answers in order, then keeps getting the last one.

    Raises:
        ConfigError: the file is missing, or a line is not a recorded call. An incomplete last line is ignored.
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
        """Whether any recorded request offered tools."""
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
            ModelError: the recorded error.
            ModelUnusable: the request was not recorded; the message shows the first difference to the most similar one.
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
        """See ChatModel. Cannot fail, as the file was read when the model was made."""


def request_line(messages: Sequence[Message], options: ChatOptions) -> dict[str, Any]:
    """A request as a recording holds it, with its key. The recording also has `model`, and `reply` or `error`."""
    request = _request(messages, options)
    return {'key': _key(request), 'request': request}


def _request(messages: Sequence[Message], options: ChatOptions) -> dict[str, Any]:
    shown_options = asdict(options)
    del shown_options['deadline_s']
    if not options.choices:
        # Without choices the key equals that of older recordings, which did not have them.
        del shown_options['choices']
    return {'messages': [asdict(message) for message in messages], 'options': shown_options}


def _key(request: dict[str, Any]) -> str:
    text = json.dumps(_without_times(request), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()


def _without_times(request: dict[str, Any]) -> dict[str, Any]:
    messages = [{**message, 'content': _settled(message['content'])} for message in request['messages']]
    return {**request, 'messages': messages}


def _settled(text: str) -> str:
    return _TIME_OF_DAY.sub('TIME', text)


def _read(file: Path) -> tuple[_Recorded, ...]:
    try:
        text = read_regular(file).decode('utf-8')
    except (OSError, ValueError) as error:
        raise ConfigError(f'recording cannot be read: {error}', file=str(file)) from error
    lines = text.split('\n')[:-1]  # what follows the last line end is incomplete or empty
    recorded = []
    for number, line in enumerate(lines, start=1):
        try:
            recorded.append(_recorded(parse_json(line), number))
        except (LookupError, TypeError, ValueError) as error:
            reason = f'not a recorded call ({type(error).__name__}: {error})'
            raise ConfigError(reason, file=str(file), line=number) from error
    if not recorded:
        raise ConfigError('recording holds no call', file=str(file))
    return tuple(recorded)


def _recorded(document: Any, line: int) -> _Recorded:
    request = _object(document)['request']
    messages = [_message(message) for message in _list(_object(request)['messages'])]
    settled = _request(messages, _options(request['options']))
    if 'error' in document:
        error = _object(document['error'])
        return _Recorded(line, settled, None, _ERRORS[_text(error['type'])](_text(error['message'])))
    return _Recorded(line, settled, _reply(document['reply']), None)


def _reply(document: Any) -> ChatReply:
    reply = ChatReply(**_object(document) | _calls(document) | _likelihoods(document))
    for text in (
        reply.text,
        reply.finish_reason,
        *(part for call in reply.tool_calls for part in asdict(call).values()),
    ):
        _text(text).encode()  # a ValueError for a lone surrogate, which no log or message can hold
    for count in (reply.prompt_tokens, reply.completion_tokens):
        if type(count) is not int or not 0 <= count <= _MOST_TOKENS:
            raise ValueError(f'tokens should be a whole number from 0 to {_MOST_TOKENS}, got {count!r:.60}')
    if type(reply.model_s) not in (int, float) or not 0 <= reply.model_s <= _LONGEST_S:
        raise ValueError(f'model_s should be 0 to {_LONGEST_S:g} seconds, got {reply.model_s!r:.60}')
    return reply


def _likelihoods(document: Any) -> dict[str, Any]:
    found = tuple(_list(_object(document).get('likelihoods', [])))
    if not all(type(number) in (int, float) and math.isfinite(number) for number in found):
        raise ValueError(f'likelihoods should be numbers, got {found!r:.60}')
    return {'likelihoods': found}


def _calls(document: Any) -> dict[str, Any]:
    calls = tuple(ToolCall(**_object(call)) for call in _list(_object(document).get('tool_calls', [])))
    for call in calls:
        _all_text(asdict(call))
    return {'tool_calls': calls}


def _message(document: Any) -> Message:
    calls = _calls(document)
    _all_text({key: value for key, value in document.items() if key != 'tool_calls'})
    return Message(**document | calls)


def _options(document: Any) -> ChatOptions:
    tools = []
    for item in _list(_object(document).get('tools', [])):
        parameters = tuple((_text(name), _text(meaning)) for name, meaning in _list(_object(item)['parameters']))
        tools.append(ToolSpec(_text(item['name']), _text(item['description']), parameters))
    return ChatOptions(**document | {'tools': tuple(tools)})


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f'should be an object, is {value!r:.60}')
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f'should be a list, is {value!r:.60}')
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f'should be text, is {value!r:.60}')
    return value


def _all_text(values: dict[str, Any]) -> None:
    for value in values.values():
        _text(value)


def _first_difference(request: dict[str, Any], recorded: Sequence[_Recorded]) -> str:
    """Where the request first differs from the recorded request with the longest common beginning."""
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
