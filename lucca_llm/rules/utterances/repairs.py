"""Repairs: what somebody says instead of what they just said, as in `put the apple in box 1. No wait, box 2`."""

import re

from lucca_core.english import and_list, at_place
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.utterances.follow_ups import completed, only_request

_CUE = (
    r'(?:no(?=\s*[,.;:!…–—-]|\s+(?:wait|sorry|actually|i mean|the|put|just|in|not)\b)|wait|sorry|oops|actually|i mean|'
    r"i meant|or rather|rather|make that|make it|scratch that|scrap that|let's say|hm+|never mind)"
)
_REPAIR = re.compile(
    rf'(?:\s*[,;.!:…–—-]+|\s)\s*{_CUE}(?:[\s,:.!…-]+(?:{_CUE}|just|better))*[\s,:.!…-]+', re.IGNORECASE
)
_PLACE = re.compile(r'(?:(?:put it )?(?:in|into|inside|on|onto|to) )?(?:the )?(?P<place>[a-z]+(?: \d)?)', re.IGNORECASE)
_DROPS = re.compile(
    r"(?:^|\W)(?:never ?mind|(?<!n't )(?<!n’t )(?<!cannot )(?<!and )wait|hold on|forget (?:it|that|about it)|"
    r'(?<!says )no|nope|nah|scratch that|scrap that|cancel that|uh[ -]uh)[\s.!…]*$',
    re.IGNORECASE,
)
_INSTEAD = re.compile(r',? (?:instead|rather|please|thanks)(?=[.!]*$)', re.IGNORECASE)
IT = re.compile(r'\bit\b', re.IGNORECASE)


def takes_all_back(said: str) -> bool:
    """Whether a text ends in words by which somebody drops what they asked for: `…, never mind`."""
    return _DROPS.search(said) is not None


def repaired(said: str, table: TableView) -> str:
    """The request that a repair leaves: with another thing, another place, or another request about the same thing.

    Empty for other texts, and where the request before the repair is not just one that is understood.
    """
    found = _REPAIR.search(said)
    if found is None:
        return ''
    first, rest = said[: found.start()].strip(), _INSTEAD.sub('', said[found.end() :]).strip(' .!')
    before = only_request(first)
    if before is None or not rest:
        return ''
    called = and_list([item.text for item in before.items])
    place = _PLACE.fullmatch(rest)
    if place is not None and before.target is not None and (name := _place(place['place'], table)):
        return f'put {called} {at_place(name)}'
    if IT.search(rest) and len(before.items) == 1:
        return IT.sub(called, rest, count=1)
    other = completed(f'no, {rest}', (first,), table)
    return other.text if other is not None else rest


def _place(text: str, table: TableView) -> str:
    """The place that is named by a text and nothing else."""
    name = table.place_in(text)
    return name if name.lower() == text.lower() else ''
