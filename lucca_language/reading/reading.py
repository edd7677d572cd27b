"""Readings: what a description means, and which of its words have no part in that.

A word has a part in a reading if replacing it by another word changes the reading. So the check does not depend on the
parser: whatever the parser skips, for any reason, is found by putting a meaningless word in its place.
"""

import functools
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from lucca_language.reading.asides import SET_ENDS, told_in_vain
from lucca_language.reading.clause_state import TAKING
from lucca_language.reading.description_parser import parse
from lucca_language.reading.noun_parser import ABSTRACT_NOUNS, GENERIC
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Directive, Program
from lucca_language.reading.selectors import Anything, ListedObject, Not, Noun, Or, Quality, is_within, walk
from lucca_language.words.function_words import FUNCTION_WORDS, PREPOSITIONS
from lucca_language.words.hesitations import doubtful
from lucca_language.words.idle_words import NUMBERED, idle_phrase, idle_words
from lucca_language.words.lexicon import lexicon
from lucca_language.words.self_corrections import SELF_CORRECTION
from lucca_language.words.verbs import verb
from lucca_language.words.word_sets import any_of

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CALL = re.compile(r'<[^<>]*>')
_OFF_THE_TABLE = re.compile(rf'\b(?:up )?off(?: of)?(?= the table\b(?! ?top\b|{NUMBERED}))')
"""Where a thing is that is taken; parsing leaves it out."""
_TAKING = TAKING | any_of('carry collect remove')
_LIST_MARK = re.compile(r'(?:^|\n)\s*\d+[.)]')
_MEANINGLESS = 'zqx'
_UNDECIDED = re.compile(
    r'(?<!\ball )\b(?:but|except|except for|minus) (?P<cue>one|two|three|four|five|six|\d+|some|a few)\b|'
    r'\ball but (?P<cue2>one|two|three|four|five|six|\d+|some|a few)\b(?! of)',
    re.IGNORECASE,
)
"""Some objects are left out, but it is not said which."""
_AND_MORE = re.compile(
    r'\b(?:(?:and|or) (?:so (?:on|forth)|the like|such|what ?not|stuff like that|'
    r'(?:things|others|ones) like (?:that|those))|et cetera|etc)'
    r'(?=\s*(?:[.,;:!?]|$|(?:in|into|on|onto|to) (?:the|box)\b))',
    re.IGNORECASE,
)
"""More objects or places that are not named."""
_EXAMPLES = re.compile(r'\b(?:such as|like|for example|for instance|e\.g\.)(?= )[^.;!?]*$', re.IGNORECASE)
"""Words behind which examples of a kind stand, so that it is said what more is meant."""
_SPATIAL = any_of(
    'behind beside between beneath underneath below above near nearest closest leftmost rightmost middle nearby'
)
"""Words that distinguish objects by where they stand, which lists of objects do not say."""
_IN_SET_PHRASES = any_of(
    'index finger fingers mind order sequence allowed permitted colour colours color coloured colored count counts'
)
"""Words that the reader knows only in set phrases such as `would you mind` and `in this order`."""
_SAY_MORE = any_of(
    'alone untouched together again instead rather yet still else how why about above across along among around against'
    ' near between through without within later two three four five six seven eight nine ten'
)
"""Function words with a meaning of their own: if the reading is the same without one, it was skipped."""
_MAY_END_A_CLAUSE = any_of(
    'it them me us you him her this that these those there here now too also only up down away over first last '
    'next then finally lastly afterward afterwards all each both everything anything something'
)
"""Function words that may end a clause. Any other one lacks what it belongs to: `put the mug in box 1 unless`."""
_RESTRICTION = re.compile(
    r'\b(?:except|excluding|besides|minus|without|unless|if|until|only|but|not)\b[^.,;:!?]*?'
    r'(?=\s*(?:[.,;:!?]|$|\b(?:and|then)\b))',
    re.IGNORECASE,
)
"""A word that restricts the request, with the rest of its clause."""
_OF_WHAT_WAS_NAMED = re.compile(
    r'\b(?:under|over|behind|beside|near|from|off|with|without|around|against|after|before|'
    r'above|below|beneath|between|next to) (?:it|them|that|this|these|those|each other|one another)\b',
    re.IGNORECASE,
)
"""A relation to something named before: `put it in the bowl under it`."""
_UNNAMED_CLAUSE = 'the time or the condition'
_AND_PERSON = re.compile(
    r'(?:\band|\bthen|,)\s+(?:then\s+)?(?:(?:at|to)\s+)?(?P<person>me|us|yourself|myself|one|another)\b'
    r'(?=\s*(?:[.,;!?]|$|and\b|too\b|from\b))'
)
"""A person among objects, or one more of what is not said: `point at the apple and me`, `the fruit and one`."""
NOT_BOTH = 'but not both'
"""What a reading has not understood if only one of two things is wanted."""
_NOT_BOTH = re.compile(r'\b(?:but )?not both(?: of (?:them|these|those))?\s*[.!]*$', re.IGNORECASE)
_OR = re.compile(r'\bor\b', re.IGNORECASE)
_EITHER = re.compile(r'\beither (?=[^.;!?]*$)', re.IGNORECASE)
_EITHER_WAY = re.compile(
    r'\b(?:any\w*|every\w*|each|all|no|not|none|never|neither|nothing|nobody|except|without|what\w*|if|unless|that|'
    r'which|who|is|are)\b[^.;!?]*$',
    re.IGNORECASE,
)
"""Words after which `or` includes both of its alternatives."""
_CUT_OFF = re.compile(
    r'(?<!\band so )\b(?P<cue>(?-i:a)|(?<!(?-i:[a-z]) )A|an|the|my|your|for|to|in|on|by|of|at|with|as|and|or)'
    r'(?:\s*(?:[.!?]|$)|(?:(?<=\bwith)|(?<=\bfor)|(?<=\bof)|(?<=\bthe)) and\b)',
    re.IGNORECASE,
)
"""A word at the end of a sentence that lacks what belongs behind it: `put the cup in box 1 with`, but not `an A`."""
_RELATIVE = re.compile(
    r'(?:\b(?:that|which|who|whom|what|is|are|be|been|being)|(?<!can )(?<!could )(?<!will )(?<!would )\b(?:you|i|we))\b'
    r'[^.;!?]*$|\bto \w+(?: out)? *$',
    re.IGNORECASE,
)
"""A clause that may end in a preposition: `that you write with`, `after all have been pointed at`."""
_CLAUSE_ENDS = re.compile(r'\s*(?:[.,;:!?]|$|(?:and|then)\b)', re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """What a text means. `unread`: words without a part in that; `unknown`: words for nothing that is known."""

    program: Program
    unread: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def knowing(self, words: frozenset[str]) -> 'Reading':
        """The same reading if these words are known after all."""
        return replace(self, unknown=tuple(word for word in self.unknown if word not in words)) if words else self

    @property
    def not_understood(self) -> tuple[str, ...]:
        """The words that were not understood, each once."""
        return tuple(dict.fromkeys((*self.unread, *self.unknown)))

    @property
    def is_understood(self) -> bool:
        """Whether the text asks for something and every word of it was understood."""
        return not self.not_understood and any(item.kind in ('do', 'only') for item in self.program.directives)


def read(text: str, background: str = '', names: frozenset[str] = frozenset()) -> Reading:
    """The reading of a text.

    Args:
        text: a description or request in plain English.
        background: facts that may define words.
        names: words for objects and qualities here, in addition to the lexicon; singular and lower case.
    """
    program = parse(text, background)
    return Reading(program, (*_unread(text, background), *doubtful(text, names)), unknown_words(program, names))


def _told_apart(program: Program, lowered: str) -> Iterator[str]:
    """What may be one more thing, or tell which the one before is: `the apple` in `the fruit, the apple, in box 1`."""
    for first, *others in (directive.items for directive in program.directives if len(directive.items) > 1):
        beside = first.definite and f'{first.text}, {others[0].text}'.lower() in lowered
        known = lexicon()
        if beside and all(
            item.definite and item.selector != first.selector and is_within(item.selector, first.selector, known)
            for item in others
        ):
            yield others[0].text


@functools.lru_cache(maxsize=256)
def _unread(text: str, background: str) -> tuple[str, ...]:
    """The words without a part in the program, in order."""
    program = parse(text, background)
    found = [clause or _UNNAMED_CLAUSE for clause in program.unclear]
    lowered = text.lower()
    found += [match['person'] for match in _AND_PERSON.finditer(lowered)]
    for cue in SELF_CORRECTION.finditer(text):
        found += cue['cue'].split()
    found += [cue['cue'] or cue['cue2'] for cue in _UNDECIDED.finditer(text)]
    found += [*(f', {item}' for item in _told_apart(program, lowered)), *told_in_vain(program, lowered)]
    found += [cue.group() for cue in _AND_MORE.finditer(text) if not _EXAMPLES.search(text[: cue.start()])]
    for part in (*_RESTRICTION.finditer(text), *_OF_WHAT_WAS_NAMED.finditer(text)):
        if parse(text[: part.start()] + text[part.end() :], background) == program:
            found += [word for word in part.group().split() if word.lower() not in idle_words()]
    for cut in _CUT_OFF.finditer(text):
        may_end = cut['cue'].lower() in PREPOSITIONS and _RELATIVE.search(text[: cut.start()])
        found += [] if may_end else [cut['cue']]
    for match in _OR.finditer(text):
        before, after = _EITHER.sub('', text[: match.start()]), text[match.end() :]
        if not _EITHER_WAY.search(before) and parse(f'{before}and{after}', background) == program:
            found.append(match.group())  # only one of them is meant, but both were read
    found += [NOT_BOTH] * bool(_NOT_BOTH.search(text)) + [str(program.goal)] * program.lacks_its_goal
    for directive in program.directives:
        found += ['some' for item in directive.items if _is_some_number(item)]
        for item in directive.items:
            unclear = _is_repeated(item, directive) or _is_part_of_one(item) or _is_one_or_all(item, lowered)
            found += [item.text] if unclear or _may_be_of_one_or_two_kinds(item) else []
        found += [item.called for item in directive.items if directive.kind != 'dont' and _may_have_both(item)]
        found += [second.text for first, second in pairwise(directive.items) if _may_share_colour(first, second)]
        found += [second.text for first, second in pairwise(directive.items) if _may_be_of_both(first, second)]
        found += [f'not {directive.text}'] if _is_contradicted(directive, program) else []
    places = {word for item in program.directives if item.target for word in (item.target.relation, *item.target.words)}
    skipped = [match.span() for pattern in (_CALL, _LIST_MARK, idle_phrase()) for match in pattern.finditer(lowered)]
    skipped += [match.span() for match in _OFF_THE_TABLE.finditer(lowered) if _is_taken(lowered, match)]
    skipped += [match.span(1) for pattern in SET_ENDS for match in pattern.finditer(lowered)]
    for match in _WORD.finditer(text):
        if match.group().lower() in idle_words() or any(start <= match.start() < end for start, end in skipped):
            continue
        if match.group().lower() in _SPATIAL - places:
            found.append(match.group())
            continue
        before, after = text[: match.start()], text[match.end() :]
        word = match.group().lower()
        is_cut_off = word in FUNCTION_WORDS - _MAY_END_A_CLAUSE and _CLAUSE_ENDS.match(after) is not None
        may_be_passed_over = is_cut_off or _is_foreign(word) or lexicon().colour(word) is not None
        if parse(f'{before}{_MEANINGLESS}{after}', background) == program or (
            may_be_passed_over and parse(before + after, background) == program
        ):
            found.append(match.group())
    return tuple(word for word in found if word not in NOT_BOTH.split()) if NOT_BOTH in found else tuple(found)


def _is_taken(text: str, place: re.Match[str]) -> bool:
    """Whether the last verb before a place says to take things from there: `take the cup`, but not `keep the cup`.

    `Get the cubes off the table` does not say where they are to go.
    """
    clause = re.split(r'[.,;:!?]', text[: place.start()])[-1].split()
    found = next((found for word in clause[::-1] if (found := verb(word))), None)
    ends = text[place.end() :].strip(' .!').removeprefix('the table').strip(' .!') in ('', 'please', 'now')
    return found is not None and found.lemma in _TAKING and not (found.lemma == 'get' and ends and 'me' not in clause)


def _is_some_number(item: NounPhrase) -> bool:
    """Whether it means several objects without saying how many: `some cubes`, `only some cubes`."""
    last = item.text.rpartition(' ')[2]
    return item.text.removeprefix('only ').startswith('some ') and lexicon().is_plural(last)


def _is_part_of_one(item: NounPhrase) -> bool:
    """Whether it means a part of one thing, which cannot be taken out of it: `some of the rice`, `a piece of cake`."""
    last, known = item.text.rpartition(' ')[2], lexicon()
    cut = re.search(r'\b(?:piece|slice) of ', item.text) and known.is_a(last, 'food') and not known.is_category(last)
    return not known.is_plural(last) and (item.text.startswith('some of ') or bool(cut))


def _may_be_of_one_or_two_kinds(item: NounPhrase) -> bool:
    """Whether it may mean things with both qualities or with either: `the red and square bricks`."""
    words = item.text.split()
    return any(
        joint == 'and'
        and (lexicon().colour(first) is None) != (lexicon().colour(second) is None)
        and all(word in lexicon().adjectives or lexicon().colour(word) for word in (first, second))
        for first, joint, second in zip(words, words[1:], words[2:], strict=False)
    )


def _may_have_both(item: NounPhrase) -> bool:
    """Whether it may be one thing of both colours or one of either: `the black and white cup`, not `black or white`.

    So may each of a number of things: `two red and blue cups`. `The two red and blue cups` are all there are.
    """
    is_number = item.count is not None and (item.count == 1 or not item.definite)
    if not is_number and not _ends_in_mass(item):
        return False
    listed = [part.parts for part in walk(item.selector) if isinstance(part, Or) and part.listed]
    return any(all(isinstance(part, Quality) for part in parts) for parts in listed)


def _ends_in_mass(item: NounPhrase) -> bool:
    """Whether it is a mass noun, and no word says that all is meant: `the black and white clothing`."""
    if item.universal or item.count is not None or not isinstance(item.head, Noun):
        return False
    last = item.text.split()[-1]
    return last in lexicon().mass and last == item.head.word.split()[-1]


def _is_one_or_all(item: NounPhrase, text: str) -> bool:
    """Whether a noun phrase may mean one object or all: `put any cube in box 1`, but not `any cup goes in box 1`."""
    *first, last = item.text.split() or ['']
    bare = item.text == 'anything' or (first[:1] == ['any'] and not lexicon().is_plural(last))
    if not (bare and item.universal) or last in lexicon().mass:
        return False
    if any_of('that which who but except not') & {*first}:
        return False  # `any object that is red`
    before = re.search(rf'([\w-]+) {re.escape(item.text)}(?! (?:that|which|but|except))\b', text)
    return before is not None and verb(before[1]) is not None


def _may_share_colour(first: NounPhrase, second: NounPhrase) -> bool:
    """Whether the colour of a noun phrase may be meant for the next one as well: `the red fruit and cubes`."""
    is_bare = ' ' not in second.text and not second.elided and not second.pronoun and not second.universal
    return is_bare and any(lexicon().colour(word) for word in first.text.split()) and not lexicon().colour(second.text)


def _may_be_of_both(first: NounPhrase, second: NounPhrase) -> bool:
    """Whether a quality without a noun may be meant for the next noun phrase as well: `the red and wide cups`."""
    words = second.text.split()
    qualities = first.text.removeprefix('the ').split()
    return (
        len(words) > 1
        and bool(qualities)
        and all(lexicon().colour(word) and not lexicon().knows(word) for word in qualities)
        and words[0] not in FUNCTION_WORDS
        and not (lexicon().colour(words[0]) or words[0] in lexicon().adjectives)
    )


def _is_contradicted(directive: Directive, program: Program) -> bool:
    """Whether it forbids to do anything with just the objects that the text asks for: `… without dropping it`."""
    if directive.kind != 'dont' or directive.target is not None:
        return False
    forbidden = {item.selector for item in directive.items}
    asked = [item for item in program.directives if item.kind == 'do' and item.given == directive.given]
    return any(item.selector in forbidden for other in asked for item in other.items)


def _is_repeated(item: NounPhrase, directive: Directive) -> bool:
    """Whether a directive names the same objects twice but may mean them once: `one fruit, any fruit`."""
    same = [other for other in directive.items if other.selector == item.selector]
    return item is not same[0] and directive.kind == 'do' and item.count is not None


def _is_foreign(word: str) -> bool:
    """Whether a word is outside the controlled language, so that a reading that does not need it skipped it."""
    noun = lexicon().singular(word)
    found = verb(word)
    return not (
        word in (FUNCTION_WORDS | _IN_SET_PHRASES) - _SAY_MORE
        or lexicon().knows(noun)
        or noun in GENERIC
        or lexicon().colour(word)
        or word in lexicon().adjectives
        or word.isdigit()
        or (found is not None and not found.senses <= {'other', 'talk'})
    )


def unknown_words(program: Program, names: frozenset[str]) -> tuple[str, ...]:
    """The nouns and qualities of a program that are known neither from the lexicon, nor the text, nor an object.

    `names`: see `read`.
    """
    return tuple(_unknown(program, names))


def _unknown(program: Program, names: frozenset[str]) -> Iterator[str]:
    words = lexicon()
    known = names | program.meanings.keys() | {'needed'} | ABSTRACT_NOUNS
    asked = [item for directive in program.directives for item in directive.items]
    spared = [item for directive in program.directives if directive.kind == 'dont' for item in directive.items]
    yield from (item.text for item in spared if item.selector == Anything())  # `put nothing in box 1`
    # `All other colours` means those of the objects not named; `the colour` would be an object.
    selectors = [(item.selector, known | {'colour'} if item.is_rest else known) for item in asked]
    selectors += [(selector, known) for selector in program.meanings.values()]
    selectors += [
        (Not(item.selector), known | {'colour'} if item.is_rest else known)
        for item in spared
        if item.selector != Anything()
    ]
    for selector, here in selectors:
        for part in walk(selector):
            match part:
                case Noun(word) if not words.knows(word) and not any(end in here for end in _endings(word)):
                    yield word
                case Noun(word) if ' ' in word and not words.knows(word) and word.split()[-1] in ABSTRACT_NOUNS - names:
                    yield word  # `art supplies`
                case Quality(word) if (
                    words.colour(word) is None and not words.adjectives.get(word) and word not in here
                ):
                    # Even if the lexicon has the adjective: it cannot tell which objects are big.
                    yield word
                case Not(Noun(word)) if _has_unknown_modifier(word, here):
                    yield word  # objects to leave alone have to be known exactly
                case Not(Anything()):
                    yield 'except'  # the exception is a word for any object, such as `the item`


def _has_unknown_modifier(phrase: str, known: Collection[str]) -> bool:
    words = lexicon()
    *modifiers, _ = phrase.split()
    return not words.knows(phrase) and any(
        not (words.knows(item) or item in known or item in words.adjectives or words.colour(item)) for item in modifiers
    )


def _endings(phrase: str) -> Iterator[str]:
    parts = phrase.split()
    for start in range(len(parts)):
        yield ' '.join(parts[start:])


def words_of(things: Iterable[ListedObject]) -> frozenset[str]:
    """The words that name or describe these objects."""
    found: set[str] = set()
    for thing in things:
        label = lexicon().singular(thing.label)
        found |= {label, *label.split()}
        found |= {word for attribute in thing.attributes for word in (attribute, *attribute.replace('-', ' ').split())}
    return frozenset(found)
