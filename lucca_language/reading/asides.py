"""Asides: clauses that are understood but ask for nothing themselves. Each kind has a closed form."""

import re
from collections.abc import Iterator, Sequence

from lucca_language.reading.program import Program
from lucca_language.reading.selectors import Anything, Noun, Quality, is_within, walk
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import verb

_ASIDE = re.compile(
    # announcements of rules that follow
    r'(?:(?:tidy|clean|clear|sort|arrange|organi[sz]e)(?: up| away| out)?'
    r'(?: (?:(?:all|the|my|our|your|this|these) )*(?:table|desk|room|kitchen|mess|things|objects|items|stuff))?(?: up)?'
    r'(?: (?:as follows|by colour|by kind|by type|into (?:two|2|three|3|different) boxes))?'
    r'|(?:clear|clean) (?:up )?the (?:table|desk)(?= :)'
    r'|(?:show|sort) (?:the |all )?(?:objects|things) by (?:colour|kind)'
    r'|(?:arrange|make|prepare) an? \w+ (?:bowl|salad|plate)'
    # the scope of the rules
    r'|(?:your|the) (?:job|task|goal|aim)(?= :)'
    r'|in (?:this|our|the) (?:game|task|exercise)(?= ,)'
    r'|for (?:each|every) (?:object|item|thing)(?= [:,])'
    r')(?=(?: [:,])|$)'
)
_REMARK = re.compile(
    r'\bwhat (?:the|this|my|our) \w+ (?:needs|requires)\b'
    r'|\bwhat (?:i|we|you) need for [a-z ]+(?= :)'
    r'|\bwhen no [a-z ]+ (?:is|are) left\b'
    r'|\botherwise leave (?:it|them)\b'
    r'|\bso that(?= all| every| each| the)'
    r'|(?<=arrange )the table(?= so that)'
    r'|\b(?:the|this|our) (?:recipe|task|meal|dish) needs\b'
    r'|^to (?:make|prepare|cook|bake) [a-z ]+(?= ,)'
    r'|^(?:begin|start) by(?= \w+ing)'
    r'|\bonce (?:that|this|it) (?:is|has been) done(?= ,)'
    r'|(?<= for )(?:my|our|his|her) [a-z ]+$'
)
_PURPOSE = re.compile(r'help(?: me| us| the user)? (?:with|to make|to prepare|make|prepare) .+')

SET_ENDS = (
    re.compile(r'(?<=\bleave )[^,.;:]{1,40}? (alone|untouched)\b'),
    re.compile(r'(?<!\bare )(?<!\bis )\b(for (?:me|us))(?=\s*(?:please|(?:right )?now)?\s*(?:[,.;!?]|$))'),
    re.compile(r'\btower,? (one on(?: top of)? (?:the other|another))\b'),
    re.compile(r'\b(as well)(?=,?(?: please| thanks| thank you)?\s*(?:[.;!?]|$))'),
    re.compile(r"\b(?:do not|don'?t) (ever)\b"),
    re.compile(
        r"\b(?:do not|don'?t|never)(?: ever)? (?:touch|move|take|handle|use|grab) [^.,;:!?]*? "
        r'((?:ever )?again|any ?more)(?=\s*(?:[.,;!]|$))'
    ),
)
"""Ends of clauses whose words add nothing: `leave it alone`, `put it in the bowl for me`."""


def aside_length(words: Sequence[str]) -> int:
    """Number of words at the beginning of a sentence that form an aside."""
    text = ' '.join(words)
    if _PURPOSE.fullmatch(text) and not any(
        found.senses & {'place', 'give', 'point', 'stack'} for word in words[3:] if (found := verb(word)) is not None
    ):
        return len(words)
    match = _ASIDE.match(text)
    return len(match.group().split()) if match else 0


def remarks_in(words: Sequence[str]) -> Iterator[str]:
    """The asides within a sentence, which the parser skips."""
    return (match.group() for match in _REMARK.finditer(' '.join(words)))


def told_in_vain(program: Program, lowered: str) -> Iterator[str]:
    """Unknown words that are only told of something to be moved, and may restrict that: `the pear is reserved`."""
    items = [item for directive in program.directives for item in directive.items]
    used = {part.word for item in items for part in walk(item.selector) if isinstance(part, Noun | Quality)}
    for word, meaning in program.meanings.items():
        if not isinstance(meaning, Noun) or program.meanings.get(meaning.word) != Noun(word):
            continue
        if word not in used and not lexicon().knows(word) and f' {word}' in lowered:
            is_thing = bool(lexicon().above(meaning.word))
            if any(
                is_thing if item.selector == Anything() else is_within(meaning, item.selector, lexicon())
                for item in items
            ):
                yield word
