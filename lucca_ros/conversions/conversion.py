"""Conversions between value classes and messages, in both directions, and those of a service's two messages."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from lucca_core.errors import DeskRefusal, MemoryFault
from lucca_core.protocol.refusal import CodedRefusal, DeskCode, Refusal

V = TypeVar('V')
Q = TypeVar('Q')
A = TypeVar('A')


@dataclass(frozen=True, slots=True)
class Conversion(Generic[V]):
    """Converts values of one class to messages of one type and back.

    `from_msg` raises ValueError for a message that cannot be used.
    """

    value_type: Any
    msg_type: Any
    to_msg: Callable[[V], Any]
    from_msg: Callable[[Any], V]


@dataclass(frozen=True, slots=True)
class Field:
    """How one field of a message is converted, and its name in the value if that is different.

    In a direction without a function, it is converted by its type, like a plain field.
    """

    to_msg: Callable[[Any], Any] | None = None
    from_msg: Callable[[Any], Any] | None = None
    value_name: str = ''


def nested(conversion: Conversion[Any], value_name: str = '') -> Field:
    """A field that holds a message."""
    return Field(conversion.to_msg, conversion.from_msg, value_name)


def several(conversion: Conversion[Any]) -> Field:
    """A field that holds a list of messages; in the value, it is a tuple."""
    to_msg, from_msg = conversion.to_msg, conversion.from_msg
    return Field(lambda values: [*map(to_msg, values)], lambda msgs: tuple(map(from_msg, msgs)))


def mirrored(
    value_type: type[V],
    msg_type: Any,
    special: Mapping[str, Field] | None = None,
    left_out: Collection[str] = (),
    called: str = '',
) -> Conversion[V]:
    """The conversion between a dataclass and a message with the same fields.

    Args:
        value_type: a dataclass.
        msg_type: a class of messages.
        special: by field of the message, how fields are converted that are not plain. Plain fields are numbers, texts,
            enums of texts, and tuples of these.
        left_out: fields of the message that are handled elsewhere.
        called: what errors call a message that has a name; if empty, they do not name it.

    Raises:
        TypeError: the value or the message has a field that the other lacks.
    """
    hints = get_type_hints(value_type)
    in_msg = dict.fromkeys(name for name in msg_type.get_fields_and_field_types() if name not in left_out)
    special = special or {}
    steps: list[tuple[str, str, Any, Any]] = []
    for name in in_msg:
        field = special.get(name, Field())
        value_name = field.value_name or name
        into, out = field.to_msg, field.from_msg
        if value_name in hints and not (into and out):
            plain_into, plain_out = _plain(name, hints[value_name])
            into, out = into or plain_into, out or plain_out
        steps.append((name, value_name, into, out))
    in_value = {field.name for field in fields(value_type) if field.init}  # type: ignore[arg-type]
    if unmatched := in_value.symmetric_difference(step[1] for step in steps) | (special.keys() - in_msg.keys()):
        raise TypeError(
            f'{value_type.__name__} and {msg_type.__name__} do not have the same fields: {sorted(unmatched)}'
        )

    def to_msg(value: V) -> Any:
        return msg_type(**{name: convert(getattr(value, own)) for name, own, convert, _ in steps})

    def from_msg(msg: Any) -> V:
        try:
            return value_type(**{own: convert(getattr(msg, name)) for name, own, _, convert in steps})
        except ValueError as error:
            if not called:
                raise
            raise ValueError(f'{called} {msg.name!r} cannot be used: {error}') from error

    return Conversion(value_type, msg_type, to_msg, from_msg)


def answered(
    value_type: type[V], msg_type: Any, granted: str, special: Mapping[str, Field] | None = None
) -> Conversion[V | Refusal]:
    """The conversion of a service's answer: a value if the service granted the request, otherwise a refusal.

    `granted`: the boolean field of the message that tells which. The reason is in `message`, or in `reason` beside a
    `code`.
    """
    coded = 'code' in msg_type.get_fields_and_field_types()
    why = 'reason' if coded else 'message'
    inner = mirrored(value_type, msg_type, special, {granted, why, *(['code'] if coded else [])})

    def to_msg(value: V | Refusal) -> Any:
        if isinstance(value, Refusal):
            code = {'code': str(value.code)} if isinstance(value, CodedRefusal) else {}
            return msg_type(**{why: value.reason}, **code)
        msg = inner.to_msg(value)
        setattr(msg, granted, True)
        return msg

    def from_msg(msg: Any) -> V | Refusal:
        if getattr(msg, granted):
            return inner.from_msg(msg)
        if not coded:
            return Refusal(getattr(msg, why))
        # A refusal with a code from another version is still a refusal.
        known = msg.code in [code.value for code in DeskCode]
        return CodedRefusal(msg.reason, DeskCode(msg.code) if known else DeskCode.UNAVAILABLE)

    return Conversion(value_type | (CodedRefusal if coded else Refusal), msg_type, to_msg, from_msg)


@dataclass(frozen=True, slots=True)
class Service(Generic[Q, A]):
    """The type and the two messages of a service."""

    kind: Any
    request: Conversion[Q]
    answer: Conversion[A | Refusal]

    def answer_from_msg(self, msg: Any) -> A:
        """The value in a service's answer.

        Raises:
            MemoryFault: the service refused, with its reason; a DeskRefusal if the refusal has a code.
            ValueError: the message cannot be used.
        """
        answer = self.answer.from_msg(msg)
        if isinstance(answer, CodedRefusal):
            raise DeskRefusal(answer.code, answer.reason or f'the memory of people refused the request ({answer.code})')
        if isinstance(answer, Refusal):
            raise MemoryFault(answer.reason or 'the request was refused without a reason')
        return answer


# str() would make a text of anything, 'None' of None; this raises TypeError for what is not a text.
_TEXT: Callable[[Any], str] = str.__str__


def _plain(name: str, hint: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """How a field of this type is put into a message, and how it is taken out. `name` is for errors."""
    if get_origin(hint) is tuple:
        into, out = _plain(name, get_args(hint)[0])
        return (lambda values: [*map(into, values)]), (lambda items: tuple(map(out, items)))
    if get_origin(hint) is Literal:
        return _TEXT, lambda text: _one_of(name, get_args(hint), text)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _TEXT, lambda text: hint(_one_of(name, [member.value for member in hint], text))
    if hint is str:
        return _TEXT, _TEXT
    if hint not in (bool, int, float):
        raise TypeError(f'{name} is of type {hint}, which is not plain')
    return hint, hint


def _one_of(name: str, known: Collection[str], text: str) -> str:
    if text not in known:
        raise ValueError(f'{name} must be one of {", ".join(known)}, got {text[:80]!r}')
    return text
