"""Things and places that are told by where they stand: which box `the left box` is, and which cube is nearest to me.

They are written out by name before anything else is read. `My left` and `nearest to me` are as the user sees it; for
`the left box`, that is asked, as the robot looks from the other side.
"""

import re
from dataclasses import dataclass

from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.prompt_reader import call_text
from lucca_llm.rules.table_view import ON_TABLE, TableView

BEGINS = ('<do(', '<start_task(', '<resume_task(', '<change_task(')
"""The calls after which something may move."""
_LASTING = ('<prohibit(', '<teach_task(')
"""The calls whose effect lasts, while what stands where changes."""
_ASKED_ABOUT = (*BEGINS, *_LASTING)
"""The calls before which it is asked whose left was meant."""

_STOP = (
    r'(?:in|into|on|onto|to|from|and|or|then|is|are|at|of|that|which|not|but|except|please|too|now|as|with|'
    r'nearest|unless|if|when|until|while|the|my|your|empty|full|still)'
)
_NOUN = rf'(?P<noun>(?!{_STOP}\b|one\b)[a-z]+(?: (?!{_STOP}\b|closest\b|furthest\b|farthest\b)[a-z]+){{0,2}})'
_DEPTH = '(?P<depth>nearest|closest|furthest|farthest)'
_AGREED = re.compile(r'<cannot_do\(.*\bShall I do it: “(?P<text>[^“”]+)”\?\)>')
"""Only the robot's own question: what it says may quote somebody else's."""
_MINE = r'(?: (?P<mine>from (?:my side|where i (?:sit|am|stand))))?'
_LINE = 1.5
"""How many times as far apart three things are in one direction as in the other if one is `the middle one`."""
_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf'\b(?:the|my) (?P<side>left|right|front|back|rear)(?P<most>most)?(?:[- ]hand)? {_NOUN}{_MINE}',
        # `Move the apple to the right` does not tell which one.
        rf'(?:(?<=\bin )|(?<=\binto ))the {_NOUN} (?:that is )?to the (?P<side>left|right)\b(?! of\b){_MINE}',
        rf'\bthe {_NOUN} (?:that is |which is )?(?:on|at|to(?! the\b)) (?P<whose>the|my|your) (?P<side>left|right)'
        rf'(?:[- ]hand)?(?: side)?(?: of the table)?\b(?! of\b){_MINE}',
        rf'\bthe {_DEPTH} {_NOUN}\b(?: (?P<mine>(?:to|from) me)\b|(?! (?:to|from)\b))',
        rf'\bthe {_NOUN} (?:that is |which is )?{_DEPTH} (?P<mine>(?:to|from) me)\b',
        # From both sides, the same one is in the middle.
        rf'\bthe (?P<mine>middle|centre|center) {_NOUN}',
        rf'\bthe {_NOUN} (?:that is |which is )?in (?P<mine>the (?:middle|centre|center))\b(?! of\b)',
    )
]


@dataclass(frozen=True)
class ToldByPlace:
    """A text with names in place of `the left box` and the like.

    `doubt` tells what was taken for that if it may be another, such as `From where you sit, that is box 2.`
    """

    text: str
    doubt: str = ''

    def answer(self, answer: str) -> str:
        """What to say or do about the text, given the answer to it: what is in doubt is asked or told."""
        if not self.doubt and not answer.startswith(_LASTING):
            return answer
        doubt = self.doubt or 'I go by where things stand now.'
        if answer.startswith('<allow('):
            # A prohibition is lifted only in the person's own words.
            return call_text('cannot_do', f'{doubt} If I may, say it with that name: “{self.text}”.')
        if answer.startswith(_ASKED_ABOUT):
            return call_text('cannot_do', f'{doubt} Shall I do it: “{self.text}”?')
        return answer.replace('<say(', f'<say({doubt} ', 1)


def asked_to_agree(answer: str) -> str:
    """What an answer of the robot asks to agree to, with the names of what was meant then; empty for other answers."""
    match = _AGREED.fullmatch(answer.strip())
    return match['text'] if match is not None else ''


