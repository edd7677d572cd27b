"""Conversion of events to JSON with a schema, and back."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from lucca_core.errors import RecordingError
from lucca_core.protocol.observations import Observable, adapter
from lucca_view.events import KINDS

TOPIC = '/lucca/'
SCHEMA = 'lucca.'


def schema_of(kind: str) -> bytes:
    """The JSON schema of a kind of event, for other programs that read recordings."""
    return json.dumps(adapter(KINDS[kind]).json_schema(mode='serialization')).encode()


def to_json(value: Observable) -> Any:
    """The value in types for JSON."""
    return adapter(KINDS[value.KIND]).dump_python(value, mode='json')


def from_json(kind: str, text: bytes | str) -> Observable:
    """The inverse of `to_json`.

    Raises:
        RecordingError: there is no such kind, the text is not an event of it, or a number in it is not finite.
    """
    if kind not in KINDS:
        raise RecordingError(f'no kind of event is named {kind[:80]!r}; there are {", ".join(KINDS)}')
    try:
        value: Observable = adapter(KINDS[kind]).validate_json(text)
        # NaN, 1e999 and "inf" are read as well, but are no JSON: no browser could read a page that holds them.
        json.dumps(to_json(value), allow_nan=False)
    except (ValidationError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0][:200]
        raise RecordingError(f'not a {kind} event: {reason}') from error
    return value


def words_in(value: Any) -> list[str]:
    """Every text in a JSON value, including the names of members."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for name, item in value.items() for text in (str(name), *words_in(item))]
    if isinstance(value, list | tuple):
        return [text for item in value for text in words_in(item)]
    return []
