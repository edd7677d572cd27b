"""Signs that two sentences with nearly the same words do not say the same, so that neither may stand for both.

Of statements that say the same one text is kept. So whatever sets them apart must be seen here: who does it to whom,
where from, before or after what, whether it was or is, whether it holds at all, and a word in the same place. In doubt
they are two facts, which costs only bytes.
"""

import itertools
from collections.abc import Sequence

from lucca_memory.semantic.language.lexicon import (
    ARTICLES,
    DECISIVE,
    IDLE,
    INSCRIBED,
    LIGHT,
    MANY,
    OPPOSED,
    PREPOSITIONS,
)
from lucca_memory.semantic.language.reading import COPULAS, NO_WORD, Reading, Word, is_verb
from lucca_memory.semantic.language.tenses import is_past
from lucca_memory.words import word_set

_GENERAL = word_set('general') | word_set('fillers')
_PARTICIPANTS = {
    form: forms[0]
    for forms in (
        ('i', "i'm", "i've", "i'd", "i'll", 'me', 'myself'),
        ('you', "you're", "you've", "you'll", 'yourself'),
        ('he', "he's", 'him', 'himself'),
        ('she', "she's", 'herself'),
        ('we', "we're", "we've", 'us'),
        ('they', "they're", "they've", 'them'),
    )
    for form in forms
}
_OWNERS = {'mine': 'my', 'yours': 'your', 'hers': 'her', 'ours': 'our', 'theirs': 'their'}
_OWNED = frozenset(['my', 'your', 'his', 'her', 'our', 'their', *_OWNERS])
_WAS = frozenset(['was', 'were', 'had', 'did'])
_BE = frozenset(['is', 'are', 'was', 'were', 'been'])


def tell_apart(new: Sequence[Word], old: Sequence[Word]) -> bool:
    """True if two sentences differ in more than their wording, whatever words they share. Both may be of any length."""
    if sorted(_people(new, old)) != sorted(_people(old, new)) or _owners(new) != _owners(old):
        return True
    did, does = _subjects(new, old), _subjects(old, new)
    if any(did[verb] != does[verb] for verb in did.keys() & does.keys()):
        return True
    if _turns_round(new, old) or _turns_round(old, new):
        return True
    one, two = ({word.lower for word in words} for words in (new, old))
    if (one ^ two) & (DECISIVE | OPPOSED) or _tense(new, old) != _tense(old, new):
        return True
    return _only_prepositions_differ(new, old)


def is_one_fact(new: Reading, old: Reading) -> bool:
    """True if two clauses that say the same about the same names and numbers differ in their wording only."""
    return not (tell_apart(new.words, old.words) or _adds_to(new, old) or _adds_to(old, new))


def _adds_to(reading: Reading, other: Reading) -> bool:
    """True if a sentence has a word of content that the other lacks, which is more than another wording.

    A word is mere wording if it only names the attribute or links it to its value, or if the other sentence has a word
    of its own elsewhere: "has the label LM-69", "sits at desk LM-69". In the same place, it is another value.
    """
    mine, its = _own(reading, other), _own(other, reading)
    classes, others = ({word.attribute for _, word in own} - {''} for own in (mine, its))
    if classes and others and not classes & others:
        return True
    links = _links(other) and bool(other.definite & reading.keys)
    mine = [
        (before, word)
        for before, word in mine
        if word.stem not in LIGHT and not (links and _is_link(before, word)) and word.lower not in INSCRIBED
    ]
    if not its:
        return any(not word.attribute and word.lower not in _GENERAL for _, word in mine)
    return bool({before for before, _ in mine} & {before for before, _ in its})


def _links(reading: Reading) -> bool:
    """True if a sentence may say "the badge of Ada is" or "the badge of Ada reads": its verb tells nothing."""
    return any(word.lower in COPULAS | INSCRIBED for word in reading.words)