def with_sides_named(said: str, table: TableView) -> ToldByPlace | None:
    """The text with what is told by its side called by its name; None if nothing is, or if no side is seen.

    Raises:
        LookupError: it may be one or another, or where that stands is not seen; the message says so.
    """
    found = None
    if not table.seen_by_user.left_to_right:
        return None
    while (match := next(filter(None, (form.search(said) for form in _FORMS)), None)) is not None:
        parts = match.groupdict()
        if not (name := _meant(parts, match.group(), table)):
            break  # `stop the left arm` tells of nothing here
        count = len(named_so(parts['noun'] or '', table))
        # Of three cubes, more than one may be `on the left`.
        is_clear = not parts.get('side') or bool(parts.get('most')) or count == 2
        is_sure = count > 1 and is_clear and (bool(parts['mine']) or (parts.get('whose') or 'the').lower() != 'the')
        name = name_in_text(name, table)
        said = f'{said[: match.start()]}{name}{said[match.end() :]}'
        doubt = from_where_you_sit(name) if count > 1 else f'I see only {name}.'
        found = ToldByPlace(said, (found.doubt if found is not None else '') if is_sure else doubt)
    return found


def name_in_text(name: str, table: TableView) -> str:
    """The name of a place or thing as it stands in a sentence: `box 1`, `the bowl`; `the cup 1` beside `cup 2`."""
    if name in table.places and name[-1].isdigit():
        return name
    is_first = any(re.fullmatch(rf'{re.escape(name)} \d+', thing.name) for thing in table.objects)
    return f'the {name} 1' if is_first else f'the {name}'


def from_where_you_sit(name: str) -> str:
    """The doubt about something that was told by a side without saying whose, or that is one of several there."""
    return f'From where you sit, that is {name}.'


def _meant(parts: dict[str, str | None], said: str, table: TableView) -> str:
    """The name of the one place or object that the parts of a phrase tell by its side; empty for nothing here."""
    noun, side, depth = ((parts.get(part) or '').lower() for part in ('noun', 'side', 'depth'))
    named = named_so(noun, table)
    across = side in ('left', 'right')
    groups = table.seen_by_user.left_to_right if across else table.seen_by_user.near_to_far
    rows = [hit for group in groups if (hit := [name for name in group if name in named])]
    if not named or any(_is_named(thing.name, said) for thing in table.objects if thing.name.lower() != noun):
        return ''  # nothing here, or a name with the word in it, such as `left glove`
    if lexicon().is_plural(noun) or sum(map(len, rows)) != len(named):
        raise LookupError(f'I do not see which “{said}” is. Please tell me its name')
    if len(named) == 1:
        return named[0]
    if not side and not depth:
        return _in_the_middle(said, named, table)
    is_last = side in ('right', 'back', 'rear') or depth in ('furthest', 'farthest')
    if (parts.get('whose') or '').lower() == 'your':
        is_last = not is_last
    chosen = rows[-1 if is_last else 0]
    if len(rows) < 2 or len(chosen) > 1:
        raise LookupError(f'I am not sure which “{said}” is: {" or ".join(named)}? Please tell me its name')
    return chosen[0]


def named_so(noun: str, table: TableView) -> list[str]:
    """The names of the places with the noun of a phrase, or else of the objects on the table that it fits."""
    noun = noun.lower()
    named = [place for place in table.places if re.sub(r' \d+$', '', place.lower()) == noun]
    return named or [thing.name for thing in table.fitting(noun) if thing.place == ON_TABLE]


def _in_the_middle(said: str, named: list[str], table: TableView) -> str:
    """The one of three that stands between the others, in the direction in which they are clearly further apart."""
    view = table.seen_by_user
    across, away = (
        max(along[name] for name in named) - min(along[name] for name in named)
        for along in (view.right_cm, view.away_cm)
    )
    found = set()
    for groups, extent, other in ((view.left_to_right, across, away), (view.near_to_far, away, across)):
        rows = [hit for group in groups if (hit := [name for name in group if name in named])]
        is_in_line = [len(row) for row in rows] == [1, 1, 1] and _LINE * extent >= other
        found |= {rows[1][0]} if is_in_line else set()
    if len(found) != 1:
        raise LookupError(f'I am not sure which “{said}” is: {" or ".join(named)}? Please tell me its name')
    return str(found.pop())


def _is_named(name: str, said: str) -> bool:
    return re.search(rf'\b{re.escape(name)}\b', said, re.IGNORECASE) is not None
