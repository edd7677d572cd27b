"""What belongs where: sentences that give no order but say it, such as `fruit goes in box 1` or `all cups in box 1`."""

import re

from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of

_PLACE = r'(?:box (?:\d+|one|two)|(?:the )?(?:bowl|tower|first box|second box))\b'
_END_OF_CLAUSE = (
    r"""(?=\s*(?:$|[.,;!?'")]|"""
    r'(?:and|but|except|excluding|besides|apart|other|save|if|unless|then|please|first|too)\b))'
)
_ALL_SOMEWHERE = re.compile(
    rf'^(?P<what>(?:all|every|each|both)\b[^,;:.?!]*?) (?:in|into|on|onto) {_PLACE}{_END_OF_CLAUSE}', re.IGNORECASE
)
_BELONGS = re.compile(
    r'^(?P<what>[^.?!]*?)\s(?:goes|go|belongs?|should (?:be|go|land|end up)|must (?:be|go)|'
    r'have to (?:be|go)|has to (?:be|go)|'
    r'shall (?:be|go)|are to be|is to be|may (?:be|go)|comes?|need to (?:be|go)|needs to (?:be|go)|stays?|'
    rf'(?:is|are) for(?= {_PLACE}))\b',
    re.IGNORECASE,
)
_LISTED = re.compile(rf'^{_PLACE}\s*:\s*\S', re.IGNORECASE)
_FINITE = re.compile(
    r'(?<!that )(?<!which )(?<!who )(?<!there )(?<!what )(?<!it )(?<!they )(?:\b(?:is|are|was|were|can|could|will|'
    r'would|has|had|'
    r"have|been|makes|makes|made|seems|sounds|looks|puts|helps|reminds|gets|got)\b|\b\w+'(?:s|re|ve|m|ll|d)\b)",
    re.IGNORECASE,
)
_WORDS_OF_THINGS = any_of(
    'the all every everything each both nothing any anything no of and or other others thing things one ones object '
    'objects big small large little in into on onto to box bowl tower but except not a an one two three first second '
    'leave quickly now please'
)

_HOUSEWORK = re.compile(
    r'^(?:set|lay|clear|empty|free|tidy|clean|make)(?: (?:up|off|away|the|this|my|that|some|more|a bit of))*'
    r'(?: (?:table|mess|room|space|stuff|place|desk|everything|things))?(?: (?:up|off|on the table|for .+|please))*$',
    re.IGNORECASE,
)
"""Work of which it is not said what is to go where: `set the table for two`, `tidy up`."""


def is_housework(text: str) -> bool:
    """Whether a text asks for work in which it leaves open what is to go where: `set the table`."""
    return _HOUSEWORK.match(text) is not None


def names_place(text: str) -> bool:
    """Whether a text names one of the places that are always here, such as `box 1`."""
    return re.search(_PLACE, text, re.IGNORECASE) is not None


def is_finite(text: str) -> bool:
    """Whether a text has a verb that tells something, as in `the cup is mine`."""
    return _FINITE.search(text) is not None


def is_rule(said: str) -> bool:
    """Whether the text says what belongs where, in general and not about what somebody does or did."""
    if _LISTED.match(said):
        return True
    match = _BELONGS.match(said)
    if match is None:
        return False
    what = match['what'].strip().lower()
    if what.endswith((' might', ' could', ' would')):
        return False
    return bool(what) and not re.match(
        r'(?:i|we|he|she|it|they|you|this|that|there|as|who|what|my|our|his|her|their|your|someone|everyone|'
        r"people|\w+['’]\w*)\b",
        what,
    )


def puts_all(said: str) -> bool:
    """Whether a sentence without a verb says where all of a kind go: `all cups in box 1`."""
    match = _ALL_SOMEWHERE.match(said)
    if match is None or _FINITE.search(said):
        return False
    words = match['what'].lower().split()
    return any(lexicon().knows(lexicon().singular(word)) or lexicon().colour(word) for word in words)


def is_just_things_somewhere(text: str) -> bool:
    """Whether a text is just things and a place, as `everything in box 1`: it may ask for that, or tell it."""
    words = re.findall(r'[a-z]+', text.lower())
    return names_place(text) and all(
        word in _WORDS_OF_THINGS or lexicon().knows(lexicon().singular(word)) or lexicon().colour(word)
        for word in words
    )
