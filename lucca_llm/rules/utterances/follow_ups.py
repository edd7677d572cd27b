"""Follow-ups: texts that say only what differs from the request before them, as in `now the pear as well`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lucca_core.stop_command import has_stop_word
from lucca_language.reading.program import Directive
from lucca_language.reading.reading import read
from lucca_language.reading.selectors import Noun
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import verb
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.plans.demands import places_alike
from lucca_llm.rules.prompts.table_view import ON_TABLE, TableView
from lucca_llm.rules.utterances.change_forms import ChangeKind, change_in
from lucca_llm.rules.utterances.quotation import is_bare_phrase
from lucca_llm.rules.utterances.requests import is_exclamation, sentences_in
from lucca_llm.rules.utterances.said_sentence import Mood
from lucca_llm.rules.utterances.talk_forms import behind_courtesy, is_goodbye, is_thanks
from lucca_llm.rules.utterances.wishes import wished

_OPENING = re.compile(r'^(?:(?:now|next|then|yes|yeah|so|and|ok|okay|please)\b[\s,]*)+', re.IGNORECASE)
_SAME = re.compile(r'^(?:do )?the same (?:with|for|to) (?P<what>.+?)(?:,? please)?[.!]*$', re.IGNORECASE)
_INSTEAD = re.compile(
    r'^(?:(?:no|nope|oops|sorry|i mean|i meant|i said|actually|rather|wait|not (?:that|this)(?: one)?)[\s,.!;:–—-]+)+'
    r'(?P<what>(?:the|a|an|all|every|each|both|my|box)\b[^,;.!?]+?)(?: instead)?(?:,? please)?[.!]*$',
    re.IGNORECASE,
)
_SUGGESTED = re.compile(
    r'^(?:what|how) about (?P<what>[^,;.!?]+?)(?: (?:as well|too|also|then|now))*\?*$', re.IGNORECASE
)
_OF_THIS = re.compile(
    r'^(?P<verb>[a-z]+) (?:it|that|this|that one|this one)(?P<rest>(?: (?:too|as well|also))?|\s.+)$', re.IGNORECASE
)
_THERE = re.compile(
    r'^\s*(?:in|there|in there|on|on there)?(?: (?:too|as well|also))?(?:,? please)?[.!]*$', re.IGNORECASE
)
_ASKED_ABOUT = re.compile(
    r"^(?:where(?:'s| is)|is there|do you (?:see|have)|can you (?:see|find)|what colou?r is) "
    r'(?P<what>(?:the|a|an|my|any)\b[^,;.!?]+?)\?*$',
    re.IGNORECASE,
)
_WHERE_IS_IT = re.compile(
    r"^(?:and |so |but )?where(?:'s| is| are|'re) (?:it|that|this|they|those|these)(?: (?:now|then|again))?[?.! ]*$",
    re.IGNORECASE,
)
_ONE = re.compile(r'(?<=\w )(?<!\band )(?<!\bor )(?<!\bbut )(?<!\bexcept )one(?P<many>s?)\b', re.IGNORECASE)
"""The word for a thing that was named before, as in `the blue one`, but not the number in `one cube`"""
_LEADS_OUT = re.compile(r'\b(?:out|back|away|off|up|down|over|aside|along|around|again)$', re.IGNORECASE)
"""A particle that the request before lacks: `and the pear back` does not put it in."""
_SAYS = re.compile(
    r'\b(?:is|are|was|were|am|has|have|had|do|does|did|will|would|(?<!the )(?<!a )can|could|should|'
    r"belongs?|stays?|goes|wants?|needs?|likes?|loves?|[a-z]+n't|[a-z]+'(?:re|ve|ll))\b",
    re.IGNORECASE,
)
"""A verb of a whole sentence: `no, my favourite fruit is the banana` is no follow-up."""
_SOMEWHERE = re.compile(r' (?:in|into|inside|on|onto|to) .+$', re.IGNORECASE)
_OTHER = re.compile(r'^(?:the )?others?(?: ones?)?(?:,? please)?[.!]*$', re.IGNORECASE)
_DECLINES = re.compile(
    r'^(?:oh |um,? )*(?:no+|nope|nah|not (?:that|this|these|those|it|really)|rather not|better not|wrong)\b'
    r"(?:,? (?:no|thanks?|thank you|please|sorry|don't|do not|not (?:that|this|these|those|it)|"
    r"that(?: is|'s) wrong|that(?: is|'s) not it|i did not mean that|i didn't mean that))*[.! ]*$",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r'^(?:(?:yes|yeah|yep|sure|ok|okay|of course|exactly|right|please(?: do)?|do(?: it| that)?|go ahead)\b[\s,.!]*)+$',
    re.IGNORECASE,
)
_BEFORE_PLACE = re.compile(r'^(?:(?:i mean|i meant)\b[ ,]*)?(?:(?:in|into|to|on|onto) )?(?:the )?', re.IGNORECASE)
"""What may come before a place that is the whole answer."""
_OF_COURSE = re.compile(r'(?:,? (?:of course|obviously|i mean|i meant|please|then))*[.! ]*$', re.IGNORECASE)
_VAGUE = any_of(
    'the a an and or all of them both other others another rest more one ones two three next last first same that this '
    'those these too as well also again now then please just only rather instead hmm mine ok okay everything else'
)
_IDLE = any_of('the a an and or of too as well also now then please just only rather hmm ok okay one all again')
"""Of these words alone, nothing is meant."""
_STAYS = any_of('leave keep let hold drop stay stop cancel forget')
_PUTS = any_of('put place set lay add stick')
_PARTICLES = any_of('up away off on down over out along back')
_PRONOUNS = any_of('you me i us we he she him her they who what that this it')
_COMPLAINS = re.compile(
    r'\b(?:wrong (?:one|box|bowl|place|thing|object|cube|colour)|not the right (?:one|box|place|thing)|'
    r"not what i (?:wanted|meant|said|asked)|i (?:(?:did not|didn't|never) (?:want|mean|ask for|say)|wanted|meant|"
    r'asked for|said|told you) (?:the|a|an|my|that|this|box)\b)',
    re.IGNORECASE,
)
"""What somebody says of what was done: they want something, but do not say what."""
_THAT_IS_ALL = re.compile(r"\bthat(?:'s|’s| is) (?:all|it|enough)\b", re.IGNORECASE)
_MOST_BEFORE = 6
"""How many texts a chain of follow-ups may be away from its request."""


@dataclass(frozen=True)
class FollowUp:
    """A completed text. It `is_asked` for, unless it was only suggested: `what about the pear?`"""

    text: str
    is_asked: bool = True


@dataclass(frozen=True)
class _Difference:
    """What a follow-up changes: the things, whether they have a place with them, and whether it is only suggested."""

    what: str
    is_asked: bool = True
    is_placed: bool = False


def completed(said: str, before: Sequence[str], table: TableView) -> FollowUp | None:
    """The whole request that a follow-up stands for; None if the text is none, or if nothing before completes it.

    What stands for it takes verb and place from the request before, and has to be understood in every word.

    Args:
        said: the text.
        before: what the same person said before in this conversation, oldest first.
        table: what is on the table.
    """
    if not table.seen:
        return None
    said = _without_thanks(said)
    if wish := wished(said, table):
        return FollowUp(wish, is_asked=False) if _is_whole(wish) else None
    if before and agrees(said):
        suggested = completed(before[-1], before[:-1], table)
        return FollowUp(suggested.text) if suggested is not None and not suggested.is_asked else None
    if (text := _of_what_was_spoken_of(said, before, table) or _which_one(said, before, table)) is not None:
        return FollowUp(text)
    change = _difference(said)
    if change is None or _is_about_a_thing(before):
        return None
    base = request_before(before, table)
    if base is None or not _are_things(change.what, table):
        return None
    # Behind `give me the apple`, `and the pear in box 2` may also mean the pear that is there.
    if change.is_placed and 'place' not in base.senses:
        return None
    text = change.what if change.is_placed else with_things(base, change.what)
    is_asked = change.is_asked and not said.rstrip().endswith('?')
    return FollowUp(text, is_asked) if _is_whole(text) else None


def completed_question(said: str, before: Sequence[str], table: TableView) -> str | None:
    """The whole question that `and the pear` stands for behind `where is the apple?`; None for other texts.

    `Where is it?` is about the things of the request or question just before. Speech has no question mark, so none is
    needed.
    """
    asked = _ASKED_ABOUT.match(_bare(before[-1])) if before else None
    if _WHERE_IS_IT.match(said.strip()):
        things = asked['what'] if asked is not None else things_asked_for(before, table)[0]
        return f'where is {things}?' if things else None
    change = _difference(said)
    if change is None or change.is_placed or asked is None or not _are_things(change.what, table):
        return None
    start, end = asked.span('what')
    return f'{asked.string[:start]}{change.what}{asked.string[end:]}'


def is_fragment(said: str, before: Sequence[str], table: TableView) -> bool:
    """Whether a text looks like a follow-up about things or places here, or about `the others`.

    It may have the form of one, whatever was said before, or have no verb, behind a request or a question about a
    thing.
    """
    said = _without_thanks(said)
    if not table.seen:
        return False
    change = _difference(said)
    if change is not None and (_are_things(change.what, table) or bool(table.place_in(change.what))):
        return True
    if _OTHER.match(said):
        return True
    if _COMPLAINS.search(said) and any(_speaks_of_things(text) for text in before[-1:]):
        return True
    bare = _bare(said).rstrip('.! ')
    words = re.findall("[a-z0-9']+", bare.lower())
    if not words or said.rstrip().endswith('?') or not is_bare_phrase(bare) or _SAYS.search(bare):
        return False
    is_of_things = bool(table.named(bare) or table.place_in(bare)) or (set(words) <= _VAGUE and not set(words) <= _IDLE)
    return is_of_things and any(_speaks_of_things(text) for text in before[-_MOST_BEFORE:])


def things_asked_for(before: Sequence[str], table: TableView) -> tuple[str, str]:
    """The things of the request just before, as a noun phrase, and the place where they were to be; empty for none.

    Both are empty if it is not clear what was asked for last.
    """
    while before and (is_thanks(before[-1]) or is_exclamation(before[-1])):
        before = before[:-1]
    if not before:
        return '', ''
    whole = completed(before[-1], before[:-1], table)
    text = whole.text if whole is not None and whole.is_asked else _without_thanks(before[-1])
    asked = only_request(text)
    if asked is None or not all(table.fitting(item.text) for item in asked.items):
        return '', ''
    place = table.place_in(' '.join(asked.target.words)) if asked.target is not None else ''
    if 'give' in asked.senses and not place:
        place = next((name for name in table.places if name.endswith('side')), '')
    return ' and '.join(item.text for item in asked.items), place


def agrees(said: str) -> bool:
    """Whether a text only says yes: `yes please`, `go ahead`."""
    return _AGREES.match(said) is not None


def declines(said: str) -> bool:
    """Whether a text only says no: `no thanks`, `not that`."""
    return _DECLINES.match(said) is not None


def _speaks_of_things(text: str) -> bool:
    return _ASKED_ABOUT.match(_bare(text)) is not None or any(
        sentence.mood in (Mood.REQUEST, Mood.RULE) for sentence in sentences_in(text)
    )


def _without_thanks(said: str) -> str:
    """A text without thanks and the like before what it asks for: `Thanks. Now the pear.`"""
    first, mark, rest = said.strip().partition('. ')
    if not mark:
        first, mark, rest = said.strip().partition('! ')
    if mark and rest and (is_exclamation(first) or is_thanks(first)):
        return _without_thanks(rest)
    rest, is_apart = behind_courtesy(said)
    return rest if rest and is_apart else said.strip()


def _difference(said: str) -> _Difference | None:
    text = said.strip()
    bare = _bare(text)
    if match := _SUGGESTED.match(bare):
        return _Difference(match['what'], is_asked=False)
    if match := _SAME.match(bare) or _INSTEAD.match(text):
        return _Difference(match['what'])
    form = change_in((bare if bare == text else f'and {bare}').rstrip('?'))
    if form is None:
        return None
    if form.is_sentence:
        is_placed = form.what.startswith('put ') and 'put' not in text.lower().split()
        return _Difference(form.what, is_placed=True) if is_placed else None
    if form.kind is ChangeKind.ADD and form.what.lower().split()[0] not in _PRONOUNS:
        return _Difference(form.what)
    if form.kind in (ChangeKind.CORRECT, ChangeKind.REPLACE) and form.instead:
        return _Difference(form.instead)
    return None


def _are_things(what: str, table: TableView) -> bool:
    """Whether words are a noun phrase for things that are here, or that might be."""
    what = _SOMEWHERE.sub('', what.removeprefix('put '))
    words = what.lower().split()
    known = verb(words[0]) if words else None
    is_verb = known is not None and known.lemma == words[0] and not lexicon().knows(words[0])
    if not words or is_verb or _SAYS.search(what) or _PRONOUNS.issuperset(words) or _LEADS_OUT.search(what):
        return False
    return bool(table.fitting(what) or table.named(what)) or lexicon().knows(lexicon().singular(words[-1]))


def request_before(before: Sequence[str], table: TableView) -> Directive | None:
    """The one thing that the last request asked for, behind follow-ups to it."""
    for number in range(len(before) - 1, max(len(before) - 1 - _MOST_BEFORE, -1), -1):
        text = _without_thanks(before[number])
        whole = _of_what_was_spoken_of(text, before[:number], table) or text
        if (found := only_request(whole)) is not None:
            return found
        bare = _bare(text)
        if has_stop_word(text) or is_goodbye(before[number]) or _THAT_IS_ALL.search(before[number]):
            return None
        if not (_difference(text) or _puts_this_there(bare) or _ASKED_ABOUT.match(bare) or is_exclamation(text)):
            return None
    return None


def _is_about_a_thing(before: Sequence[str]) -> bool:
    """Whether the text before is a question about a thing; then `and the apple` asks the same about the apple."""
    return bool(before) and _ASKED_ABOUT.match(_bare(before[-1])) is not None


def _puts_this_there(bare: str) -> bool:
    """Whether a text is a follow-up such as `put that in too`, and not `take it out again` or `forget it`."""
    match = _OF_THIS.match(bare.rstrip('.! '))
    return match is not None and _moves(match) and _THERE.match(match['rest']) is not None


def _moves(match: re.Match[str]) -> bool:
    """Whether what is said of `it` moves it or points at it: not `leave it there`, `give it up`, `bring it on`."""
    word = match['verb'].lower()
    known = verb(word)
    if known is None or word in _STAYS or not known.senses & {'place', 'give', 'point'}:
        return False
    rest = match['rest'].strip(' .!').lower()
    return word in _PUTS if rest in ('in', 'on', 'in too', 'on too', 'in as well') else rest not in _PARTICLES


def _bare(text: str) -> str:
    """A text without `now`, `and` and the like at its beginning."""
    return _OPENING.sub('', text.strip())


def only_request(text: str) -> Directive | None:
    """The directive of a text that asks for one thing, without exception or condition."""
    said = sentences_in(text)
    if len(said) != 1 or said[0].mood is not Mood.REQUEST:
        return None
    reading = read(said[0].asked)
    asked = [item for item in reading.program.directives if item.kind == 'do']
    if len(asked) != len(reading.program.directives) or len(asked) != 1 or reading.program.excepted:
        return None
    only = asked[0]
    plain = only.items and not only.given and not any(item.pronoun or item.vague for item in only.items)
    return only if plain else None


def with_things(base: Directive, what: str) -> str:
    """The request before, for other things. `one` stands for its noun, unless the things have a noun before that."""
    head = base.items[-1].head
    if isinstance(head, Noun):
        what = _ONE.sub(lambda match: _one(match, head.word), what)
    if 'point' in base.senses:
        return f'{base.verb} at {what}'
    place = base.target
    if place is None:
        return f'{base.verb} {what}'
    is_name = place.is_recipient or place.words[-1].isdigit()
    return f'{base.verb} {what} {place.relation} {"" if is_name else "the "}{" ".join(place.words)}'


def _one(match: re.Match[str], noun: str) -> str:
    """`cube` for the word in `the blue one`; the word itself in `all the cubes but the blue one`."""
    before = re.findall('[a-z]+', match.string[: match.start()].lower())
    has_noun = any(lexicon().knows(lexicon().singular(word)) for word in before)
    return match.group() if has_noun else f'{noun}{"s" if match["many"] else ""}'


def _is_whole(text: str) -> bool:
    reading = read(text)
    if reading.unread or len(reading.program.directives) != 1:
        return False
    only = reading.program.directives[0]
    return only.target is not None or bool(only.senses & {'give', 'point', 'stack'})


def _of_what_was_spoken_of(said: str, before: Sequence[str], table: TableView) -> str | None:
    """`Put it in the bowl` behind `where is the apple?`, and `put that in too` behind `what about the apple?`"""
    match = _OF_THIS.match(_bare(said).rstrip('.! '))
    if match is None or not before or not _moves(match) or said.rstrip().endswith('?'):
        return None
    spoken_of = table.fitting(_spoken_of(before[-1]))
    if len(spoken_of) != 1:
        return None
    thing = f'the {spoken_of[0].name}'
    if not _THERE.match(match['rest']):
        text = f'{match["verb"].lower()} {thing}{match["rest"]}'
    elif (base := request_before(before, table)) is not None and _senses(match['verb']) & base.senses:
        text = with_things(base, thing)
    else:
        return None
    return text if _is_whole(text) else None


def _which_one(said: str, before: Sequence[str], table: TableView) -> str | None:
    """The request before with the one of several that it may mean: `the cube` behind `give me the red one`.

    `Box 1` tells which place is meant by `the left box`.

    Only an article, colours and one noun tell which; any other word may say that it is not that one.
    """
    base = only_request(_without_thanks(before[-1])) if before else None
    if base is not None and (alike := places_alike(base, table.places)) is not None:
        called, places = alike
        place = _BEFORE_PLACE.sub('', _OF_COURSE.sub('', _bare(said))).lower()
        text = re.sub(rf'\b(?:(?:the|my) )?{re.escape(called)}\b', place, before[-1], flags=re.IGNORECASE)
        if place in places and text != before[-1] and _is_whole(text):
            return text
    if base is None or len(base.items) != 1 or not (base.items[0].is_single and base.items[0].definite):
        return None
    may_be = [thing for thing in table.fitting(base.items[0].text) if thing.place == ON_TABLE]
    words = _OF_COURSE.sub('', _bare(said)).lower().split()
    plain = [word for word in words if word not in ('the', 'that', 'one') and lexicon().colour(word) is None]
    meant = [thing for thing in table.fitting(' '.join(words)) if thing in may_be] if words else []
    if len(may_be) < 2 or len(meant) != 1 or said.rstrip().endswith('?'):
        return None
    is_noun = ' '.join(plain) == meant[0].label or (len(plain) == 1 and lexicon().knows(plain[0]))
    text = with_things(base, f'the {meant[0].name}')
    return text if (is_noun or not plain) and _is_whole(text) else None


def _senses(word: str) -> frozenset[str]:
    known = verb(word.lower())
    return frozenset() if known is None else frozenset(known.senses)


def _spoken_of(text: str) -> str:
    """The one thing that a question, a follow-up or a request is about, as said; empty for other texts."""
    if match := _ASKED_ABOUT.match(_bare(text)):
        return match['what']
    if (change := _difference(text)) is not None:
        return '' if change.is_placed else change.what
    asked = only_request(text)
    return asked.items[0].text if asked is not None and len(asked.items) == 1 else ''
