"""Forms of talk that asks for nothing: greetings, goodbyes, thanks, and questions about the talk itself."""

import re

_GREETING = re.compile(
    r"^\W*(?:hello|hi|hey|good (?:morning|day|afternoon|evening)|it's me|it is me|i'm back|"
    r"i am back)\b[\w ,']{0,30}\W*$",
    re.IGNORECASE,
)
_BYE = re.compile(
    r"^\W*(?:(?:(?:ok|okay|well|thanks?|thank you|that's (?:all|it)|that is (?:all|it)|"
    r"i(?:'m| am) (?:done|off|leaving)|"
    r"i (?:have to|must|need to|should|'ve got to|have got to) (?:go|leave|run))\b[\w ]{0,25}\W+)(?:and )?){0,3}"
    r'(?:bye|goodbye|see you|good night|(?:i will |i\'ll )?talk to you later|until (?:tomorrow|then|next time)|'
    r"i(?:'m| am) (?:off|leaving) now|i (?:have to|must) (?:go|leave) now)\b.{0,30}$",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r'^\W*(?:ok |okay |oh |great |perfect |many |lucca |robot |no |well )*\W*(?:thanks|thank you|thx|'
    r"cheers|much obliged|that's kind|"
    r'that is kind|i appreciate (?:it|that|your help))\b[^.?!]{0,60}[.!]*$',
    re.IGNORECASE,
)
_TALKED = re.compile(
    r'\b(?:what|which|tell me what)\b.*\b(?:we|our)\b.*\b(?:talk|talked|speak|spoke|discuss|discussed|conversation|'
    r'chat|last time)\b|\bour last (?:conversation|chat|talk)\b|'
    r'\bwhat did i (?:tell|say to) you (?:last time|before)\b|'
    r'\bwhat (?:do|can) you (?:know|remember|recall) (?:about|of) me\b|'
    r'\bwhat (?:did|have) i (?:tell|told) you about me\b',
    re.IGNORECASE,
)
_SAID_HERE = re.compile(
    r'^what did i (?:just )?(?:ask|say|tell you|want)(?: (?:you|from you|of you))?(?: to do)?'
    r'(?: (?P<when>first|last|before|just now|at first|in the beginning))?\W*$|'
    r'^what (?:was|did i give you as) (?:the|my) (?P<which>first|last) (?:request|question|order|task)\W*$',
    re.IGNORECASE,
)
_WHO_AM_I = re.compile(
    r"\bwho am i\b|\bwhat(?: is|'s) my name\b|\bdo you know (?:me|my name|who i am)\b", re.IGNORECASE
)
_COURTESY = re.compile(
    r'^\W*(?:(?:ok|okay|oh|great|perfect|super|wonderful|excellent|nice|good|fine|cool|lovely|well done|good job|'
    r"thanks|thank you|thx|cheers|hello|hi|hey|good (?:morning|day|afternoon|evening)|bye|goodbye|that's (?:all|it)|"
    r'that is (?:all|it))\b(?: (?:so|very) much| a lot| lucca| robot| mate| there| again| my friend| then)*'
    r'(?:(?P<mark>\s*[,.;:!–-]+)\s*|\s+))+(?P<and>(?:and|but|now|then)\b)?',
    re.IGNORECASE,
)
_COMPLAINS = re.compile(r"\b(?:but|wrong|instead|nothing|not|wanted)\b|n't\b", re.IGNORECASE)


def is_greeting(text: str) -> bool:
    """Whether a text is only a greeting: `hello again`."""
    return _GREETING.match(text) is not None


def is_goodbye(text: str) -> bool:
    """Whether somebody takes leave: `I am done for today, see you tomorrow`."""
    return _BYE.match(text) is not None


def is_thanks(text: str) -> bool:
    """Whether somebody thanks, and says nothing else."""
    return _THANKS.match(text) is not None and not _COMPLAINS.search(text)


def behind_courtesy(text: str) -> tuple[str, bool]:
    """What is said behind a greeting, thanks or praise, and whether that is set apart: `now that` of `Thanks, now …`.

    It is empty if the text does not begin so, or ends there.
    """
    match = _COURTESY.match(text)
    if match is None or match.end() == len(text):
        return '', False
    start = match.start('and') if match['and'] else match.end()
    return text[start:].strip(), bool(match['mark'] or match['and'])


def asks_who_they_are(text: str) -> bool:
    """Whether somebody asks who they are: `what is my name?`"""
    return _WHO_AM_I.search(text) is not None


def asks_about_last_time(text: str) -> bool:
    """Whether somebody asks what was talked about: `what did we talk about last time?`"""
    return _TALKED.search(text) is not None


def asks_what_they_said(text: str) -> str:
    """`first` or `last` if somebody asks for their first or last text in this conversation; empty for other texts."""
    match = _SAID_HERE.match(text)
    if match is None:
        return ''
    return 'first' if re.search('first|beginning', match['when'] or match['which'] or '', re.IGNORECASE) else 'last'
