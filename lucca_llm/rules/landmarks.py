"""Things that are told by what they stand by: `the cup next to the apple`, `the cube between the bowl and box 1`.

They are written out by name before anything else is read. Distances are those of the centres, as the prompt lists them.
What is `behind` or `left of` something depends on from where one looks, so that it is asked unless nothing else can be
meant.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lucca_core.english import and_list
from lucca_core.users_view import BESIDE_CM
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.sides import ToldByPlace, from_where_you_sit, name_in_text, named_so, with_sides_named
from lucca_llm.rules.table_view import ON_TABLE, TableView

_NEXT_TO_CM = 20.0
_ON_TOP_CM = 6.0
_CLEARLY_NEARER = 1.5
"""How many times as far the second of two things stands if `next to` is the first of them."""
_BESIDE_LINE = 0.35
"""How far from the line between two things something between them may stand, in parts of that line's length."""
_MOST_WORDS = 4

_NEAR = r'next to|beside|alongside|adjacent to|close to|near(?: to)?|by'
_NEAREST = r'closest to|nearest(?: to)?'
_SIDES = r'behind|in front of|(?:(?:to|on|at) )?(?:the )?(?:left|right)(?:[- ]hand)?(?: side)? of'
_RELATION = rf'(?P<relation>{_NEAREST}|{_NEAR}|{_SIDES}|(?:in )?between|on(?: top of)?)'
_STOP = (
    r'(?:in|into|on|onto|to|from|and|or|then|is|are|at|of|that|which|not|but|except|please|too|now|as|with|unless|if|'
    r'when|until|while|the|my|your|a|an|me|you|it|them|us|next|beside|alongside|adjacent|close|closest|near|nearest|by|'
    r'behind|between|left|right|standing|lying|sitting)'
)
_NOUN = rf'(?P<noun>(?!{_STOP}\b)[a-z]+(?: (?!{_STOP}\b)[a-z]+){{0,2}}(?: \d+)?)'
_IS = (
    r"(?P<is>(?:that is|which is|that's|that (?:lies|stands|sits)|which (?:lies|stands|sits)|standing|lying|sitting) )?"
)
_WHICH = r'(?P<which>the|all(?: of)?(?: the)?|every|each|any|an?)'
_BEFORE = '(?=(?:the |a |an |my |your )?[a-z])'
_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf'\b(?:{_WHICH} {_NOUN}|(?P<everything>everything)) {_IS}(?:right |just |directly )?{_RELATION} {_BEFORE}',
        rf'\b(?P<which>the) (?P<relation>closest|nearest) {_NOUN} to (?P<is>)(?P<everything>){_BEFORE}',
    )
]
_PUTS = re.compile(
    r'\b(?:put|place|move|set|lay|bring|push|pull|slide|drop|stack|position|leave|stand|drag|shift|keep)\s+$',
    re.IGNORECASE,
)
_TO_A_PLACE = re.compile(
    r'^[^,;.!?]*?\b(?:in|into|inside|on|onto|to|over|off|away|aside|alone|under|out|back|there|here)\b', re.IGNORECASE
)
_ASKS_WHETHER = re.compile(r'^(?:and |so |but )?(?:is|are|was|were)\s+$', re.IGNORECASE)
_ARTICLE = re.compile(r'(?:the|a|an|my|your) ', re.IGNORECASE)
_AND = re.compile(r'\s+and\s+', re.IGNORECASE)
_MINE = re.compile(r' (?:from (?:my side|where i (?:sit|am|stand))|as i see it)\b', re.IGNORECASE)
_WORD = re.compile(r'\s*([a-z0-9]+)', re.IGNORECASE)
_ANY = ('one', 'thing', 'object', 'item')


@dataclass(frozen=True, slots=True)
class _Place:
    """A relation to one landmark or two, by name. `by_user`: it was said that it is as the user sees it."""

    relation: str
    landmarks: tuple[str, ...]
    by_user: bool


