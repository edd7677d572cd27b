"""Reading of JSON from outside sources."""

import json
from typing import Any


def parse_json(text: str | bytes | bytearray) -> Any:
    """The value in a JSON text.

    Raises:
        ValueError: the text is not JSON or is nested too deeply. (For the latter, the json module raises
            RecursionError, which code that handles bad input does not expect.)
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError('the JSON nests too deeply') from None
