"""Roundabout ways to ask for a thing to be put somewhere, said again as `put the cup in box 1`.

Each form fits a whole sentence, and each of its words is in the form: `could I have the cup moved into box 1?`, `make
sure that the cup ends up in box 1`, `the cup, put it in box 1`. Courtesies and purposes that change nothing are left
out: `if you don't mind`, `to make room`.
"""

import functools
import re

from lucca_language.words.forbidding import forbidden_plainly
from lucca_language.words.rewrites import Rewrite, Said, rewrites, rewritten

_WORD = (
    r'(?:(?!(?:in|into|inside|on|onto|to|and|or|then|if|unless|but|from|by|with|at|of|for|until|when|while|because|so|'
    r'except|not|no|only|that|which|who|where|is|are|was|were|be|being|been|has|have|should|could|would|can|may|'
    r'put|placed|moved|it|them|they|ones?)\b)'
    r"[\w'’-]+)"
)
_DETERMINER = '(?:the|my|that|this|these|those|all|all the|both|both the|every|each|an?|two|three)'
_THING = rf'{_DETERMINER} {_WORD}(?: {_WORD}){{0,3}}?'
_WHAT = rf'(?P<what>{_THING}(?:,? and {_THING})?)'
_WHAT_2, _WHAT_3 = (_WHAT.replace('<what>', f'<what{number}>') for number in (2, 3))
_PLACE = rf'(?:(?:the|my) )?{_WORD}(?: {_WORD}){{0,3}}?'
_WHERE = rf'(?P<where>(?:in|into|inside|inside of|on|onto|on top of|to|at) {_PLACE})'
_MOVED = '(?:put|placed|moved|set|dropped|stacked|transferred|positioned|deposited|stored|relocated|inserted)'
_START = r'(?:(?<=[.!?] )|^)(?:(?:please|now|then|also|so|and|ok|okay|hey|hello|hi|robot),? )*'
_POLITE = '(?:,? (?:please|thanks|thank you|now))*'
_END = rf'{_POLITE}(?=\s*(?:[.!]|$))'
_ASKED = rf'{_POLITE}\s*(?:\?|(?=[.!]|$))'
_WOULD = "(?:'d|’d| would)"
_FINE = '(?:nice|great|good|lovely|wonderful|perfect|appreciated|awesome|helpful|super|kind|cool)'
_THANKFUL = f'i{_WOULD} (?:appreciate (?:it|that)|be (?:very |so )?(?:grateful|glad|happy|thankful))'
_PUT = r'put \g<what> \g<where>'


def _give(match: re.Match[str]) -> str:
    """The request to hand over whichever thing a form has."""
    parts = match.groupdict()
    what = next(parts[name] for name in ('what', 'what2', 'what3') if parts.get(name))
    return f'give me {what[:1].lower()}{what[1:]}'


def _put(match: re.Match[str]) -> str:
    """The request for whichever of the alternatives of a form has the thing."""
    parts = match.groupdict()
    what = next(parts[name] for name in ('what', 'what2', 'what3') if parts.get(name))
    return f'put {what[:1].lower()}{what[1:]} {match["where"]}'


