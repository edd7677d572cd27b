"""Records, in one process, the calls that receive or return a followed value, and the conversions of snapshots.

This file imports nothing but the standard library: a traced process loads it alone, before anything else.
"""

import atexit
import inspect
import itertools
import json
import os
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import IntFlag
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

SETTINGS = 'LUCCA_WALKS'
"""Environment variable with the path of the settings of a trace."""

HANDOVERS = frozenset({'Publisher.publish', 'Client.call_async', 'ActionClient.send_goal_async'})
"""Functions of ROS that take a value to another process."""

WRITTEN = 'os.write'
"""The name under which a write to a file is recorded."""

CUTS = ('lucca_llm/rules/', 'lucca_language/', 'perception_node/detectors/', 'action_node/motion/', 'lucca_robot/')
"""The folders of a model, the detectors and the planner, which are entered by one function, and of the robot's
geometry. Their inside is left out."""

ENTRIES = frozenset({'chat', 'detect', 'plan'})

CONVERSIONS = {'snapshot_to_msg': True, 'entry_to_text': True, 'snapshot_from_msg': False, 'entry_from_text': False}
"""The conversions of a snapshot to and from messages and the text of a log, and whether they encode.

A text `without` some lines is for a model, and no encoding of a snapshot.
"""

_DEEPEST, _MOST_PARTS, _MOST_VALUES = 6, 60, 2000
_IGNORED, _OURS, _HANDOVER, _THREAD = range(4)
_VARIABLE = (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
_PIECES = frozenset({'to_msg', 'object_to_msg'})
"""The conversion of a part of a snapshot, by its name now and before."""


class Form(IntFlag):
    """The forms of the two followed values, in the order in which they take them."""

    NONE = 0
    WORDS = 1
    TASK = 2
    CALL = 4
    PATH = 8
    IMAGE = 16
    OBJECT = 32
    TEXT = 64


COMMAND = Form.WORDS | Form.TASK | Form.CALL | Form.PATH
DETECTION = Form.IMAGE | Form.OBJECT | Form.TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What is followed: the words of a command, the task and action that they lead to, and the label of an object."""

    words: str
    task: str
    action: str
    label: str

    def forms_in(self, values: Iterable[object]) -> Form:
        """The forms that these values have, or that anything in them has."""
        found = Form.NONE
        seen: set[int] = set()
        waiting = [(value, 0) for value in values]
        while waiting and len(seen) < _MOST_VALUES:
            value, depth = waiting.pop()
            if id(value) in seen or isinstance(value, int | float | None):
                continue
            seen.add(id(value))
            found |= self._form(value)
            if depth < _DEEPEST:
                waiting += [(part, depth + 1) for part in _parts(value)]
        return found

    def _form(self, value: Any) -> Form:
        if isinstance(value, str):
            return self._form_of_text(value)
        if isinstance(value, bytes):
            return Form.TEXT if self._in_log.encode() in value else Form.NONE
        kind = type(value)
        if kind.__name__ == 'ndarray':
            return Form.IMAGE if value.ndim == 3 and value.dtype.name == 'uint8' else Form.NONE
        if (hasattr(kind, 'encoding') and hasattr(kind, 'data')) or kind.__name__ == 'CompressedImage':
            return Form.IMAGE
        if hasattr(kind, 'joint_names') and hasattr(kind, 'points'):
            return Form.PATH
        if not hasattr(kind, '__dataclass_fields__') and not hasattr(kind, 'get_fields_and_field_types'):
            return Form.NONE
        if hasattr(value, 'times_s') and hasattr(value, 'positions'):
            return Form.PATH
        if f'{getattr(value, "name", "")}({getattr(value, "argument", "")})' == self.action:
            return Form.CALL
        return Form.OBJECT if self._is_seen(value) else Form.NONE

    def _form_of_text(self, text: str) -> Form:
        return (
            (Form.WORDS if self.words in text.casefold() else Form.NONE)
            | (Form.TASK if text == self.task or text.endswith(f'({self.task})>') else Form.NONE)
            | (Form.CALL if self.action in text else Form.NONE)
            | (Form.TEXT if self._in_log in text else Form.NONE)
        )

    @property
    def _in_log(self) -> str:
        return f' = {self.label} ({self.label}) in '

    def _is_seen(self, value: Any) -> bool:
        if not any(hasattr(value, name) for name in ('pose_world', 'pose', 'position', 'position_m')):
            return False
        try:
            return bool(getattr(value, 'label', '') == self.label)
        except IndexError:  # a track without evidence has no label yet
            return False


@dataclass(slots=True, kw_only=True)
class TracedCall:
    """One call.

    Attributes:
        parent: number of the call from which it was made, or which started its thread; 0 for none.
        function: `module:qualname`.
        got: the forms among its arguments, without `self`.
        gave: the forms in its result.
        owner: the identity of `self`; 0 for a function.
        outside: it is a function of ROS, or a write to a file.
    """

    number: int
    parent: int
    function: str
    file: str = ''
    line: int = 0
    got: int = 0
    gave: int = 0
    owner: int = 0
    outside: bool = False


@dataclass(slots=True)
class _Open:
    call: TracedCall
    frame: FrameType
    parents: 'tuple[_Open, ...]'
    stamp_s: float
    pieces: int


class _Thread(threading.local):
    """What is kept for each thread: the calls under way, the last snapshot decoded, and a count of encoded pieces."""

    def __init__(self) -> None:
        self.under_way: tuple[_Open, ...] = ()
        self.known = False
        self.stamp_s = 0.0
        self.pieces = 0


@dataclass(slots=True)
class CallTracer:
    """Records calls in every thread that is started while it is installed, and in this one.

    Args:
        root: the folder whose code is followed, without its tests.
        followed: the values.
        ends: the handovers with which a walk leaves this process, and the form of the value there. After the last one,
            only conversions are recorded.
    """

    root: Path
    followed: Followed
    ends: Sequence[tuple[str, Form]] = ()
    calls: dict[int, TracedCall] = field(default_factory=dict)
    conversions: list[tuple[str, float]] = field(default_factory=list)
    """Name of the function, and the time of the snapshot that it converted."""
    _kinds: dict[int, tuple[int, CodeType, str]] = field(default_factory=dict)
    _numbers: 'itertools.count[int]' = field(default_factory=lambda: itertools.count(1))
    _here: _Thread = field(default_factory=_Thread)
    _starters: dict[int, tuple[_Open, ...]] = field(default_factory=dict)
    _following: bool = True

    def install(self) -> None:
        """Begins to record."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def remove(self) -> None:
        """Ends the recording in this thread, and in threads to come."""
        self._following = False
        sys.setprofile(None)
        threading.setprofile(None)

    def _profile(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == 'call':
            kind, _, name = self._kinds.get(id(frame.f_code)) or self._classified(frame.f_code)
            if kind == _OURS:
                self._begin(frame, name)
            elif kind == _HANDOVER:
                self._hand_over(name, self.followed.forms_in(_arguments(frame).values()))
            elif kind == _THREAD:
                self._starters[id(frame.f_locals['self'])] = self._here.under_way
        elif event == 'return':
            under_way = self._here.under_way
            if under_way and under_way[-1].frame is frame:
                self._end(under_way[-1], arg)
        elif event == 'c_call' and arg is os.write and self._kinds.get(id(frame.f_code), (0,))[0] == _OURS:
            self._hand_over(WRITTEN, self.followed.forms_in(frame.f_locals.values()))

    def _classified(self, code: CodeType) -> tuple[int, CodeType, str]:
        kind, name = _IGNORED, code.co_qualname
        path = Path(code.co_filename)
        if path.suffix == '.py' and path.is_relative_to(self.root) and not code.co_name.startswith('<'):
            inside = path.relative_to(self.root).as_posix()
            if not inside.startswith(('test/', '.')) and (not inside.startswith(CUTS) or code.co_name in ENTRIES):
                kind, name = _OURS, f'{inside.removesuffix(".py").replace("/", ".")}:{code.co_qualname}'
        elif code.co_qualname in HANDOVERS:
            kind = _HANDOVER
        elif code.co_qualname == 'Thread.start':
            kind = _THREAD
        # The code is kept, so that no other gets its id.
        self._kinds[id(code)] = found = (kind, code, name)
        return found

    def _begin(self, frame: FrameType, name: str) -> None:
        here, code = self._here, frame.f_code
        if not here.known:
            here.known = True
            here.under_way = self._starters.pop(id(threading.current_thread()), ())
        here.pieces += code.co_name in _PIECES
        if not self._following and code.co_name not in CONVERSIONS:
            return
        call = TracedCall(
            number=next(self._numbers),
            parent=here.under_way[-1].call.number if here.under_way else 0,
            function=name,
            file=code.co_filename,
            line=code.co_firstlineno,
        )
        arguments = _arguments(frame)
        owner = arguments.pop('self', None)
        call.owner = 0 if owner is None else id(owner)
        stamp_s = next((_stamp_of(value) for value in arguments.values()), 0.0) if code.co_name in CONVERSIONS else 0.0
        opened = _Open(call, frame, here.under_way, stamp_s or here.stamp_s, here.pieces)
        here.under_way = (*here.under_way, opened)
        if self._following:
            call.got = self.followed.forms_in(arguments.values())
            if {'times_s', 'positions'} <= arguments.keys():
                call.got |= Form.PATH
            if call.got:
                self._keep(opened)

    def _end(self, opened: _Open, result: Any) -> None:
        here, name = self._here, opened.frame.f_code.co_name
        here.under_way = opened.parents
        if name == 'snapshot_from_msg' and result is not None:
            here.stamp_s = opened.stamp_s = _stamp_of(result)
        # A message that is passed on as it arrived was not encoded.
        passed_on = name == 'snapshot_to_msg' and here.pieces == opened.pieces
        for_model = bool(opened.frame.f_locals.get('without'))
        if name in CONVERSIONS and result is not None and not (passed_on or for_model):
            self.conversions.append((name, opened.stamp_s))
        if self._following and result is not None:
            opened.call.gave = self.followed.forms_in([result])
            if opened.call.gave:
                self._keep(opened)

    def _hand_over(self, name: str, got: Form) -> None:
        under_way = self._here.under_way
        if not (self._following and got and under_way):
            return
        parent = under_way[-1]
        self._keep(parent)
        number = next(self._numbers)
        self.calls[number] = TracedCall(number=number, parent=parent.call.number, function=name, got=got, outside=True)
        if self.ends and name == self.ends[-1][0] and got & self.ends[-1][1]:
            self._following = False

    def _keep(self, opened: _Open) -> None:
        for item in (*opened.parents, opened):
            self.calls.setdefault(item.call.number, item.call)

    def as_json(self) -> dict[str, Any]:
        """Everything that was recorded."""
        return {'calls': [asdict(call) for call in self.calls.values()], 'conversions': self.conversions}


def _arguments(frame: FrameType) -> dict[str, Any]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & flag) for flag in _VARIABLE)
    values = frame.f_locals
    return {name: values[name] for name in code.co_varnames[:count] if name in values}


