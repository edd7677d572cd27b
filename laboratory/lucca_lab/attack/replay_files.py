"""Attack on model recordings: mutated files must be refused by file and line, or replay valid values."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError, ModelError
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.recorded_calls import RecordingModel, ReplayModel
from lucca_llm.model import ChatOptions, ChatReply, Message, ToolCall, ToolSpec

_TALK = (
    (
        [Message('system', 'rules of 2026-11-21 08:06'), Message('user', 'pick up the pear')],
        ChatOptions(seed=1, tools=(ToolSpec('pick_up', 'Picks up.', (('object', 'what'),)),)),
        ChatReply(
            text='<pick_up(pear)>',
            prompt_tokens=12,
            completion_tokens=5,
            model_s=0.5,
            tool_calls=(ToolCall('1', 'pick_up', '{"object": "pear"}'),),
        ),
    ),
    (
        [
            Message('user', 'ünd?'),
            Message('assistant', '', (ToolCall('2', 'look', '{}'),)),
            Message('tool', 'x', (), '2', 'look'),
        ],
        ChatOptions(json_schema={'type': 'object'}, grammar='root ::= "a"'),
        ChatReply(text='{"a": 1}', prompt_tokens=7, completion_tokens=3, model_s=0.25, finish_reason='length'),
    ),
)
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -5,
        1,
        2**31,
        2**70,
        1.5,
        -0.1,
        1e308,
        float('nan'),
        float('inf'),
        '',
        'x',
        '\ud800',
        '\x00',
    ),
    *(
        [],
        {},
        [[]],
        [1],
        {'a': 1},
        [['a']],
        ['ab'],
        [['a', 1]],
        'x' * 5000,
        {'type': 'ModelError', 'message': 3},
        ['x', {}],
    ),
)
_PIECES = (
    *(
        b'{',
        b'}',
        b'[' * 50_000,
        b'"',
        b',',
        b':',
        b'\n',
        b'\r',
        b'\x00',
        b'\xff',
        b'\xed\xa0\x80',
        b'9' * 5000,
        b'NaN',
    ),
    *(b'Infinity', b'\\ud800', b'null', b'\n\n', b'{}\n', b'[]\n', b'3\n', b'"x"\n', b'1e999', b'\xef\xbb\xbf'),
)


class _Told:
    """A model that gives a prescribed reply, to be recorded."""

    spec = 'told'

    def __init__(self) -> None:
        self.reply = _TALK[0][2]

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        return self.reply

    def check(self, deadline_s: float) -> None:
        pass


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    whole, file = folder / 'whole.jsonl', folder / 'drawn.jsonl'
    told = _Told()
    for messages, options, told.reply in _TALK:
        RecordingModel(told, whole).chat(messages, options)
    lines = [json.loads(line) for line in whole.read_text(encoding='utf-8').splitlines()]
    error = {**lines[0], 'error': {'type': 'ModelTimeout', 'message': 'slow'}}
    del error['reply']
    data = whole.read_bytes() + json.dumps(error).encode() + b'\n'

    def trial(chance: random.Random) -> Counts:
        file.write_bytes(_with_odd_value([*lines, error], chance) if chance.random() < 0.6 else _mutated(data, chance))
        try:
            replay = ReplayModel(file)
        except ConfigError as refused:
            if str(file) not in str(refused):
                raise Broken(f'names no file: {refused}') from refused
            return {'refused': 1}
        played = 0
        _ = replay.native_tools
        for messages, options, _reply in _TALK:
            for _ in range(2):
                with suppress(ModelError):
                    _check(replay.chat(messages, options, on_text=lambda text: None))
                    played += 1
        return {'read': 1, 'played': played}

    yield trial


def _check(reply: ChatReply) -> None:
    texts = [reply.text, reply.finish_reason]
    for call in reply.tool_calls:
        texts += [call.call_id, call.name, call.arguments]
    for text in texts:
        text.encode()
    for tokens in (reply.prompt_tokens, reply.completion_tokens):
        if type(tokens) is not int or not 0 <= tokens < 2**31:
            raise Broken(f'{tokens!r} tokens were played back')
    if not 0 <= reply.model_s < 1e9:
        raise Broken(f'{reply.model_s!r} seconds were played back')


def _with_odd_value(lines: list[Any], chance: random.Random) -> bytes:
    changed = json.loads(json.dumps(lines))
    for _ in range(chance.randint(1, 2)):
        inner = changed[chance.randrange(len(changed))]
        while True:
            keys = (
                list(inner) if isinstance(inner, dict) else list(range(len(inner))) if isinstance(inner, list) else []
            )
            if not keys:
                break
            key = chance.choice(keys)
            deeper = inner[key]
            if isinstance(deeper, dict | list) and deeper and chance.random() < 0.8:
                inner = deeper
                continue
            if isinstance(inner, dict) and chance.random() < 0.3:
                inner.pop(key)
            elif isinstance(inner, dict) and chance.random() < 0.2:
                inner[chance.choice(('x', 'text', 'tools', 'error', 'messages'))] = deepcopy(chance.choice(_VALUES))
            else:
                inner[key] = deepcopy(chance.choice(_VALUES))
            break
    return b''.join(json.dumps(line).encode() + b'\n' for line in changed)


def _mutated(data: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(3)
        if kind == 0 and place < len(data):
            data = data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
        elif kind == 1:
            data = data[:place] + chance.choice(_PIECES) + data[place + chance.choice((0, 0, 1, 30)) :]
        elif chance.random() < 0.3:
            data = data[:place]
    return data


PART = Attack(
    name='replays',
    promise='A mutated recording of a model is refused by name, or plays back values of the right types and ranges.',
    open=_open,
    sample=500,
    count=100_000,
)
