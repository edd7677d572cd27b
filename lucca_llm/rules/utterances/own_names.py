"""Other names for the things and places here, written as the names that the robot has for them.

`On the couch` becomes `on the sofa`, as WordNet has both for the same, if nothing else here may be called so; things
keep what they are called, as a lamp is no bulb. `Bar of soap` becomes `soap bar`, and `the cream cheese box` the cream
cheese. What things are taken from is the table, if it is a kind of one.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from lucca_language.reading.exception_parser import DETERMINERS
from lucca_language.reading.selectors import Knowledge, ListedObject, Noun
from lucca_language.words.function_words import ARTICLES, FUNCTION_WORDS, PREPOSITIONS
from lucca_language.words.glosses import is_dangerous, is_defined_as, is_same, is_substance, kinds_above
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import is_handling
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.prompts.table_view import read_table_lines
from lucca_llm.rules.utterances.others import with_others_named
from lucca_llm.rules.utterances.requests import sentences_in
from lucca_llm.rules.utterances.said_prohibitions import lifted_in
from lucca_llm.rules.utterances.said_sentence import Mood

_SURFACES = any_of('table tabletop')
_SHAPES = any_of('bar stick sheet')
"""Shapes in which a substance comes. A carrot cake is no shape of a carrot."""
_SHAPE = f'(?:{"|".join(sorted(_SHAPES))})(?P<several>s?)'
_PACKAGES = any_of('container package')
_FROM = re.compile(
    r'\b(?P<from>from|off(?: of)?) (?:the |a |an |my |your )?(?P<what>[a-z]+(?: [a-z]+){0,3})(?![\w-])', re.IGNORECASE
)
_ABBREVIATIONS = re.compile(r"\b(two|both|all) ([a-z]+)['’]s(?= (?:in|into|inside|on|onto|to|from)\b)", re.IGNORECASE)
TO_KEEP = re.compile(
    r'\b(?:remember|keep in mind|note that|forget|learn|teach|new task|task (?:called|named)|when(?:ever)? i say)\b',
    re.IGNORECASE,
)
"""What is said to be kept is kept in the person's own words."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-]\w+)*")
_ROOM = '(?:kitchen|bathroom|bedroom|office|living ?room|dining ?room)'
"""All that the robot reaches is in one room."""
_NOT_TO = re.compile(r"(?:\bnot|\bnever|n['’]t|\bdont) (?:ever |please )?(?P<verb>[a-z]+)", re.IGNORECASE)
_LONGEST = 3
_LONGEST_SURFACE = 2
_ASKED = {Mood.REQUEST, Mood.QUESTION}
_BEHIND = FUNCTION_WORDS | PREPOSITIONS | any_of('and or then please now')
_BEFORE = DETERMINERS | PREPOSITIONS | ARTICLES | any_of('and or ,')


def with_own_names(text: str, listed: Sequence[ListedObject], places: Collection[str]) -> str:
    """The text with the robot's names for things and places. What several things here may be called, stays.

    Args:
        text: what is said.
        listed: the objects here, wherever they are.
        places: the containers here, in lower case.
    """
    labels = {thing.label for thing in listed}
    known = [name for name in (*sorted(labels), *sorted(places)) if name.strip() and not name[-1:].isdigit()]
    text = _ABBREVIATIONS.sub(r'\1 \2s', text)
    text = _FROM.sub(lambda found: _from_the_table(found, known), text)
    text = _in_this_room(text, known) if known else text
    for name in known:
        text = re.sub(rf'\b{_SHAPE} of {re.escape(name)}(?![\w-])', partial(_of_that, name), text, flags=re.IGNORECASE)
        *first, last = name.split()
        if len(first) == 2:  # `the yellow and white mug` for `white yellow mug`
            one, other = map(re.escape, first)
            both = rf'(?:{one} and {other}|{other}(?: and)? {one})'
            text = re.sub(rf'\b{both} {re.escape(last)}(?![\w-])', name, text, flags=re.IGNORECASE)
        if first and first[-1] not in FUNCTION_WORDS:
            content = ' '.join(first)
            of_first = (
                rf'\b({re.escape(last)}(?:s|es)?) of (?:the |a |an |my |some )?{re.escape(content)}(?:s|es)?(?![\w-])'
            )
            text = re.sub(of_first, partial(_turned, content), text, flags=re.IGNORECASE)
    words = list(_WORD.finditer(text))
    out, at, index = [], 0, 0
    while index < len(words):
        for count in range(min(_LONGEST, len(words) - index), 0, -1):
            begin, end = words[index].start(), words[index + count - 1].end()
            said = text[begin:end].lower()
            if lexicon().singular(said) in known:
                index += count - 1
                break
            if name := _own_name(said, _before(text[:begin]), known, labels):
                out += [text[at:begin], name]
                at, index = end, index + count - 1
                break
        index += 1
    return ''.join([*out, text[at:]])


def forbids(text: str) -> bool:
    """Whether a text, or a clause of it, forbids something: `do not touch the couch`, `…, but never move the mug`."""
    behind = (found['verb'].lower() for found in _NOT_TO.finditer(text))
    return any(word == 'touch' or is_handling(word) for word in behind) or any(
        item.mood is Mood.FORBID for item in sentences_in(text)
    )


