"""Prohibitions in utterances: what somebody prohibits for good, lifts again, or asks about.

Only sentences that prohibit or permit by their mood count. Reports, questions, hypotheses and quotations do not, and
beside a request a prohibition is a part of that request.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lucca_core.protocol.prohibitions import EVERY_PLACE
from lucca_language.prohibitions import meaning_of, not_understood
from lucca_language.words.verbs import is_handling
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompts.table_view import NUMBERS, TableView
from lucca_llm.rules.utterances.openings import without_opening
from lucca_llm.rules.utterances.requests import is_exclamation
from lucca_llm.rules.utterances.said_sentence import Mood, SaidSentence

ANYWHERE = 'anywhere'
"""As the place of a prohibition: to move the objects at all."""


@dataclass(frozen=True)
class SaidProhibition:
    """What is prohibited, or lifted: the words for the objects, and the place or ANYWHERE."""

    what: str
    place: str = ANYWHERE

    def __str__(self) -> str:
        """The arguments of the call."""
        return f'{self.what}, {self.place}'


@dataclass(frozen=True)
class SaidOfProhibitions:
    """What an utterance prohibits or lifts. `unclear`: words that were not understood; then nothing counts."""

    found: tuple[SaidProhibition, ...] = ()
    unclear: str = ''


_EVER = r'(?:(?:ever|please|in future|again|just|now) )?'
_NOT = (
    r"(?:(?:do not|don't|dont|never)(?: ever)?|you (?:must|may|should|can|shall) (?:not|never)|"
    r"you (?:mustn't|shouldn't|can't|cannot)) " + _EVER
)
_TOUCH = r'(?:touch(?: or move)?|move(?: or touch)?|take|handle|pick up|lift|grab|grasp|use|remove|shift|push|displace)'
_TOUCHED = r'(?:touched|moved|taken|handled|picked up|lifted|grabbed|used|removed|shifted|pushed)'
_PUT = r'(?:put|place|drop|move|throw|lay|set|bring|stack|store|carry|sort)'
_IN = r'(?:in|into|inside|on|onto|on top of|to|at)'
_GO = r'(?:go(?:es)?|belongs?|comes?|be (?:put|placed|dropped|stored|brought|moved)|ends? up)'
_NO_THING = r'(?P<no>nothing(?: .+?)?|no .+?)'
_PLACE = rf'{_IN} (?P<place>(?:the |my |your )?[\w\' -]+)'
PROHIBIT, ALLOW = 'prohibit', 'allow'
"""The calls that change prohibitions."""
_PROHIBITS = tuple(
    re.compile(f'^{pattern}$', re.IGNORECASE)
    for pattern in (
        rf'{_NOT}{_PUT} (?P<what>.+?) {_PLACE}',
        rf'{_NOT}(?:give|hand|pass|bring) (?P<me>me|us) (?P<what>.+)',
        rf'{_NOT}(?:give|hand|pass|bring) (?P<what>.+?) to (?P<me>me|us)',
        rf'{_NOT}{_TOUCH} (?P<what>.+)',
        rf'{_NOT}(?:pick|take) (?P<what>.+?) (?:up|away)',
        r'(?:leave|let|keep) (?P<what>.+?) (?:alone|be|untouched|in peace|where (?:it is|they are))',
        rf'{_NO_THING} (?:may|must|should|can|is to) (?:ever )?{_GO} {_PLACE}',
        rf'{_NO_THING} (?:(?:goes|go|belongs?|comes?|(?:(?:is|are) )?allowed) )?{_PLACE}',
        rf"(?P<what>.+?) (?:is|are)(?: not|n't) (?:allowed|permitted) {_PLACE}",
        rf'(?P<what>.+?) (?:must|may|should|can|shall) (?:not|never) {_GO} {_PLACE}',
        rf"(?P<what>.+?) (?:does not|do not|doesn't|don't|never) {_GO} {_PLACE}",
        rf'{_NO_THING} (?:may|must|should|can|is to) (?:ever )?be {_TOUCHED}',
        rf"(?P<what>.+?) (?:(?:must|may|should|can|shall) (?:not|never)|mustn't|shouldn't) (?:ever )?be {_TOUCHED}",
        rf'only (?P<only>.+?) (?:(?:(?:may|must|should|can|is to|are to) )?{_GO} )?{_PLACE}',
        rf'only (?P<only>.+?) (?:may|should|can) be {_TOUCHED}',
        r'(?P<what>.+?) (?:stays?|remains?) (?:put|untouched|where (?:it is|they are))',
        r'(?P<what>.+?) (?:is|are) (?:off limits|not to be (?:touched|moved))',
    )
)
_MAY = r"(?:you (?:may|can|are allowed to|are free to|'re allowed to)) (?:now )?"
_AGAIN = r'(?P<again>(?: (?:again|after all|once more|from now on|as before))+)'
_LIFTS = tuple(
    re.compile(f'^{pattern}$', re.IGNORECASE)
    for pattern in (
        rf'{_MAY}{_PUT} (?P<what>.+?) {_PLACE}{_AGAIN}',
        rf'{_MAY}{_TOUCH} (?P<what>.+?){_AGAIN}',
        rf'{_MAY}(?:touch|handle|touch or move|move or touch) (?P<what>.+?)(?: now)?',
        rf'(?P<what>.+?) (?:may|can) (?:now )?{_GO} {_PLACE}{_AGAIN}',
        rf'(?P<what>.+?) (?:may|can) (?:now )?be {_TOUCHED}{_AGAIN}',
        r'(?:forget|lift|drop|cancel|remove|delete|revoke|undo|take back|withdraw|end) (?:the|that|this|your|my|our) '
        r'(?:rules?|prohibitions?|bans?|restrictions?) (?:about|on|against|for|of|regarding|not to (?:touch|move)) '
        r'(?P<all>.+)',
        r'the (?:rule|prohibition|ban|restriction) (?:about|on|against|for|of|regarding) (?P<all>.+?) '
        r'(?:is (?:lifted|over)|no longer (?:holds|applies))',
        r'(?P<all>.+?) (?:is|are) no longer (?:off limits|taboo|forbidden|prohibited)',
    )
)
_BESIDE = re.compile(r"(?:[,;]|,? and|,? but) (?=(?:please )?(?:never|don't ever|do not ever)\b)", re.IGNORECASE)
_LASTS = re.compile(r'\b(?:never|ever|again|any ?more|from now on|in (?:the )?future)\b', re.IGNORECASE)
_FROM_THEN = re.compile(r'\b(?:again|any ?more|from now on|afterwards?|then|in (?:the )?future)\b', re.IGNORECASE)
_OF_IT = re.compile(r'\b(?:it|them|that|this|those|these|ones?|there|others?|rest)\b', re.IGNORECASE)
_CONDITIONAL = re.compile(
    rf'^(?:if|when|whenever|while|as long as|until|unless|after|before|once)\b[^,]*, (?:please )?(?:{_NOT}{_TOUCH}|'
    rf'{_NOT}{_PUT}|leave \S.* alone\b)(?!.*(?:[,;]| and | but ))',
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:(?:what|which (?:things|objects|ones)) (?:(?:must|may|can|should|are|mustn't|can't|shouldn't|aren't) you "
    r'(?:\w+ )*?(?:not |never )?(?:allowed to |permitted to )?(?:touch|move|handle|put)|'
    r'(?:is|are) (?:prohibited|forbidden|off limits))|'
    r'(?:what|which) (?:rules|prohibitions|bans|restrictions) (?:do you|are|hold|have you)|'
    r'(?:list|tell me|show me|what are) (?:all |the |your |all the |all your )?(?:rules|prohibitions|bans)|'
    r'is (?:anything|something) (?:prohibited|forbidden|off limits))\b',
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|prohibited|forbidden|off limits|rules|prohibitions|bans|restrictions)\b|n't\b", re.I
)
_PLEASE = re.compile(r'\bplease\b', re.IGNORECASE)
_QUOTES = re.compile('["“”«»]')
_TAG = re.compile(
    r',? (?:ok|okay|please|alright|all right|right|understood|understand|sorry|sir|thanks|thank you)(?: please)?\W*$',
    re.I,
)
_ASKS_MORE = re.compile(r',? but |[,;] ', re.IGNORECASE)
_BARE = re.compile(r'^(?:the |any )?(?:things?|objects?|items?|stuff)$', re.IGNORECASE)
_IDLE_END = re.compile(
    r',? (?:away|around|anywhere|at all|ever|ever again|again|any ?more|in future|please|from now on|either)$', re.I
)
_REASON = re.compile(r",? because .*$|, (?:it|they|that)(?:'s|'re| is| are) .*$", re.IGNORECASE)
_COMMA = re.compile(r',\s*(?:(?:and|or) )?')
_ONE_UP = re.compile(r' up$', re.IGNORECASE)

_MAY_FORBID = re.compile(
    r'(?:\b(?:not|never|no|nobody|nothing|without|until|unless|only|leave|leaving|keep|kept|stays?|hands?|careful|off|'
    r"hate|avoid|neither|forbid|forbidden|prohibit|prohibited)\b|n['’]t\b)"
    r'(?=.*\b(?:touch|mov|handl|lift|tak|remov|pick|grab|put|mix|allow|permit|forbid|prohibit|limits|us(?:e|ing)\b|'
    r'alone\b|hands?\b|on the table\b))',
    re.IGNORECASE | re.DOTALL,
)
_OF_ONESELF = re.compile(
    r'^(?:i|he|she|they)\b(?!.*\b(?:you|rather|prefer|hate|anyone|anybody|nobody|forbid|prohibit|allow)\b)|'
    r"\byou (?:did|have)(?: not|n['’]?t)\b|"
    r"(?:\bnot|n['’]?t) mind you\b|\bno problem\b",
    re.IGNORECASE | re.DOTALL,
)
_NEXT_CLAUSE = re.compile(r', (?:(?:please|then|so|and|just|now),? )*(?P<verb>[a-z]+)\b', re.IGNORECASE)
_KEEPING = any_of('leave let keep stop hold use')
"""Verbs that handle things, and that may forbid to handle them."""


def prohibited_in(sentences: Sequence[SaidSentence], table: TableView) -> SaidOfProhibitions | None:
    """What an utterance prohibits; None if it prohibits nothing, or asks for something else as well."""
    return _all_of(sentences, table, _PROHIBITS)


def prohibited_beside(sentences: Sequence[SaidSentence], table: TableView) -> SaidOfProhibitions | None:
    """What is prohibited for good beside a request: `put the pear in box 1, and never touch the cup`.

    None if nothing is, if no word says that it lasts, or if it may begin only once the request is done.
    """
    if not any(sentence.mood is Mood.REQUEST for sentence in sentences):
        return None
    parts = [part for sentence in sentences for part in _BESIDE.split(sentence.text) if part.strip()]
    lasting = [part for part in parts if _LASTS.search(part) and not _OF_IT.search(part)]
    asked = ' '.join(part for part in parts if part not in lasting)
    found: list[SaidProhibition] = []
    for part in lasting:
        said = prohibited_in([SaidSentence(Mood.FORBID, part, part)], table)
        if said is None or said.unclear or (_FROM_THEN.search(part) and _are_meant(said, asked, table)):
            return None
        found += said.found
    return SaidOfProhibitions(tuple(dict.fromkeys(found))) if found and len(lasting) < len(parts) else None


def _are_meant(said: SaidOfProhibitions, asked: str, table: TableView) -> bool:
    """Whether a request is about the things that are prohibited."""
    handled = table.named(asked) + table.fitting(asked)
    return any(thing in handled for item in said.found for thing in table.fitting(item.what))


def lifted_in(sentences: Sequence[SaidSentence], table: TableView) -> SaidOfProhibitions | None:
    """What an utterance permits again; None if it permits nothing, or asks for something else as well."""
    return _all_of(sentences, table, _LIFTS)


@dataclass(frozen=True)
class SaidChange:
    """What an utterance changes about prohibitions: PROHIBIT or ALLOW, and whether it is beside a request."""

    name: str
    said: SaidOfProhibitions
    beside: bool = False


def change_in(sentences: Sequence[SaidSentence], table: TableView) -> SaidChange | None:
    """What an utterance changes about prohibitions; None if it changes nothing."""
    if (said := lifted_in(sentences, table)) is not None:
        return SaidChange(ALLOW, said)
    if (said := prohibited_in(sentences, table)) is not None:
        return SaidChange(PROHIBIT, said)
    beside = prohibited_beside(sentences, table)
    return SaidChange(PROHIBIT, beside, beside=True) if beside is not None else None


def is_conditional(sentences: Sequence[SaidSentence]) -> bool:
    """Whether something is prohibited under a condition, which cannot be kept."""
    return any(_CONDITIONAL.match(_plain(sentence)) for sentence in sentences if not _QUOTES.search(sentence.text))


def may_forbid(text: str) -> bool:
    """Whether a text that was not understood as a prohibition may be one: `the pear is not for touching`."""
    if _MAY_FORBID.search(text) is None or _OF_ONESELF.search(text) is not None:
        return False
    # Whoever says `the apple isn't in box 1, put it there` asks for something.
    verbs = [match['verb'].lower() for match in _NEXT_CLAUSE.finditer(text)]
    return not any(is_handling(word) and word not in _KEEPING for word in verbs)


def asks_what_is_prohibited(text: str) -> bool:
    """Whether somebody asks which prohibitions hold."""
    said = without_opening(text)
    return _ASKS.match(said) is not None and _DENIES.search(said) is not None


def _all_of(
    sentences: Sequence[SaidSentence], table: TableView, patterns: Sequence[re.Pattern[str]]
) -> SaidOfProhibitions | None:
    found: list[SaidProhibition] = []
    for sentence in sentences:
        match = _match(sentence, patterns)
        if match is not None and (_is_addressed(match) or not not_understood(_words(match), table.objects)):
            said = tuple(_said(match, table))
            if not said:
                return SaidOfProhibitions(unclear=_words(match))
            found += said
        elif sentence.mood is not Mood.STATEMENT and not is_exclamation(sentence.text):
            return None
    return SaidOfProhibitions(tuple(dict.fromkeys(found))) if found else None


def _match(sentence: SaidSentence, patterns: Sequence[re.Pattern[str]]) -> re.Match[str] | None:
    said = _plain(sentence)
    if _QUOTES.search(sentence.text) or said.endswith('?'):
        return None
    said = said.rstrip(' .!?')
    match = next((match for pattern in patterns if (match := pattern.match(said)) is not None), None)
    if match is not None and sentence.mood is Mood.REQUEST and _ASKS_MORE.search(said):
        return None  # `do not touch the cup, but put the pear in the bowl` is one request
    if match is not None and match.groupdict().get('only') and _PLEASE.search(sentence.text):
        return None  # `only the pear in box 1, please` asks for it now
    return match


def _is_addressed(match: re.Match[str]) -> bool:
    """Whether a sentence is addressed to the robot. Others may be reports if their words are not all known."""
    return not match.re.pattern.startswith(('^(?P<what>', '^(?P<no>', '^only ', '^(?P<all>'))


def _plain(sentence: SaidSentence) -> str:
    """A sentence without its opening and a tag such as `, okay?` at its end."""
    said = ' '.join(without_opening(sentence.text).replace('’', "'").split())
    return _TAG.sub('', said) if _TAG.search(said) else said


def _words(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if only := groups.get('only'):
        return f'anything except {only}'
    if no := groups.get('no'):
        rest = no.partition(' ')[2].replace('but ', 'except ')
        return f'anything {rest}'.strip() if no.lower().startswith('nothing') else rest
    what = _REASON.sub('', groups.get('what') or groups.get('all') or '')
    while (shorter := _IDLE_END.sub('', what)) != what:
        what = shorter
    what = _ONE_UP.sub('', what).replace(' but ', ' except ')
    return 'anything' if _BARE.match(what) else what


def _said(match: re.Match[str], table: TableView) -> Iterator[SaidProhibition]:
    """What a sentence prohibits or lifts; nothing if its words are not understood."""
    # The arguments of a call have commas between them.
    what = _COMMA.sub(' and ' if ' and ' in _words(match) else ' or ', _words(match))
    groups = match.groupdict()
    place = ANYWHERE
    if groups.get('all'):
        place = EVERY_PLACE
    elif groups.get('me'):
        place = next((name for name in table.places if name.endswith('side')), "user's side")
    elif said := groups.get('place'):
        place = _place(said, table)
    elif named := _place(what, table, known=True):
        # `Leave box 2 alone` is about what goes in there; a bowl may be moved, too.
        if any(item.label == named.lower() for item in table.objects):
            yield SaidProhibition(what)
        yield SaidProhibition('anything', named)
        return
    if place == EVERY_PLACE or meaning_of(what) is not None:
        yield SaidProhibition(what, place)


def _place(said: str, table: TableView, *, known: bool = False) -> str:
    """The name of a place as the table has it, otherwise as it was said; empty for unknown ones if `known`."""
    words = [NUMBERS.get(word, word) for word in re.sub(r'^(?:the|my|your) ', '', said.lower()).split()]
    ways = {' '.join(words), ' '.join([*words[1:], words[0]])}
    found = next((place for place in table.places if place.lower() in ways), '')
    return found or ('' if known else ' '.join(words))