def _is_link(before: str, word: Word) -> bool:
    """True for "wears" in "Ada wears badge 7", beside "the badge of Ada is 7", but not for "likes" or "in the oven"."""
    inside = before in ARTICLES | PREPOSITIONS | _OWNED | COPULAS
    return is_verb(word) and not inside and not word.attribute and word.lower not in DECISIVE | MANY


def _own(reading: Reading, other: Reading) -> list[tuple[str, Word]]:
    """The words of content that only one sentence has, each with the word before it."""
    classes = {word.attribute for word in other.words if word.attribute}
    return [
        (before.lower, word)
        for before, word in itertools.pairwise((NO_WORD, *reading.words))
        if word.key
        and word.key not in other.keys
        and word.stem not in IDLE
        and not (word.attribute and word.attribute in classes)
    ]


def _people(words: Sequence[Word], others: Sequence[Word]) -> list[str]:
    """Who takes part; a sentence's first word counts if the other sentence shows it to be a name."""
    known = {word.lower for word in (*words, *others) if word.type == 'name'} | _PARTICIPANTS.keys()
    return [_PARTICIPANTS.get(word.lower, word.lower) for word in words if word.lower in known]


def _subjects(words: Sequence[Word], others: Sequence[Word]) -> dict[int, str]:
    """Who does what: for the root of each word right behind one of those who take part, who that is.

    In the passive, it is who comes behind "by"; empty for somebody without a name.
    """
    known = {word.lower for word in (*words, *others) if word.type == 'name'} | _PARTICIPANTS.keys()
    active = {
        word.key: _PARTICIPANTS.get(before.lower, before.lower)
        for before, word in itertools.pairwise(words)
        if word.key and not word.type and before.lower in known
    }
    agents = {words[at].key: words[behind].lower for at, behind in _passives(words).items()}
    return active | {key: _PARTICIPANTS.get(who, who) if who in known else '' for key, who in agents.items()}


def _turns_round(words: Sequence[Word], others: Sequence[Word]) -> bool:
    """True if who does something in the passive has it done to them in the other sentence, whether named or not."""
    passive = _passives(others)
    active = [at for at in range(len(others)) if at not in passive]
    for at, behind in _passives(words).items():
        agent = next((word.key for word in words[behind:] if word.key), 0)
        verb = next((place for place in active if others[place].key == words[at].key), None)
        if agent and verb is not None and agent in {word.key for word in others[verb + 1 :]}:
            return True
    return False


def _passives(words: Sequence[Word]) -> dict[int, int]:
    """The places of passive verbs and of the word behind their "by": "was bought by Clara", but not "by Friday"."""
    found = {}
    for at in range(1, len(words)):
        verb = words[at]
        if words[at - 1].lower not in _BE or not verb.key or verb.type:
            continue
        by = next((place for place in range(at + 1, len(words) - 1) if words[place].lower == 'by'), None)
        if by is not None and words[by + 1].type in ('', 'name'):
            found[at] = by + 1
    return found


def _owners(words: Sequence[Word]) -> set[str]:
    return {_OWNERS.get(word.lower, word.lower) for word in words if word.lower in _OWNED}


def _only_prepositions_differ(new: Sequence[Word], old: Sequence[Word]) -> bool:
    """True for "in the drawer" and "on the drawer", to "Bonn" and "at Bonn", with all other words the same."""
    one, two = ([word.lower for word in words if word.lower not in ARTICLES] for words in (new, old))
    differing = [pair for pair in zip(one, two, strict=False) if pair[0] != pair[1]]
    return len(one) == len(two) and bool(differing) and all({*pair} <= PREPOSITIONS for pair in differing)


def _tense(words: Sequence[Word], others: Sequence[Word]) -> set[int | str]:
    """The verbs in the past tense that both sentences have: "painted", and "was painted by" as well."""
    shared = {word.key for word in others}
    passive = _passives(words)
    past: set[int | str] = {
        word.key
        for at, word in enumerate(words)
        if word.key in shared
        and (is_past(words, at) or (at in passive and words[at - 1].lower in _WAS and is_past((word,), 0)))
    }
    return past | {'was' for at, word in enumerate(words) if word.lower in _WAS and at + 1 not in passive}
