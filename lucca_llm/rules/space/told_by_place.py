"""Things and places that are told by where they stand: `the left box`, `the cup next to the apple`.

They are written out by name before anything else is read. What depends on from where one looks, and what may be one or
another, is asked.
"""

import re
from dataclasses import dataclass

from lucca_core.english import and_list
from lucca_core.users_view import BESIDE_CM
from lucca_llm.rules.prompts.prompt_reader import call_text
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.space.nouns_here import names_of
from lucca_llm.rules.space.spatial_modifiers import Modifier, Relation, SpatialPhrase, Whose
from lucca_llm.rules.space.spatial_phrases import PhraseReader
from lucca_llm.rules.space.spatial_relations import Choice, Relations

BEGINS = ('<do(', '<start_task(', '<resume_task(', '<change_task(')
"""The calls after which something may move."""
_LASTING = ('<prohibit(', '<teach_task(')
"""The calls whose effect lasts, while what stands where changes."""
_ASKED_ABOUT = (*BEGINS, *_LASTING)
"""The calls before which it is asked what was meant."""
_AGREED = re.compile(r'<cannot_do\(.*\bShall I do it: “(?P<text>[^“”]+)”\?\)>')
"""Only the robot's own question: what it says may quote somebody else's."""
_PUTS = re.compile(
    r'\b(?:put|place|move|set|lay|bring|push|pull|slide|drop|stack|position|leave|stand|drag|shift|keep)\s+$',
    re.IGNORECASE,
)
_TO_A_PLACE = re.compile(
    r'^[^,;.!?]*?\b(?:in|into|inside|on|onto|to|over|off|away|aside|alone|under|out|back|there|here)\b', re.IGNORECASE
)
_ASKS_WHETHER = re.compile(r'^(?:and |so |but )?(?:is|are|was|were)\s+$', re.IGNORECASE)
_MOST_MODIFIERS = 2
"""How many modifiers may choose together without a question: each allows for some leeway."""
_OF_SEVERAL = (Relation.NEXT_TO, Relation.TOUCHING, Relation.BETWEEN, Relation.SIDE_OF, Relation.HALF)
"""What may be true of several things."""
_NUMBER = re.compile(r'\b(?:one|two|three|four|five|six|both|\d+)\b', re.IGNORECASE)
FROM_A_SIDE = r'from (?P<whose>my|your) (?:point of view|perspective|side|view),\s+'
"""An opening that says from whose side a text is told."""
_FROM_A_SIDE = re.compile(f'^{FROM_A_SIDE}', re.IGNORECASE)
_INTRODUCED = re.compile(
    r'^(?:there (?:is|are|\'s)|(?:please )?(?:find|locate|look at)) (?:the |an? )?'
    r'(?P<number>one |two |three |four |five |six )?(?P<noun>(?:[a-z]+ ){0,2}[a-z]+?)'
    r'(?: (?:that|which) are on the table| (?:here )?on the table| in front of you| here)?[.;!] +(?=\S)',
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(r'\b(?:rest|others?|else|everything|every|each|all|both|them|they|ones)\b', re.IGNORECASE)
"""Words that speak of what was introduced. Without the introduction, they would mean more."""
_COUNTS = ('one', 'two', 'three', 'four', 'five', 'six')
ROBOTS_VIEW, USERS_VIEW = 'from where I am', 'from where you sit'
_WHAT_IS = re.compile(
    r'^(?:and |so )?(?:(?:what|which|which (?:thing|object|one)|(?:what|which) (?P<noun>[a-z]+(?: [a-z]+)?))'
    r"(?:'s| is| are| stands| lies| do you see)|is there (?:anything|something|any (?P<any>[a-z]+)))"
    r'(?: there)? (?=\w)',
    re.IGNORECASE,
)
_IS_IT = re.compile(r'^(?:and |so )?is (?:the|there an?) ', re.IGNORECASE)
_WHAT_IS_LEFT = re.compile(
    r"^(?:and |so )?what(?:'s| is| do you see| lies| stands)(?: there)? (?:on|to) (?P<whose>my|your|the)"
    r' (?P<side>left|right)(?:[- ]hand)?(?: side)?(?: of the table)?[?.! ]*$',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ToldByPlace:
    """A text with names in place of `the left box` and the like.

    `doubt` tells what was taken for that if it may be another, such as `From where you sit, that is box 2.`
    """

    text: str
    doubt: str = ''

    def answer(self, answer: str) -> str:
        """What to say or do about the text, given the answer to it: what is in doubt is asked or told."""
        if not self.doubt and not answer.startswith((*_LASTING, '<allow(')):
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


def with_places_named(said: str, table: TableView) -> ToldByPlace | None:
    """The text with what is told by its place called by its name; None if nothing is, or if no place is seen.

    Raises:
        LookupError: it may be one or another, or where that stands is not seen; the message says so.
    """
    if not table.seen_by_user.right_cm:
        return None
    seen_from = _FROM_A_SIDE.match(said)
    whose = _side_of(seen_from)
    text = said
    doubts: list[str] = []
    for phrase in (item.seen_by(whose) for item in reversed(PhraseReader(said, table).phrases())):
        if _is_no_description(phrase, said):
            continue
        name, doubt = _named(phrase, said[phrase.start : phrase.end], table)
        text = f'{text[: phrase.start]}{name}{text[phrase.end :]}'
        doubts.insert(0, doubt)
    if not doubts:
        return None
    text = text[seen_from.end() :] if seen_from is not None else text
    return ToldByPlace(_without_introduction(text, table), ' '.join(filter(None, doubts)))


def _side_of(seen_from: re.Match[str] | None) -> Whose:
    """Whose side a text is told from: `from your perspective, …`."""
    if seen_from is None:
        return Whose.UNSAID
    return Whose.ROBOTS if seen_from['whose'].lower() == 'your' else Whose.USERS


def _without_introduction(text: str, table: TableView) -> str:
    """`Give me cube 2` for `There are two cubes. Give me cube 2`, if so many are seen."""
    match = _INTRODUCED.match(text)
    if match is None or _REFERS_BACK.search(text, match.end()):
        return text
    names = names_of(match['noun'].lower(), table)
    number = (match['number'] or '').strip().lower()
    is_so = bool(names) and (not number or len(names) == _COUNTS.index(number) + 1)
    return text[match.end() :] if is_so else text


def is_only_told(said: str, table: TableView) -> bool:
    """Whether a text is nothing but something told by its place: `the block closest to you`."""
    phrases = PhraseReader(said, table).phrases() if table.seen_by_user.right_cm else []
    return len(phrases) == 1 and not said[: phrases[0].start].strip() and not said[phrases[0].end :].strip(' .!')


def answer_about_places(asked: str, table: TableView) -> str | None:
    """The answer to `what is next to the apple?` and `is the cup behind it?`; None for other questions."""
    if not table.seen_by_user.right_cm:
        return None
    asked = asked.strip()
    if (half := _WHAT_IS_LEFT.match(asked)) is not None:
        return _on_a_side(half['whose'].lower(), half['side'].lower(), table)
    if _IS_IT.match(asked) is not None:
        return _whether(asked, table)
    match = _WHAT_IS.match(asked)
    reader = PhraseReader(asked, table)
    found = reader.relation_at(match.end()) if match is not None else None
    if match is None or found is None or not _is_end(reader, found[1]) or found[0].kind is Relation.ON:
        return None  # the prompt has no heights
    noun = match['noun'] or match['any'] or 'thing'
    names = names_of(noun.lower(), table)
    phrase = SpatialPhrase(0, 0, noun, names, (found[0],))
    choice = _relations(table).standing(phrase)
    told = f'{_repeated(found[0], table)}{_from_you(found[0])}'
    there = and_list([name_in_text(name, table) for name in choice])
    return f'I see {there} {told}.' if there else f'I see {"nothing" if noun == "thing" else f"no {noun}"} {told}.'


def by_its_neighbour(name: str, table: TableView) -> str:
    """` next to the apple`: the nearest thing or place that something on the table stands next to; empty for none."""
    here = table.seen_by_user.right_cm
    others = tuple(other for other in here if other != name) if name in here else ()
    landmark = SpatialPhrase(0, 0, name, (name,), ())
    near = _relations(table).standing(
        SpatialPhrase(0, 0, 'thing', others, (Modifier(Relation.NEXT_TO, 'next to', landmarks=(landmark,)),))
    )
    return f' next to {name_in_text(near[0], table)}' if near else ''


def name_in_text(name: str, table: TableView) -> str:
    """The name of a place or thing as it stands in a sentence: `box 1`, `the bowl`; `the cup 1` beside `cup 2`."""
    if name in table.places and name[-1].isdigit():
        return name
    is_first = any(re.fullmatch(rf'{re.escape(name)} \d+', thing.name) for thing in table.objects)
    return f'the {name} 1' if is_first else f'the {name}'


def _is_no_description(phrase: SpatialPhrase, said: str) -> bool:
    """Whether a phrase asks where something is, or tells where to put it: `put the cup next to the apple`."""
    before, behind = said[: phrase.start], said[phrase.end :]
    if _ASKS_WHETHER.search(before) and not behind.strip(' ?.!'):
        return True
    if phrase.is_clause or not _tells_behind(phrase, said):
        return False
    return _PUTS.search(before) is not None and not _TO_A_PLACE.search(behind)


def _tells_behind(phrase: SpatialPhrase, said: str) -> bool:
    """Whether the noun is followed by what tells its place."""
    return not said[: phrase.end].lower().endswith(phrase.noun)


def _named(phrase: SpatialPhrase, said: str, table: TableView) -> tuple[str, str]:
    """The words in place of a phrase, and what is in doubt about them.

    Raises:
        LookupError: it may be one or another.
    """
    if any(name not in table.seen_by_user.right_cm for name in phrase.names):
        raise LookupError(f'I do not see which “{said}” is. Please tell me its name')
    if phrase.which == 'no':
        raise LookupError(f'I am not sure what I shall leave out: “{said}”. Please tell me the names')
    relations = _relations(table)
    choice, robots = (relations.choose(phrase.seen_by(whose)) for whose in (Whose.USERS, Whose.ROBOTS))
    if phrase.is_plural:
        is_all = all(item.kind in _OF_SEVERAL for item in phrase.modifiers) and _NUMBER.search(said) is None
        if not choice.names or not is_all or robots.names != choice.names:
            raise LookupError(f'I am not sure which “{said}” are. Please tell me the names')
        several = and_list([name_in_text(name, table) for name in choice.names])
        return several, f'By “{said}” I see {several}.'
    if len(candidates := relations.candidates(phrase)) == 1 and robots.names != choice.names:
        name = name_in_text(candidates[0], table)
        return name, f'I see only {name}.'
    if phrase.which in ('a', 'an') and choice.names and robots.names[:1] == choice.names[:1]:
        return name_in_text(choice.names[0], table), ''
    if robots.names != choice.names:
        raise LookupError(_from_both_sides(robots, choice, said))
    if not choice.names:
        return _only_one(phrase, said, table)
    return name_in_text(choice.names[0], table), _doubt(phrase, choice, said, name_in_text(choice.names[0], table))


def _from_both_sides(robots: Choice, users: Choice, said: str) -> str:
    """The question from whose side a phrase is meant, where that makes a difference."""
    both = [seen.names[0] for seen in (robots, users) if seen.names and (seen.is_clear or seen.is_ranked)]
    if len(both) == 2 and both[0] != both[1]:
        return f'Which one do you mean by “{said}”: {both[0]} ({ROBOTS_VIEW}) or {both[1]} ({USERS_VIEW})?'
    names = dict.fromkeys((*robots.names, *users.names))
    return f'I am not sure which “{said}” is: {" or ".join(names)}? Please tell me its name'


def _only_one(phrase: SpatialPhrase, said: str, table: TableView) -> tuple[str, str]:
    others = _relations(table).candidates(phrase)
    if len(others) != 1:
        raise LookupError(f'I see nothing that could be “{said}”. Please tell me its name')
    name = name_in_text(others[0], table)
    told = ' and '.join(_repeated(item, table) for item in phrase.modifiers)
    return name, f'I see only {name}, and that is not {told}.'


def _doubt(phrase: SpatialPhrase, choice: Choice, said: str, name: str) -> str:
    """What may be wrong about the likeliest thing; empty if nothing.

    Raises:
        LookupError: another one is as likely.
    """
    if len(phrase.names) == 1 and not any(item.landmarks or item.kind is Relation.ONLY for item in phrase.modifiers):
        return f'I see only {name}.'
    if choice.is_clear:
        is_loose = len(phrase.modifiers) > 1 and any(item.kind is Relation.MIDDLE for item in phrase.modifiers)
        return f'I take {name} for that.' if is_loose or len(phrase.modifiers) > _MOST_MODIFIERS else ''
    if not choice.is_ranked or len(phrase.modifiers) > 1:
        raise LookupError(f'I am not sure which “{said}” is: {" or ".join(choice.names)}? Please tell me its name')
    is_near = phrase.modifiers[0].landmarks
    return f'The nearest to it is {name}.' if is_near else f'Furthest to that side is {name}.'


def _whether(asked: str, table: TableView) -> str | None:
    """The answer to `is the cup next to the apple?`"""
    reader = PhraseReader(asked, table)
    phrase = next(iter(reader.phrases()), None)
    if phrase is None or asked[phrase.end :].strip(' ?.!') or len(phrase.modifiers) != 1:
        return None
    item = phrase.modifiers[0]
    if not item.landmarks and item.kind is not Relation.HALF:
        return None
    told = f'{_repeated(item, table)}{_from_you(item)}'
    near = _relations(table).standing(phrase)
    yes = and_list([name_in_text(name, table) for name in near])
    no = and_list([name_in_text(name, table) for name in _relations(table).candidates(phrase)])
    if phrase.which in ('a', 'an') and not near:
        return f'No, I see no {phrase.noun} {told}.'
    if not no:
        return None
    return f'Yes: {yes} {"is" if len(near) == 1 else "are"} {told}.' if near else f'No: {no} is not {told}.'


def _on_a_side(whose: str, side: str, table: TableView) -> str:
    """What stands to one side of the middle of the user's side."""
    right_cm = table.seen_by_user.right_cm
    sign = (1 if side == 'right' else -1) * (-1 if whose == 'your' else 1)
    there = sorted(
        (name for name, at in right_cm.items() if sign * at >= BESIDE_CM), key=lambda name: abs(right_cm[name])
    )
    where = f'on {"my" if whose == "your" else "your"} {side}'
    return f'I see {and_list([name_in_text(name, table) for name in there]) or "nothing"} {where}.'


def _repeated(item: Modifier, table: TableView) -> str:
    """`next to the apple`."""
    told = and_list([name_in_text(landmark.names[0], table) for landmark in item.landmarks])
    said = re.sub(r'\b(my|your)\b', lambda found: 'your' if found[1] == 'my' else 'my', item.said)
    return f'{said} {told}'.strip()


def _from_you(item: Modifier) -> str:
    depends = item.direction is not None and item.direction.whose is Whose.UNSAID
    return ' from where you sit' if depends else ''


def _is_end(reader: PhraseReader, at: int) -> bool:
    return all(word in '?.!' for word in reader.words[at:])


def _relations(table: TableView) -> Relations:
    return Relations(table.seen_by_user, table.places)