def with_places_named(said: str, table: TableView) -> ToldByPlace | None:
    """The text with what is told by its side or by a landmark called by its name; None if nothing is.

    Raises:
        LookupError: it may be one or another, or where that stands is not seen; the message says so.
    """
    found = with_sides_named(said, table)
    if not table.seen_by_user.right_cm:
        return None
    text, doubts = (found.text, [found.doubt]) if found is not None else (said, [])
    at = 0
    while (match := next(filter(None, (form.search(text, at) for form in _FORMS)), None)) is not None:
        named = _named(match, text, table)
        if named is None:
            at = match.start() + len('the ')
            continue
        name, doubt, end = named
        text = f'{text[: match.start()]}{name}{text[end:]}'
        doubts.append(doubt)
    return ToldByPlace(text, ' '.join(filter(None, doubts))) if doubts else None


def answer_about_places(asked: str, table: TableView) -> str | None:
    """The answer to `what is next to the apple?` and `is the cup behind it?`; None for other questions.

    Raises:
        LookupError: it is not clear by what, or which; the message says so.
    """
    if not table.seen_by_user.right_cm:
        return None
    if (half := _WHAT_IS_LEFT.match(asked.strip())) is not None:
        return _on_a_side(half['whose'].lower(), half['side'].lower(), table)
    match = _WHAT_IS.search(asked.strip()) or _IS_IT.search(asked.strip())
    if match is None:
        return None
    found = _place(match['relation'], match.string, match.end(), table)
    if found is None or match.string[found[1] :].strip(' ?.!'):
        return None
    place, _ = found
    told = f'{_spoken(place, table)}{_from_you(place)}'
    parts = match.groupdict()
    noun = (parts.get('noun') or parts.get('any') or 'thing').lower()
    named = [name for name in _candidates(noun, table) if name not in place.landmarks]
    near = _standing_so(place, named, table)[: 1 if _is_nearest(place) else None]
    names = and_list([name_in_text(name, table) for name in near])
    if match.re is _IS_IT:
        no = and_list([name_in_text(name, table) for name in named])
        yes = f'Yes: {names} {"is" if len(near) == 1 else "are"} {told}.'
        return yes if near else f'No: {no} is not {told}.' if named else None
    return f'I see {names} {told}.' if near else f'I see {"nothing" if noun in _ANY else f"no {noun}"} {told}.'


def by_its_neighbour(name: str, table: TableView) -> str:
    """` next to the apple`: the nearest thing or place that something on the table stands next to; empty for none."""
    view = table.seen_by_user.right_cm
    others = [other for other in view if other != name] if name in view else []
    near = _standing_so(_Place('next to', (name,), by_user=False), others, table)
    return f' next to {name_in_text(near[0], table)}' if near else ''


def _on_a_side(whose: str, side: str, table: TableView) -> str:
    """What stands to one side of the middle of the user's side."""
    right_cm = table.seen_by_user.right_cm
    sign = (1 if side == 'right' else -1) * (-1 if whose == 'your' else 1)
    there = sorted(
        (name for name, at in right_cm.items() if sign * at >= BESIDE_CM), key=lambda name: abs(right_cm[name])
    )
    where = f'on {"my" if whose == "your" else "your"} {side}'
    return f'I see {and_list([name_in_text(name, table) for name in there]) or "nothing"} {where}.'


_WHAT_IS_LEFT = re.compile(
    r"^(?:and |so )?what(?:'s| is| do you see| lies| stands)(?: there)? (?:on|to) (?P<whose>my|your|the)"
    r' (?P<side>left|right)(?:[- ]hand)?(?: side)?(?: of the table)?[?.! ]*$',
    re.IGNORECASE,
)
_WHAT_IS = re.compile(
    rf'^(?:and |so )?(?:(?:what|which (?:thing|object|one)|(?:what|which) {_NOUN})'
    r"(?:'s| is| are| stands| lies| do you see)|"
    rf'is there (?:anything|something|any {_NOUN.replace("noun", "any")}))'
    rf'(?: there)?(?: right| just| directly)? {_RELATION} ',
    re.IGNORECASE,
)
_IS_IT = re.compile(rf'^(?:and )?is the {_NOUN}(?: right| just| directly)? {_RELATION} ', re.IGNORECASE)


