"""How sentences open: words before what is said, and who is called."""

import difflib
import re

from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import verb
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.space.told_by_place import FROM_A_SIDE

CALLED_KINDLY = '(?:my )?(?:dear|sweetheart|darling|love|dude|bro|pal|friend|man|mate|buddy|robot|bot|lucca|sir)'
"""Whom people may mean by a robot, between commas."""
_OPENING = re.compile(
    r'^(?:(?:please|kindly|carefully|gently|slowly|quickly|swiftly|promptly|immediately|directly|deliberately|gingerly|'
    r'delicately|cautiously|softly|smoothly|safely|securely|precisely|calmly|neatly|simply|lightly|steadily|rapidly|'
    r'ok|okay|all right(?: then)?|alright(?: then)?|right then|well|so|hey|hi|hello|yo|'
    r'good (?:morning|afternoon|evening|day)|'
    r'there(?=,)|robot|bot|lucca|buddy|mate|now|and|but|also|yes|yeah|nope|wait|sorry|excuse me|actually|oh|um|uh|'
    # `no, the pear` and `no put the pear in box 1`, but not `no pears in box 1`.
    r'no(?=[,!.:;]|\s+(?:(?:please|wait|sorry|actually|not|no|i|you|it|them|the|a|an|my|that|this|these|those|put|'
    r'place|move|give|hand|bring|take|get|point|stack|build|do|in|into|on|onto|to|at)\b|don))|'
    r'i mean|do me a favou?r(?: and)?|be (?:a|an) (?:dear|darling|angel|pal|love|star|good robot) and|'
    r'go(?: and)?(?= (?:get|fetch|bring|grab|put|pick|take|place)\b))(?:[,!.:]+\s*|\s+)|'
    rf'{FROM_A_SIDE}|'
    r'(?:right|great|good|cool|nice|fine|sure|look|listen|perfect|thanks|thank you|'
    rf'{CALLED_KINDLY})[,!.:]+\s*|'
    r'(?:(?:your|my|the|a|new|next|first|second|third|last|final)\s+)*(?:mission|task|job|goal|order|step|assignment|'
    r'request|instruction|challenge)s?(?:\s+(?:\d|one|two|three|four|for you|for today))?\s*:\s+)+',
    re.IGNORECASE,
)
_CALLED = re.compile(r'^(?P<name>[A-Z][\w-]*),\s+')
_NOBODY = any_of(
    'robot robo bot machine computer assistant friend buddy mate pal dear darling honey sweetie dude man sir madam '
    'lad everybody folks listen look hear see cool nice fine sure quick careful hmm ah oh ok '
    'okay well right anyway thanks thank cheers please sorry oops whoa wow great perfect super alternatively second '
    'third lastly'
)
"""Words before a comma that call nobody else, although they may begin with a capital."""
_GREETED = re.compile(
    r'^(?:hi|hello|hey)[, ]+(?P<name>[a-z]+),? (?=(?:please|can you|could you|would you|will you)\b)', re.IGNORECASE
)
_NO_NAMES = FUNCTION_WORDS | any_of(
    'otherwise also instead however next meanwhile besides secondly thirdly firstly not never no dont nothing nobody '
    'none neither nor hardly stop hypothetically theoretically supposedly allegedly reportedly eventually possibly '
    'probably ideally maybe perhaps'
)
_END = re.compile(r'(?<=[.!?…])["”’)\]]*\s+')
_LIKE = 0.7
"""How much a name has to be like the robot's own: `Luca` is."""


def sentence_texts(text: str) -> list[str]:
    """The sentences of a text."""
    return [part.strip() for part in _END.split(text.strip()) if part.strip(' .!?')]


def without_opening(text: str) -> str:
    """A sentence without an opening such as `ok robot, please …`."""
    return _opened(text)[0]


def somebody_else(text: str, my_name: str) -> str:
    """Who is called in one of the sentences of a text, as in `hey Bob, …`; empty if nobody but the robot is."""
    for name in (_opened(part)[1] for part in sentence_texts(text)):
        own = difflib.get_close_matches(name.lower(), my_name.lower().split(), 1, _LIKE)
        if name and not own and name.lower() not in _NOBODY and not name.lower().endswith('ly'):
            return name
    return ''


def _opened(text: str) -> tuple[str, str]:
    """A sentence without its opening, and who is called in that; empty for nobody."""
    said = text.strip()
    name = ''
    if (greeted := _GREETED.match(said)) is not None and _may_be_called(greeted['name']):
        said, name = said[greeted.end() :], greeted['name']
    said = _OPENING.sub('', said).strip()
    if (called := _CALLED.match(said)) is not None and _may_be_called(called['name']):
        said, name = _OPENING.sub('', said[called.end() :]), called['name']
    return said or text.strip(), name


def _may_be_called(name: str) -> bool:
    """Whether a word may be somebody's name: it is no word that asks, denies or names a thing."""
    word = name.lower()
    return word not in _NO_NAMES and verb(word) is None and not lexicon().knows(lexicon().singular(word))