_FORMS: tuple[tuple[str, Said], ...] = (
    # could I have the cup moved into box 1?
    (rf'{_START}(?:can|could|may|might) (?:i|we) (?:please |now )?(?:have|get|see) {_WHAT} {_MOVED} '
     rf'{_WHERE}{_ASKED}', _PUT),
    # I need the cup moved to box 1, I'd like to have the cup placed in box 1
    (rf'{_START}(?:i|we)(?: (?:really |now )?(?:need|want|require)|{_WOULD} (?:really )?(?:need|want|like|love|prefer))'
     rf'(?: to (?:have|see|get))? {_WHAT} (?:to be )?{_MOVED} {_WHERE}{_END}', _PUT),
    # I would appreciate it if the cup were put in box 1, I would appreciate the cup being put in box 1
    (rf'{_START}(?:i|we){_WOULD} (?:really |greatly )?appreciate (?:(?:it )?if {_WHAT} (?:was|were|could be|got)|'
     rf'having {_WHAT_2}|{_WHAT_3} being) {_MOVED} {_WHERE}{_END}', _put),
    # make sure that the cup ends up in box 1, see to it that the cup gets put in box 1
    (rf'{_START}(?:(?:make sure|ensure|see(?: to it)?|be sure)(?: that)?|make(?: it)?(?: so)? that) {_WHAT} '
     rf'(?:is|are|gets?|ends? up|goes|go|lands?)'
     rf'(?: {_MOVED})? {_WHERE}{_END}', _PUT),
    # have the cup put in box 1, let us have the cup in box 1
    (rf"{_START}(?:have {_WHAT} {_MOVED}|let(?:['’]?s| us) have {_WHAT_2}(?: {_MOVED})?) {_WHERE}{_END}", _put),
    # the cup, put it in box 1
    (rf'{_START}{_WHAT}, (?:please )?(?:put|place|move|drop) (?:it|that|them|those)(?: one)? {_WHERE}{_END}', _put),
    # box 1 is where I want the cup to go
    (rf'{_START}(?P<place>box \d|the bowl) is where (?:i want|i would like|you should put|you can put|to put) {_WHAT}'
     rf'(?: to (?:go|be))?{_END}', r'put \g<what> in \g<place>'),
    # put the cups one on top of the other
    (rf'{_START}(?:put|place|set|lay|stack|pile(?: up)?) {_WHAT},? one on(?: top of)? (?:the other|another)'
     rf'{_END}', r'stack \g<what>'),
    # grab the cup for me, put the cup in my hand, provide me with the cup
    (rf'{_START}(?:(?:grab|fetch|get) {_WHAT} for (?:me|us)|(?:put|place|lay|drop|set) {_WHAT_2} (?:in|into|on|onto) '
     rf'my (?:hands?|palms?)|(?:send me|(?:provide|supply|hook|set|fix) me(?: up)? with) {_WHAT_3}){_END}', _give),
    # what I need is the cup, I would rather have the cup
    (rf'{_START}(?:(?:what|all|the (?:one|thing)) (?:that )?i(?:{_WOULD})? (?:want|need|like)(?: to have)? is {_WHAT}|'
     rf'i{_WOULD} (?:prefer|rather have|prefer to have) {_WHAT_2}){_END}', _give),
    # the cup, give it to me
    (rf'{_START}{_WHAT}, (?:please )?(?:(?:give|hand|pass|bring) (?:it|that|them)(?: one)?(?: over)? to (?:me|us)|'
     rf'(?:give|hand|pass|bring) me (?:it|that|them)(?: one)?){_END}', _give),
    # if you could put the cup in box 1, that would be great
    (rf'{_START}if you (?:could|would|can)(?: please)? (?P<ask>(?:put|place|move|give|hand|bring|pass|get|stack|drop) '
     rf'[^.,;!?]+),? (?:(?:that|it){_WOULD} be (?:very |really |so )?{_FINE}|{_THANKFUL}){_END}', r'\g<ask>'),
)  # fmt: skip
_MOMENT = r'(?:a )?(?:chance|moment|minute|second|time|opportunity|free (?:moment|minute|second|hand))'
_COURTESY = (
    r"(?:if (?:you don['’]t mind|you do not mind|it is possible|it['’]?s possible|possible|"
    r'it is (?:ok|okay|all right)|'
    r"it['’]?s (?:ok|okay|all right|no trouble|not too much trouble|no bother)|"
    r'you are able(?: to)?|i may ask|'
    r"(?:it is not|it['’]?s not|it isn['’]t|that isn['’]t|that['’]?s not) (?:too much (?:trouble|bother|to ask)|"
    r'asking too much)|'
    r"you (?:would|['’]d|could) be so kind|you['’]d be so kind)|"
    rf"when(?:ever)? you (?:can|could|get {_MOMENT}|have {_MOMENT}|are ready|['’]re ready|are free|['’]re free)|"
    r"when(?:ever)? you['’]re (?:ready|free)|at your convenience|as soon as you (?:can|get a chance))"
)
_IN_THE_WAY = r"(?:it|they)(?: is|'s| are|'re) (?:in (?:the|my|our|your) way|not needed(?: any ?more| now)?)"
_NOT_NEEDED = (
    r"(?:i|we) (?:don['’]t|do not|no longer) need (?:it|them|that)(?: any ?more| any longer| now| right now| today)?"
)
_ROOM = '(?:some |more |enough |the |a bit of )?(?:room|space)'
_PURPOSE = (
    rf'(?:(?:in order )?to (?:make|clear|free(?: up)?|create|get|gain|have|give (?:me|us)) {_ROOM}|'
    rf'so (?:that )?(?:i|we) (?:(?:can |will )?(?:have|get)) {_ROOM}|'
    rf'(?:because|since|as) (?:{_NOT_NEEDED}|{_IN_THE_WAY})|for later(?: use)?|right away|'
    r'right now|straight away|at once|real quick|(?:like,? )?asap)'
)
_WHICHEVER = (
    r"(?:i (?:don['’]t|do not) (?:care|mind)|(?:it )?(?:does not|doesn['’]t) matter|no matter) which(?: one)?|"
    r'(?:any|either)(?: one)? will do|whichever(?: one)?(?: you (?:like|want|prefer))?'
)
_LEFT_OUT: tuple[tuple[str, Said], ...] = (
    (r'(?<=\btower),? one on(?: top of)? (?:the other|another)\b', ''),
    (rf'(?:(?<=[.!?] )|^){_COURTESY}, (?=[a-z])', ''),
    (rf',? {_COURTESY}(?=\s*(?:[.!?]|$))', ''),
    (rf', {_COURTESY}, (?=(?:the|a|an|my|all|please|also|put|give|hand|place)\b)', ' '),
    (rf',? {_PURPOSE}(?=,?(?: please)?\s*(?:[.!?]|$))', ''),
    (r',? (?:ok|okay|all right|alright)\?(?=\s|$)', '.'),
    (rf',? (?:{_WHICHEVER})(?=\s*(?:[.!?]|$))', ''),
)


@functools.cache
def _plain_forms() -> tuple[Rewrite, ...]:
    return rewrites(_FORMS, re.IGNORECASE)


@functools.cache
def _left_out() -> tuple[Rewrite, ...]:
    return rewrites(_LEFT_OUT, re.IGNORECASE)


def said_plainly(text: str) -> str:
    """The text with its roundabout requests said plainly; other texts stay as they are."""
    return rewritten(forbidden_plainly(without_courtesies(text)), _plain_forms())


def without_courtesies(text: str) -> str:
    """The text without courtesies and purposes that change nothing at the edges of its sentences."""
    return rewritten(text, _left_out())
