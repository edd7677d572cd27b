"""Changes of mind in words: the forms in which people add to a running task, revise it or take something back."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from lucca_language.words.verbs import verb


class ChangeKind(Enum):
    """The kind of a change. CORRECT: the object handled last was the wrong one."""

    ADD = auto()
    REVISE = auto()
    RETRACT = auto()
    REPLACE = auto()
    CORRECT = auto()


@dataclass(frozen=True)
class ChangeForm:
    """A change as it was said.

    `what` is a noun phrase, or with `is_sentence` a whole request. `instead` is the noun phrase that replaces it.
    """

    kind: ChangeKind
    what: str = ''
    instead: str = ''
    is_sentence: bool = False


_OPENING = re.compile(
    r'^(?:(?P<cue>no|nope|wait|hold on|actually|sorry|on second thoughts?|change of plans?|i(?: have|\'ve)? changed my '
    r'mind|rather|instead|better|i mean|i meant|but)|(?P<more>and|also|plus|in addition|besides)|'
    r'oh|please|ok|okay|well|robot|lucca|then|hey|um|uh)(?:\s*[,:.;!–—-]+\s*|\s+)',
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r'[\s,]+(?:(?P<more>too|as well|also|along)|(?P<cue>instead|after all|rather)|please|then|now|thanks|thank you)$',
    re.IGNORECASE,
)
_CORRECT = re.compile(
    r'^(?:not (?:that|this|it)(?: one)?|'
    r'(?:that|this|it)(?: one)? (?:is|was) (?:wrong|(?:not )?the (?:wrong|right) one)|'
    r"that's (?:wrong|the wrong one|not the one)|(?:the )?wrong one|"
    r"(?:that|this|it)(?:'s| is| was) not what i (?:said|meant|wanted|asked(?: for| you to do)?))"
    r'(?:\s*[,:.;–—-]+\s*(?:but |i meant |take )?(?P<instead>.+))?$',
    re.IGNORECASE,
)
_REPLACE = re.compile(
    r'^not (?P<what>.+?)(?:\s*,\s*(?:but )?|\s+but )(?:rather )?(?P<instead>.+)$|'
    r'^(?P<instead2>.+?)(?:,? instead of |,? rather than |,? and not |, not )(?P<what2>.+)$',
    re.IGNORECASE,
)
_RETRACT = re.compile(
    r'^(?:(?:you can |just )?(?:leave out|skip|spare|forget about|forget|never mind|not|without|except(?: for)?|'
    r"i (?:do not|don't) (?:want|need)|i (?:did not|didn't|never) (?:want|mean|say|ask for)|no need for|"
    r"(?:do not|don't) (?:bother with|touch|take|move|put|give me|hand me|bring me|pass me|point (?:at|to)|place|"
    r'stack))|'
    r'(?:you can |just )?(?P<leave>leave|keep)) (?P<what>.+)$',
    re.IGNORECASE,
)
_LEFT = re.compile(
    r' (?:out(?: of (?:it|this|that))?|where (?:it|they) (?:is|are)|alone|there|be|on the table|out of it|for now|'
    r'(?:in|into|to|on|inside) (?:the )?(?:box|bowl|tower|bin|basket|tray|plate)\b.*)$',
    re.IGNORECASE,
)
_KEPT = re.compile(r'\b(?:in|into|to|on) (?!the table\b)\S', re.IGNORECASE)
_ADD = re.compile(r"^(?:add|include|(?:do not|don't) forget|take along|take) (?P<what>.+)$", re.IGNORECASE)
_PLACED = re.compile(
    r'^(?P<what>(?:the|a|an|all|every|each|both|this|that|everything|one|two|three)\b.+?) '
    r'(?:goes |go |belongs |belong |should go )?(?P<where>(?:in|into|to|on|onto|inside)\b.+)$',
    re.IGNORECASE,
)
_NOUN_PHRASE = re.compile(r'^(?:the|a|an|all|every|each|both|everything|one|two|three)\b', re.IGNORECASE)
_ASKS = re.compile(r'^[a-z]+ (?:the|a|an|all|every|each|both|it|them|everything)\b')
_TO_ME = re.compile(r'^(?:to|for) (?:me|us)$', re.IGNORECASE)


def change_in(said: str) -> ChangeForm | None:
    """The change that a sentence makes to the running task; None if the sentence does not have the form of a change.

    It needs a cue that it is not about a new task: `no, …`, `and …, too`, `… instead`, `leave …`.
    """
    text, has_cue, adds = _stripped(said)
    if not text or '?' in said:
        return None
    if match := _CORRECT.match(text):
        instead = match['instead'] or ''
        return ChangeForm(ChangeKind.CORRECT, instead=_stripped(instead)[0] if instead else '')
    if match := _REPLACE.match(text):
        what, instead = match['what'] or match['what2'], match['instead'] or match['instead2']
        if _NOUN_PHRASE.match(what) and _NOUN_PHRASE.match(instead) and not _PLACED.match(instead):
            return ChangeForm(ChangeKind.REPLACE, what, instead)
    if match := _RETRACT.match(text):
        kept = match['leave'] and _KEPT.search(match['what'])
        return None if kept else ChangeForm(ChangeKind.RETRACT, _LEFT.sub('', match['what']))
    if (match := _ADD.match(text)) and not _PLACED.match(match['what']):
        return ChangeForm(ChangeKind.ADD, match['what'])
    if not (has_cue or adds):
        return None
    kind = ChangeKind.ADD if adds and not has_cue else ChangeKind.REVISE
    if match := _PLACED.match(text):
        told = f'give me {match["what"]}' if _TO_ME.match(match['where']) else f'put {match["what"]} {match["where"]}'
        return ChangeForm(kind, told, is_sentence=True)
    if _NOUN_PHRASE.match(text):
        return ChangeForm(ChangeKind.ADD, text) if adds else None
    asks = verb(text.split()[0]) is not None or _ASKS.match(text)
    return ChangeForm(kind, text, is_sentence=True) if asks else None


def _stripped(said: str) -> tuple[str, bool, bool]:
    """The sentence without its opening and closing words, and whether these signal a revision, or an addition."""
    text, cue, more = said.strip().rstrip('.!').strip(), False, False
    while match := _OPENING.match(text):
        cue, more, text = cue or bool(match['cue']), more or bool(match['more']), text[match.end() :]
    while match := _CLOSING.search(text):
        cue, more, text = cue or bool(match['cue']), more or bool(match['more']), text[: match.start()]
    text = text.strip(' ,')
    return text[:1].lower() + text[1:], cue, more