def _parts(value: Any) -> Sequence[object]:
    """What a value consists of, if it is a container, a dataclass, a message or the handle of a goal."""
    kind = type(value)
    try:
        if isinstance(value, Mapping):
            return list(itertools.islice(value.values(), _MOST_PARTS))
        if isinstance(value, list | tuple | set | frozenset):
            return list(itertools.islice(value, _MOST_PARTS))
    except RuntimeError:  # another thread changed it
        return ()
    if kind.__module__.startswith('lucca_robot'):  # large, and the same at every moment
        return ()
    if hasattr(kind, '__dataclass_fields__'):
        return [getattr(value, name, None) for name in kind.__dataclass_fields__]
    if hasattr(kind, 'get_fields_and_field_types'):
        return [getattr(value, name) for name in kind.get_fields_and_field_types()]
    return [value.request] if kind.__name__ == 'ServerGoalHandle' else ()


def _stamp_of(value: Any) -> float:
    return float(getattr(value, 'stamp_s', 0.0) or 0.0)


def trace_this_process() -> None:
    """Traces this process, if the settings of the trace name it; the trace is written when the process ends."""
    settings = json.loads(Path(os.environ[SETTINGS]).read_text(encoding='utf-8'))
    command = ' '.join(sys.orig_argv)
    for leg in settings['legs']:
        if all(part in command for part in leg['command']):
            tracer = CallTracer(
                Path(settings['root']),
                Followed(**settings['followed']),
                [(name, Form(form)) for name, form in leg['ends']],
            )

            def write(name: str = leg['name'], tracer: CallTracer = tracer) -> None:
                tracer.remove()
                file = Path(settings['folder']) / f'{name}-{os.getpid()}.json'
                file.write_text(json.dumps(tracer.as_json()), encoding='utf-8')

            atexit.register(write)
            tracer.install()
            return
