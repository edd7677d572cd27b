"""Self-corrections: words with which somebody takes back what they just said."""

import re

SELF_CORRECTION = re.compile(
    r'(?:[,;…–—]\s*|[.!]\s+|\s-+\s*|\bor\s+|\s+(?=(?:rather|instead|sorry|actually|i mean|no wait)\s+'
    r'(?:the|a|an|my|box)\b))(?P<cue>no wait|no|wait|sorry|i mean|i meant|rather|instead|actually|better|'
    r'make that|make it|scratch that|oops)\b[\s,:–—-]+(?=(?:wait|no|i mean|the|a|an|my|your|that|this|these|those|all|'
    r'every|both|in|into|to|box)\b)',
    re.IGNORECASE,
)
"""Somebody takes back what they just said; the parser would read both as requests."""


def takes_back(text: str) -> bool:
    """Whether the speaker takes back what they just said in the text, as in `the cup, no, the mug`."""
    return SELF_CORRECTION.search(text) is not None
