"""The rule-based model's description of itself."""

import re
from collections.abc import Sequence

from lucca_llm.model import Message

WHAT_I_AM = (
    'I am the rule-based reasoner that is built into lucca. I am no language model: I understand a controlled '
    'English about '
    'objects on the table and nothing else.'
)
_WHAT = re.compile(
    r'\bwhat are you\b(?! (?:doing|going|seeing|holding))|'
    r'\bare you (?:a|an|some)? ?(?:language model|llm|ai|human|robot|chatgpt|gpt|person|real)\b|\bwhich model\b|'
    r'\bare you an? (?:ai|llm)\b|\bwhat model\b',
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^\W*(?:(?:hi|hello|hey|and|so|but|please)\W+)*(?:who are you|what(?:'s| is) your name|what are you called|"
    r'introduce yourself|tell me (?:who you are|your name|(?:something )?about yourself))'
    r'(?:,? (?:robot|then|again|please|exactly|anyway))?\W*$',
    re.IGNORECASE,
)
_PERSONA = re.compile(
    r'^You are (?P<name>[^,\n]+), (?P<what>a robot [^.\n]+)\.(?P<about>[^\n]*?) You talk with one person'
)
"""How the prompt of a conversation begins."""
_FIRST_PERSON = (
    (re.compile(r'\byou are\b', re.IGNORECASE), 'I am'),
    (re.compile(r'\byour\b', re.IGNORECASE), 'my'),
    (re.compile(r'\byourself\b', re.IGNORECASE), 'myself'),
    (
        re.compile(
            r'(?:(?<=^)|(?<=[.,;:!?] )|(?<=\b(?:and|how) )|(?<=\b(?:that|what|whom|when) )|(?<=\bwhere )|(?<=\bif ))'
            r'you\b(?= \w)|'
            r'\byou\b(?= (?:can|could|will|would|may|must|should|do|have|were)\b)',
            re.IGNORECASE,
        ),
        'I',
    ),
    (re.compile(r'\byou\b', re.IGNORECASE), 'me'),
)


def asks_what_it_is(said: str) -> bool:
    """Whether somebody asks what kind of thing the robot is."""
    return _WHAT.search(said) is not None


def asks_who_it_is(said: str) -> bool:
    """Whether somebody asks who the robot is."""
    return _WHO.match(said.replace('’', "'")) is not None


def who_i_am(messages: Sequence[Message]) -> str:
    """Who the robot is, as the persona at the beginning of the prompt says; else what the reasoner is."""
    persona = _PERSONA.match(messages[0].content) if messages else None
    if persona is None:
        return WHAT_I_AM
    about = persona['about'].strip()
    for pattern, mine in _FIRST_PERSON:
        about = pattern.sub(mine, about)
    return ' '.join(part for part in (f'I am {persona["name"]}, {persona["what"]}.', about) if part)


def my_name(messages: Sequence[Message]) -> str:
    """What the robot is called, as the persona at the beginning of the prompt says; empty if nothing says so."""
    persona = _PERSONA.match(messages[0].content) if messages else None
    return persona['name'] if persona is not None else ''
