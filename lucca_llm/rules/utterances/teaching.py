"""Teaching in words: sentences that name a new task and describe it."""

import re
from collections.abc import Sequence

from lucca_language.words.word_sets import any_of
from lucca_llm.rules.utterances.requests import sentences_in
from lucca_llm.rules.utterances.said_sentence import Mood

_NAME = r'["“\'‘]?(?P<name>[^"“”‘’:;,.!?]{1,40}?)["”\'’]?'
_SHORT = r'["“\'‘]?(?P<name>(?:[^\s"“”‘’:;,.!?]+ ){0,3}[^\s"“”‘’:;,.!?]+)["”\'’]?'
_WHAT = r'(?P<what>\S.+)$'
_SEPARATOR = r'\s*(?::|,|-|–|—|;|=)\s*'
_WORDINGS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(rf'^{pattern}', re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf'(?:learn (?:a |this )?(?:new )?(?:task|trick|job)\s*[:,.-]\s*)?(?:from now on,? |in future,? |'
        rf'in the future,? )?'
        r'(?:when(?:ever)?|if|each time|every time|any time|next time|the next time|once|as soon as) (?:i|we|somebody|'
        rf'someone|anyone) (?:say|says|tell you|ask for|ask you for|call for|shout|mention) {_SHORT}{_SEPARATOR}'
        rf'(?:then |please |you (?:should|must|shall|have to|need to) |i want you to |it means )*{_WHAT}',
        r'(?:(?:learn|here is|here\'s|this is|i(?: will|\'ll)? teach you|let me teach you|there is|there\'s|'
        r'add|remember|'
        r'note|save|store|i have|i\'ve got|your|we have)\s+)?(?:a |an |this |the |your |my |'
        r'another )?(?:new )?task,?\s*'
        rf'(?:(?:is )?(?:called|named|with the name)|is)?\s*(?::\s*)?{_NAME}{_SEPARATOR}{_WHAT}',
        rf'by {_SHORT},? i mean\s*:?\s*(?:that you (?:should )?|to |you (?:should )?)?{_WHAT}',
        rf'(?:from now on,? )?{_SHORT},? (?:means?|stands for|shall mean|should mean|'
        rf'is short for)\b\s*:?\s*'
        rf'(?:that you (?:should )?|to |you (?:should )?|["“])?{_WHAT}',
        r'(?:let me (?:teach|show) you|i(?: will|\'ll| want to|\'d like to| would like to)? (?:teach|'
        r'show) you|learn|define|'
        r'remember|(?:this|here) is) (?:how to|how you|the task|what) '
        rf'{_SHORT}(?: means| is)?{_SEPARATOR}{_WHAT}',
        rf'(?:let me teach you|i(?: will|\'ll| want to) teach you|learn|define|learn to|'
        rf'learn how to) {_SHORT}\s*(?::|\bas\b)\s*'
        rf'{_WHAT}',
        rf'(?:the task |task ){_SHORT} (?:is to|is|means|consists of|goes like this)\b\s*:?\s*{_WHAT}',
        rf'to (?:do )?(?:the |a |my )?{_SHORT} (?:is|means)\b(?: to)?\s*:?\s*{_WHAT}',
        rf'(?:remember|save|store|keep|learn) (?:this|the following)(?: task)? (?:as|'
        rf'under(?: the name)?) {_SHORT}{_SEPARATOR}'
        rf'{_WHAT}',
        rf'(?:call|name) (?:this|it|the following) {_SHORT}{_SEPARATOR}{_WHAT}',
        rf'(?:let us|let\'s|we|i)(?: will)? call it {_SHORT},? (?:when|if) you {_WHAT}',
    )
)
_AFTERWARDS = re.compile(
    r'^(?P<what>.{3,}?)[.;,:–—-]+\s*(?:(?:please )?(?:call|name) (?:that|this|it)|that is called|that\'s called|'
    r'this is called|remember (?:that|this|it) as|save (?:that|this|it) as|learn (?:that|this|it) as|'
    r'we call (?:that|this|it)|'
    rf'i call (?:that|this|it)) (?:the task )?{_SHORT}[.!]*$',
    re.IGNORECASE | re.DOTALL,
)
_NO_NAMES = any_of(
    'it this that what which who i you he she we they something anything nothing there here life love time friendship '
    'family everything your my his her their our by'
)


def taught(said: str) -> tuple[str, str] | None:
    """(name, description) of a task that somebody teaches; None if nothing is taught."""
    for pattern in (*_WORDINGS, _AFTERWARDS):
        match = pattern.match(said)
        if match is None:
            continue
        name, what = _tidied(match['name']), match['what'].strip().rstrip('"”').strip()
        if name and name.split()[0].lower() not in _NO_NAMES and what and _is_asked_for(what):
            return name, what
    return None


def _is_asked_for(what: str) -> bool:
    return sentences_in(what)[0].mood in (Mood.REQUEST, Mood.RULE, Mood.FORBID)


def _tidied(name: str) -> str:
    words: Sequence[str] = name.strip(' "“”‘’\'').split()
    return ' '.join(words[1:] if len(words) > 1 and words[0].lower() in ('a', 'an', 'the') else words)
