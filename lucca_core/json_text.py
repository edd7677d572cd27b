"""Reading JSON that somebody else wrote."""

import json
from typing import Any


def parse_json(text: str | bytes | bytearray) -> Any:
    """The value in a JSON text.

    Raises:
        ValueError: it is not JSON, or nests deeper than it can be read. (The json module raises RecursionError for the
            second, which handlers of bad input do not expect.)
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError('the JSON nests too deeply') from None
