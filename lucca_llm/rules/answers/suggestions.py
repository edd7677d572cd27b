"""Suggestions: what a text may ask for that was not taken for a request, to be agreed to with a yes.

Its last part may be a request by itself (`let me try something new: hand me the mug`), it may be things and places
without a verb, or take back a part of itself. Nothing moves before a yes to the very words, and nothing is suggested
where what stands before may report, restrict, deny or postpone it, or where a thing was named that would be lost.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from lucca_language.reading.reading import read
from lucca_language.words.function_words import RESTRICTIONS, TIMES_AND_DEGREES
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.answers.not_done import DO, is_not_done, is_noted, question_about
from lucca_llm.rules.answers.phrases import UNKNOWN
from lucca_llm.rules.prompts.prompt_reader import call_text
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.space.told_by_place import BEGINS
from lucca_llm.rules.utterances.bare_placements import placements_in
from lucca_llm.rules.utterances.openings import without_opening
from lucca_llm.rules.utterances.repairs import IT, repaired, takes_all_back
from lucca_llm.rules.utterances.request_forms import REPORTS

_BEGINS_PART = re.compile(
    r'(?:[.!?;:…—–]|,(?: (?:so|then|well|but|and|please|just|now))?|\s-)\s+(?=\w)|\bso (?=i |we )'
)
_TELLS = re.compile(
    r"^(?:(?:well|so|oh|ok|okay|hm+|right|and|now),? )*(?:i|i'm|i've|i'd|i'll|we|we're|it's|it is|that's|that is|"
    r"this is|here|let's|let us|let me|my|our|the|you know|do you|can you|see)\b",
    re.IGNORECASE,
)
"""How something begins that is told, or asked, before a request. Nobody is called so."""
_LEAST_WORDS = 3
"""Of what is told before a request; fewer may be somebody's name, a time or a sign that it is not meant."""
_REPORTED = re.compile(
    rf'\b(?:{REPORTS}|because|since|used to|would|could|should|might|likes?|hates?|against|wrong|mistake|stays?|keep|'
    r"mine|needs?|done|disregard|postpone)\b|n't\b",
    re.IGNORECASE,
)
"""Words before a part by which it may be somebody else's, not meant, or meant for another time or under a condition."""
_SAYS_NOTHING = re.compile(
    r"\b(?:i(?:'m| am) not (?:quite |so |really )?(?:sure|certain)|i (?:do not|don't|cannot|can't) "
    r"(?:know|tell|see|reach|remember|believe)|i bet (?:that )?you (?:can|can't|cannot|could|couldn't)(?: even)?|"
    r"let(?:'s| us| me) (?:see|test|check|find out) (?:if|whether) you(?: can| could)?|i wonder(?:ed)? if)\b",
    re.IGNORECASE,
)
"""What takes nothing back and reports nothing, whatever words it shares with what does."""
_MOST_PARTS = 6
_NO_TIMES = any_of('some any all every enough too very last')
"""Degrees that change nothing in what is told."""


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
    if answer.startswith(BEGINS) and takes_all_back(said):
        return call_text('cannot_do', 'I am not sure that you still want it. Please say it again if I shall do it')
    request = DO.fullmatch(answer)
    if request is not None and not _is_understood(request['text']):
        candidates: Iterable[str] = (repaired(said, table), placements_in(said, table))
    elif answer == UNKNOWN or is_noted(answer) or is_not_done(answer):
        candidates = _candidates(said.replace('’', "'"), table)
    else:
        return None
    for text in filter(None, candidates):
        request = DO.fullmatch(answered(text))
        if request is not None and _is_understood(request['text']):
            return question_about(request['text'])
    return None


def _candidates(said: str, table: TableView) -> Iterator[str]:
    """What the text and its last parts may stand for, the longest part first; at most six parts."""
    if placed := placements_in(without_opening(said), table):
        yield placed
    for match in list(_BEGINS_PART.finditer(said))[:_MOST_PARTS]:
        before, tail = said[: match.start()], said[match.end() :]
        if not _is_beside(before):
            continue
        opened = without_opening(tail)
        spoken_of = table.named(before)
        if not spoken_of:
            yield placements_in(opened, table) or (tail if table.named(tail) else '')
        elif len(spoken_of) == 1 and IT.search(opened) and not table.named(opened) and match.group()[0] in '.!?;':
            yield IT.sub(f'the {spoken_of[0].name}', opened, count=1)


def _is_beside(before: str) -> bool:
    """Whether what stands before a request tells something that changes nothing about it."""
    bare = _SAYS_NOTHING.sub('', before)
    words = set(re.findall(r"[a-z']+", bare.lower()))
    return (
        _TELLS.match(before) is not None
        and len(before.split()) >= _LEAST_WORDS
        and _REPORTED.search(bare) is None
        and words.isdisjoint(RESTRICTIONS | TIMES_AND_DEGREES - _NO_TIMES)
    )


def _is_understood(text: str) -> bool:
    """Whether every word of a request is understood; what words mean that are only unknown, the task asks."""
    return not read(text).unread
