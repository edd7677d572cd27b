"""Suggestions: what a text may ask for that was not taken for a request, to be agreed to with a yes.

A part of it may be a request by itself (`it is lunch time. Well, whichever, I want the can in box 1`), it may be things
and places without a verb, or begin with a verb that is not known. Nothing moves before a yes to the very words.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from lucca_language.reading.reading import read
from lucca_language.words.function_words import FUNCTION_WORDS, RESTRICTIONS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import is_handling, verb
from lucca_llm.rules.prompts.prompt_reader import call_text, say
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.utterances.bare_placements import placements_in
from lucca_llm.rules.utterances.openings import without_opening
from lucca_llm.rules.utterances.repairs import repaired
from lucca_llm.rules.utterances.requests import VERBS_OF_NO_ACTION
from lucca_llm.rules.utterances.task_requests import NOT_UNDERSTOOD

NO_REQUEST = 'I am not sure that you asked for something. What shall I do with which object?'
NOTED = 'I will keep that in mind'
UNKNOWN = say('I do not know. Nobody told me, and my fact files do not say.')
"""The answer to a question about which nothing is remembered."""
_NOT_DONE = (NO_REQUEST, NOT_UNDERSTOOD, 'I have no action for', 'I do not see here what')
_DO = re.compile(r'<do\((?P<text>.*)\)>', re.DOTALL)
_BEGINS_PART = re.compile(
    r'(?:[.!?;:…—–]|,(?: (?:so|then|well|but|and|please|just|now))?|\s-)\s+(?=\w)|\bso (?=i |we )'
)
_REPORTED = re.compile(
    r'\b(?:sa(?:y|ys|id|ying)|t(?:ell|ells|old|elling)|ask(?:s|ed|ing)?|writes?|wrote|heard|thinks?|thought|'
    r'if|when|whenever|once|after|before|while|unless|until|because|instead|dream(?:ed|t)?|yesterday|used to|'
    r'would have|could have)\b',
    re.IGNORECASE,
)
"""Words before a part by which it may be somebody else's, meant for another time, or under a condition."""
_SAYS_NOTHING = re.compile(
    r"\b(?:i(?:'m| am) not (?:quite |so |really )?(?:sure|certain)|i (?:do not|don't|cannot|can't) "
    r"(?:know|tell|see|reach|remember)|let(?:'s| us| me) (?:see|test|check|find out) (?:if|whether) you"
    r'(?: can| could)?|i wonder(?:ed)? if)\b',
    re.IGNORECASE,
)
"""What takes nothing back and reports nothing, whatever words it shares with what does."""
_UNKNOWN_VERB = re.compile(
    r'(?P<verb>[a-z]+) (?P<rest>(?:the|a|an|my|this|that|all|both|every)\b[^,.;:!?]* (?:in|into|inside|on|onto) '
    r'[^,.;:!?]+)',
    re.IGNORECASE,
)
_IT = re.compile(r'\bit\b', re.IGNORECASE)
_MOST_PARTS = 6


def suggested(said: str, table: TableView, answer: str, answered: Callable[[str], str]) -> str | None:
    """The question whether that is meant which a text may ask for; None if it may ask for nothing, or was understood.

    Args:
        said: the text.
        table: what is seen.
        answer: the answer to the text.
        answered: gives the answer to another text in its place.
    """
    if not table.seen or any(mark in said for mark in '“”«»"'):
        return None
    request = _DO.fullmatch(answer)
    if request is not None and not _is_understood(request['text']):
        candidates: Iterable[str] = filter(None, (repaired(said, table), placements_in(said, table)))
    elif answer == UNKNOWN or NOTED in answer or any(answer.startswith(f'<cannot_do({it}') for it in _NOT_DONE):
        candidates = _candidates(said.replace('’', "'"), table)
    else:
        return None
    for text in candidates:
        request = _DO.fullmatch(answered(text))
        if request is not None and _is_understood(request['text']):
            return _asked(request['text'])
    return None


def _asked(text: str) -> str:
    return call_text('cannot_do', f'I am not sure what you asked for. Shall I do it: “{text.rstrip(" .!?")}”?')


def _candidates(said: str, table: TableView) -> Iterator[str]:
    """What the text and its last parts may stand for, the longest part first."""
    tails = [said, *(said[match.end() :] for match in _BEGINS_PART.finditer(said))]
    for tail in tails[:_MOST_PARTS]:
        before = said[: len(said) - len(tail)]
        before = _SAYS_NOTHING.sub('', before)
        if _REPORTED.search(before) or not RESTRICTIONS.isdisjoint(re.findall(r"[a-z']+", before.lower())):
            return
        opened = without_opening(tail)
        spoken_of = table.named(before)
        if len(spoken_of) == 1 and _IT.search(opened) and not table.named(opened):
            yield _IT.sub(f'the {spoken_of[0].name}', opened, count=1)
        elif spoken_of and any(map(is_handling, re.findall('[a-z]+', before.lower()))):
            continue  # what is asked for there would be lost
        if tail != said and table.named(tail):
            yield tail
        if placed := placements_in(opened, table):
            yield placed
        if (match := _UNKNOWN_VERB.match(opened)) is not None and _may_be_a_verb(match['verb'].lower()):
            yield f'put {match["rest"]}'


def _may_be_a_verb(word: str) -> bool:
    """Whether a word is neither a known verb, which would do something else, nor anything else that is known."""
    return (
        verb(word) is None
        and word not in FUNCTION_WORDS | VERBS_OF_NO_ACTION
        and not lexicon().knows(lexicon().singular(word))
    )


def _is_understood(text: str) -> bool:
    """Whether every word of a request is understood; what words mean that are only unknown, the task asks."""
    return not read(text).unread
