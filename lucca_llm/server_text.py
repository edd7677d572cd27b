"""What model servers say in words and headers, read alike for every protocol."""

import email.utils
import math
import re
import time
from collections.abc import Mapping

_MAX_QUOTE = 300
_CONTEXT = re.compile(
    r'context[ _](length|size|window)|maximum context|prompt is too long|too many (input )?tokens|reduce the length'
    r'|n_ctx|max_model_len|exceeds? the (model|available|maximum)[^.]*(context|tokens)',
    re.IGNORECASE,
)
_THOUGHT = re.compile(r'\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*', re.DOTALL)


def speaks_of_context(text: str) -> bool:
    """Whether an error says that the prompt is longer than the model's context."""
    return _CONTEXT.search(text) is not None


def quoted(text: str) -> str:
    """A server's words on one line and of bounded length, for use in an error."""
    line = ' '.join(text.split())
    return line if len(line) <= _MAX_QUOTE else line[:_MAX_QUOTE] + '…'


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server wants to be left alone, from `retry-after-ms` or `Retry-After` (seconds or a date)."""
    for name, factor in (('retry-after-ms', 1e-3), ('retry-after', 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            wait_s = float(text) * factor
        except ValueError:
            parsed = email.utils.parsedate_tz(text)
            if parsed is None:
                continue
            wait_s = email.utils.mktime_tz(parsed) - time.time()
        if math.isfinite(wait_s):
            return max(0.0, wait_s)
    return None


def without_thinking(text: str) -> str:
    """An answer without the block of thoughts that some models put before it, between `<think>` and `</think>`."""
    return _THOUGHT.sub('', text, count=1)


def longest_answer(max_tokens: int) -> int:
    """Characters after which an answer is cut off, for servers that do not keep to `max_tokens`."""
    return 40 * max_tokens + 4000