def _named(match: re.Match[str], text: str, table: TableView) -> tuple[str, str, int] | None:
    """(names, doubt, end of the phrase) of what a phrase tells by a landmark; None if it tells of nothing here.

    Raises:
        LookupError: it may be one or another.
    """
    found = _place(match['relation'], text, match.end(), table)
    if found is None:
        return None
    place, end = found
    if place.relation.startswith('on') and not match['is'] and place.landmarks[0] in table.places:
        return None  # what is in a place is told by that place
    if not match['is'] and _PUTS.search(text[: match.start()]) and not _TO_A_PLACE.search(text[end:]):
        return None  # `put the cup next to the apple` tells where to put it
    if _ASKS_WHETHER.search(text[: match.start()]) and not text[end:].strip(' ?.!'):
        return None  # `is the cup next to the apple?`
    which = (match['which'] or 'all').lower()
    noun = (match['noun'] or 'thing').lower()
    named = _candidates(noun, table)
    named = [name for name in named if name not in place.landmarks]
    if not named:
        return None
    said = text[match.start() : end]
    if any(name not in table.seen_by_user.right_cm for name in named):
        raise LookupError(f'I do not see which “{said}” is. Please tell me its name')
    if lexicon().is_plural(noun) or which.startswith(('all', 'every', 'each')):
        several = and_list([name_in_text(name, table) for name in _standing_so(place, named, table)])
        if not several:
            what = 'nothing' if noun in _ANY else f'no {noun}'
            raise LookupError(f'I see {what} {_spoken(place, table)}{_from_you(place)}')
        return several, f'By “{said}” I see {several}.', end
    if which in ('a', 'an', 'any'):
        named = _standing_so(place, named, table)[:1] or named
    name, doubt = _chosen(place, named, said, table)
    return name_in_text(name, table), doubt, end


def _candidates(noun: str, table: TableView) -> list[str]:
    exact = [item.name for item in table.objects if item.place == ON_TABLE and item.name.lower() == noun]
    if noun in _ANY:
        return [item.name for item in table.objects if item.place == ON_TABLE]
    numbered = re.search(r' \d+$', noun) is not None
    return exact if exact and numbered else named_so(noun, table)


def _place(relation: str, text: str, at: int, table: TableView) -> tuple[_Place, int] | None:
    """The place that a relation and the words behind it tell, and where they end; None if no landmark is here."""
    is_between = relation.lower().endswith('between')
    first = _landmark(text, at, table)
    if first is None:
        return None
    names, end = first
    if is_between and len(names) == 1:
        join = _AND.match(text, end)
        second = _landmark(text, join.end(), table) if join is not None else None
        if second is None or len(second[0]) != 1:
            return None
        names, end = (*names, *second[0]), second[1]
    said = text[at:end].strip()
    is_pair = is_between and (end > first[1] or lexicon().is_plural(said.split()[-1].lower()))
    if len(names) != (2 if is_pair else 1) or is_between > is_pair:
        raise LookupError(f'I am not sure which “{said}” is: {" or ".join(names)}? Please tell me its name')
    mine = _MINE.match(text, end)
    return _Place(relation.lower(), tuple(names), mine is not None), mine.end() if mine is not None else end


def _landmark(text: str, at: int, table: TableView) -> tuple[Sequence[str], int] | None:
    """The names that the longest noun phrase at a position has here, and where it ends."""
    article = _ARTICLE.match(text, at)
    start = end = article.end() if article is not None else at
    found = None
    for _ in range(_MOST_WORDS):
        word = _WORD.match(text, end)
        if word is None or re.fullmatch(_STOP, word[1], re.IGNORECASE):
            break
        end = word.end()
        phrase = text[start:end].strip().lower()
        exact = [name for name in table.seen_by_user.right_cm if name.lower() == phrase]
        is_one = bool(exact) and name_in_text(exact[0], table) in (exact[0], f'the {exact[0]}')
        named = exact if is_one else [name for name in named_so(phrase, table) if name in table.seen_by_user.right_cm]
        found = (named, end) if named else found
    return found


