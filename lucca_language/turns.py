"""Descriptions that say what comes before what, so that nothing may be left until the rest is done."""

import re

_ANY_ORDER = re.compile(r'\b(?:in any order|one (?:after|on top of) (?:the other|another)|one by one)\b', re.IGNORECASE)
_IN_TURN = re.compile(
    r'\b(?:first|second|third|next|then|after\w*|before\w*|once|until|when\w*|while|if|unless|last\w*|final\w*|'
    r'order\w*|sequence|turns?|follow\w*|begin\w*|start\w*|end\w*|by (?:size|name|weight|age)|\w+est|'
    r'alphabetical\w*|top|bottom|under\w*|stack\w*|towers?|piles?|build\w*|swap\w*|exchange\w*|each other|'
    r'on (?:it|them)|beneath|below|above|ahead of|later|prior|preced\w*|earl\w*)\b',
    re.IGNORECASE,
)


def is_in_turn(description: str) -> bool:
    """Whether a description gives an order, or builds something, where the lower come first; in doubt true."""
    return _IN_TURN.search(_ANY_ORDER.sub('', description)) is not None
