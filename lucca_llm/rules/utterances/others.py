"""What is `other` than what was asked for before, written with its name: `the other box`, `another one`, `there`."""

import re
from collections.abc import Sequence

from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import Noun
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import is_handling
from lucca_llm.rules.prompts.table_view import ON_TABLE, TableView
from lucca_llm.rules.utterances.follow_ups import request_before, with_things

_ONE_PLACE = r'\b(?:one|a) (?:of the )?{}(?:es|s)?\b'
_OTHER_PLACE = re.compile(r'\bthe other (?P<kind>[a-z]+)\b', re.IGNORECASE)
_OTHER_ONE = re.compile(
    r'(?:^(?:and |now |then )*|\b)(?P<which>another|the others?|one more)(?: (?!please|too)(?P<noun>[a-z]+))?'
    r'(?=(?:,? (?:please|too))*[.!]*$| (?:in|into|on|onto|to) )',
    re.IGNORECASE,
)
_ONES = ('', 'one', 'ones')
"""Instead of a noun."""
_BEFORE_IT = re.compile(r'\W*(?:[a-z]+[ ,]+){0,3}', re.IGNORECASE)
_THERE = re.compile(
    r'^(?:(?:now|and|then|please|also)[, ]+)*(?:put|place|drop|move) (?P<what>(?:the|a|an|my|all|both)\b[^,;.?]*?) '
    r'(?:in |into |on |onto |over )?there(?: (?:too|as well|also))?(?:,? please)?[.!]*$',
    re.IGNORECASE,
)


def with_others_named(said: str, before: Sequence[str], table: TableView) -> str:
    """The text with names for what is other than what was spoken of before, and for `there`.

    Args:
        said: the text.
        before: what the same person said before in this conversation, oldest first.
        table: what is on the table.

    Raises:
        LookupError: there is no other, or one of several is meant; the message says or asks it.
    """
    said = _with_the_other_place(said, before, table.places)
    base, match = request_before(before, table), _OTHER_ONE.search(said)
    if base is not None and not any(table.fitting(item.text) or _is_known(item) for item in base.items):
        base = None
    if match is not None and not _BEFORE_IT.fullmatch(said[: match.start()]):
        match = None  # `a fruit in box 1 and another in box 2`
    called = (match['noun'] or '').lower() if match is not None else ''
    if match is not None and base is None and called in _ONES and is_handling(said.split()[0].lower()):
        raise LookupError(f'I do not know what “{match.group().strip()}” stands for. Please name it')
    if base is None or said.rstrip().endswith('?'):
        return said
    if (there := _THERE.match(said)) and base.target is not None and not base.target.is_recipient:
        return with_things(base, there['what'])
    item, head = base.items[-1], base.items[-1].head
    if match is None or not isinstance(head, Noun):
        return said
    noun = head.word if called in _ONES else lexicon().singular(called)
    are_others = match['which'].lower() == 'the others' or called == 'ones'
    fitting = table.fitting(item.text)
    same = fitting if item.is_single and item.definite and len(fitting) == 1 else []
    left = [thing.name for thing in table.fitting(noun) if thing.place == ON_TABLE and thing not in same]
    if are_others and left:
        return f'{said[: match.start()]}the other {noun}s{said[match.end() :]}'
    if are_others or called not in (*_ONES, noun) or (not left and noun != head.word):
        return said  # all that is left, or something else
    if not left:
        raise LookupError(f'I see no other {noun} on the table')
    if len(left) > 1 and match['which'].lower() == 'the other':
        raise LookupError(f'Which one do you mean by “{match.group().strip(" .!")}”: {" or ".join(left)}?')
    which = f'the {left[0]}'
    if match.start():
        return f'{said[: match.start()]}{which}{said[match.end() :]}'
    return with_things(base, which) if not said[match.end() :].strip(' .!') or 'please' in said else said


def _is_known(item: NounPhrase) -> bool:
    return isinstance(item.head, Noun) and lexicon().knows(item.head.word)


def _with_the_other_place(said: str, before: Sequence[str], places: Sequence[str]) -> str:
    """The text with the name of the other of two boxes, where one was named before."""
    match = _OTHER_PLACE.search(said)
    if match is None:
        return said
    pair = [place for place in places if re.sub(r' \d+$', '', place.lower()) == match['kind'].lower()]
    if len(pair) != 2:
        return said
    first = said[: match.start()]
    if one := re.search(_ONE_PLACE.format(match['kind']), first, re.IGNORECASE):
        return f'{first[: one.start()]}{pair[0]}{first[one.end() :]}{pair[1]}{said[match.end() :]}'
    for text in (first, *reversed(before)):
        named = [place for place in pair if re.search(rf'\b{place}\b', text, re.IGNORECASE)]
        if len(named) == 1:
            return f'{first}{pair[pair[0] == named[0]]}{said[match.end() :]}'
        if named or re.search(rf'\b{match["kind"]}', text, re.IGNORECASE):
            break
    return said