def _chosen(place: _Place, named: Sequence[str], said: str, table: TableView) -> tuple[str, str]:
    """(name, doubt) of the one of several that stands at a place."""
    fitting = _standing_so(place, named, table)
    if not fitting and len(named) == 1:
        return named[0], f'I see only {name_in_text(named[0], table)}, and that is not {_spoken(place, table)}.'
    if not fitting:
        raise LookupError(f'I see nothing that could be “{said}”{_from_you(place)}. Please tell me its name')
    nearest = fitting[0]
    away = _distance_from(place.landmarks[0], table)
    is_between = place.relation.endswith('between')
    alike = [name for name in fitting if is_between or away(name) - away(nearest) < BESIDE_CM]
    if len(alike) > 1:
        raise LookupError(f'I am not sure which “{said}” is: {" or ".join(alike)}? Please tell me its name')
    if _is_side(place) and not place.by_user and len(named) > 1:
        return nearest, from_where_you_sit(name_in_text(nearest, table))
    is_clear = len(fitting) == 1 or _is_nearest(place) or away(fitting[1]) >= _CLEARLY_NEARER * away(nearest)
    return nearest, '' if is_clear else f'The nearest to it is {name_in_text(nearest, table)}.'


def _standing_so(place: _Place, names: Sequence[str], table: TableView) -> list[str]:
    """Those of several things that stand at a place, the nearest to its first landmark first."""
    right_cm, away_cm = table.seen_by_user.right_cm, table.seen_by_user.away_cm
    first, last = place.landmarks[0], place.landmarks[-1]
    distance = _distance_from(first, table)

    def between(name: str) -> bool:
        along = right_cm[last] - right_cm[first], away_cm[last] - away_cm[first]
        to = right_cm[name] - right_cm[first], away_cm[name] - away_cm[first]
        length = math.hypot(*along) or 1.0
        part = (along[0] * to[0] + along[1] * to[1]) / length**2
        beside = abs(along[0] * to[1] - along[1] * to[0]) / length
        return 0.1 < part < 0.9 and beside <= _BESIDE_LINE * length

    def at_side(name: str) -> bool:
        right, away = right_cm[name] - right_cm[first], away_cm[name] - away_cm[first]
        ahead, across = {'left': (-right, away), 'right': (right, away), 'behind': (away, right)}.get(
            next((side for side in ('left', 'right', 'behind') if side in place.relation), ''), (-away, right)
        )
        return ahead >= max(BESIDE_CM, abs(across) / 2)

    if place.relation.endswith('between'):
        stands: Callable[[str], bool] = between
    elif _is_side(place):
        stands = at_side
    elif _is_nearest(place):
        stands = bool
    else:
        next_to_cm = _NEXT_TO_CM * (1.5 if first in table.places else 1.0)
        reach_cm = _ON_TOP_CM if place.relation.startswith('on') else next_to_cm
        stands = lambda name: distance(name) <= reach_cm  # noqa: E731 - one of four rules
    return sorted((name for name in names if name in right_cm and stands(name)), key=distance)


def _distance_from(landmark: str, table: TableView) -> Callable[[str], float]:
    view = table.seen_by_user

    def distance_cm(name: str) -> float:
        return math.hypot(view.right_cm[name] - view.right_cm[landmark], view.away_cm[name] - view.away_cm[landmark])

    return distance_cm


def _is_side(place: _Place) -> bool:
    return re.fullmatch(_SIDES, place.relation) is not None


def _is_nearest(place: _Place) -> bool:
    return place.relation.startswith(('closest', 'nearest'))


def _from_you(place: _Place) -> str:
    return ' from where you sit' if _is_side(place) else ''


def _spoken(place: _Place, table: TableView) -> str:
    """`next to the apple`."""
    return f'{place.relation} {and_list([name_in_text(name, table) for name in place.landmarks])}'