def _in_this_room(text: str, known: Sequence[str]) -> str:
    """The text without the room that a thing or place is said to belong to: `the drawer` for `the kitchen drawer`.

    If anything here has a room in its name, rooms tell things apart.
    """
    if any(re.search(_ROOM, name) for name in known):
        return text
    names = '|'.join(map(re.escape, known))
    return re.sub(rf'\b(the|a|an|my) {_ROOM} (?=(?:{names})(?![\w-]))', r'\1 ', text, flags=re.IGNORECASE)


def in_own_names(turn: ConversationTurn) -> ConversationTurn:
    """The turn with the robot's names in what is asked for, and in what was said before.

    What prohibits, permits or teaches is kept word by word. Where a prohibition calls a place otherwise, it is asked
    about, so that none can be got round by another name.

    Raises:
        LookupError: a prohibition with another name for a place; see also `with_others_named`.
    """
    table = read_table_lines(turn.table)
    if not table.seen or TO_KEEP.search(turn.said):
        return turn
    places = [place.lower() for place in table.places]
    said, *before = (with_own_names(text, table.objects, places) for text in (turn.said, *turn.before))
    sentences = sentences_in(turn.said)
    if said != turn.said and forbids(turn.said):
        raise LookupError(f'Do you mean “{said}”? Then please say it in these words. I keep no prohibition')
    is_asked = all(item.mood in _ASKED for item in sentences) and lifted_in(sentences, table) is None
    said = with_others_named(said if is_asked else turn.said, before, table)
    return replace(turn, said=said, before=tuple(before))


def _before(text: str) -> str:
    return str((re.findall(r"[\w'’-]+|,", text.lower()) or [''])[-1])


def _from_the_table(found: re.Match[str], known: Sequence[str]) -> str:
    """`from the table` for `from the desk`, if no place or thing here is called so."""
    words = found['what'].lower().split()
    named = list(takewhile(lambda word: word not in _BEHIND, words))
    said = ' '.join(named)
    if not named or named[0] in _SURFACES or len(named) > _LONGEST_SURFACE:
        return found.group()
    is_named = any(said == name or said in name.split() for name in known)
    kinds = kinds_above(said)
    if (not is_named and {'table', 'furniture'} <= kinds) or 'work surface' in kinds:
        return ' '.join([found['from'], 'the table', *found['what'].split()[len(named) :]])
    return found.group()


def _of_that(name: str, found: re.Match[str]) -> str:
    return f'{name}{found["several"]}'


def _turned(content: str, found: re.Match[str]) -> str:
    return f'{content} {found.group(1)}'


def _own_name(said: str, before: str, known: Sequence[str], labels: Collection[str]) -> str:
    """The name of the one thing or place here that these words are another name for; empty if there is none."""
    single = lexicon().singular(said)
    words = single.split()
    begins = before in _BEFORE or before.isdigit() or is_handling(before) or lexicon().colour(before) is not None
    # In `the trash can`, the last word is a noun.
    if (
        not words
        or not begins
        or not FUNCTION_WORDS.isdisjoint(words[:-1] if words[1:] and words[-1] == 'can' else words)
    ):
        return ''
    if any(_fits(single, name) if name in labels else name.split()[-1] == single for name in known):
        return ''
    found = [name for name in known if _is_called_otherwise(single, name, name in labels)]
    if len(found) != 1 or any(_may_be(single, name) for name in known if name != found[0]):
        return ''
    return f'{found[0]}s' if single != said else found[0]


def _may_be(said: str, name: str) -> bool:
    """Whether a word may mean a thing or place in any sense of either, or its content."""
    return said in kinds_above(name) or name in kinds_above(said) or name.startswith(f'{said} ')


def _fits(said: str, label: str) -> bool:
    """Whether the reader takes words for a thing or a kind of it as they are: `cup` for `mug`, `phone`."""
    return Knowledge(lexicon()).matches(Noun(said), ListedObject(label))


def _is_called_otherwise(said: str, name: str, is_thing: bool) -> bool:
    """Whether words are another name for a thing or place: the same to WordNet, or what a thing is made of.

    `Couch` for `sofa`, `garbage bin` for `garbage can`, `remote` for `remote control`, `shaker` for `salt shaker`,
    `soap` for `soap bar`. A kind of another name is none: `the lamp` may be another one than the bulb here, and
    `the toilet tank` is a part of that place.
    """
    if not is_thing:
        *before, last = said.split()
        return is_same(said, name) or (before != [] and before == name.split()[:-1] and is_defined_as(name, last))
    # WordNet has `bike` for a motorcycle, so things need a word in common.
    is_short = name.startswith(f'{said} ') and is_same(said, name)
    is_short |= name.endswith(f' {said}') and is_defined_as(name, said) and not is_dangerous(name)
    return is_short or _is_shape_of(name, said) or _is_package_of(said, name)


def _is_shape_of(name: str, substance: str) -> bool:
    """Whether a name is that of a bar or the like of a substance: `soap bar` of `soap`."""
    *first, last = name.split()
    return ' '.join(first) == substance and last in _SHAPES and is_substance(substance)


def _is_package_of(said: str, name: str) -> bool:
    """Whether it is a package of something that is called by its content: `cream cheese box` and `cream cheese`."""
    *first, last = said.split()
    is_package = 'container' not in kinds_above(name) and not _PACKAGES.isdisjoint(kinds_above(last))
    return _is_shape_of(said, name) or (' '.join(first) == name and is_package)
