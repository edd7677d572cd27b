"""Roundabout ways to forbid, said again as `do not touch the cup`, or that the cup stays where it is.

`Would you mind not touching the cup?`, `I'd rather you didn't move it`, `be careful not to …`, `nobody touches it`.
Only verbs of touching and handling are said again: `I'd rather you didn't sing` stays as it is.
"""

import functools
import re

from lucca_language.words.rewrites import Rewrite, Said, rewrites, rewritten
from lucca_language.words.verbs import is_handling, verb

_FILLERS = '(?:(?:please|just|hey|hi|hello|ok|okay|well|oh|robot|bot|lucca),? )*'
_CLAUSE = rf'(?:^|(?<=[.!?,;:] )|(?<=\bbut )|(?<=\band )){_FILLERS}'
_N_T = "(?:n['’]?t| not)"
_DO_NOT = rf'(?:(?:do|did|would|will|should|must){_N_T}|never|not)'
_INTRO = (
    r'(?:(?:i|we|you|it|that|am|is|are|be|been|would|could|can|may|might|will|must|should|shall|have|'
    r'had|do|to|as|so|if|'
    r'of|for|me|ask|asking|asked|tell|telling|told|want|need|like|love|prefer|rather|wish|hope|insist|beg|order|expect|'
    r'require|please|kindly|really|very|much|just|always|kind|good|make|sure|ensure|see|try|take|care|'
    r'careful|mind|watch|'
    r'out|remember|keep|better|best|possible|appreciate|grateful|glad|happy|thankful|obliged|nice|great|lovely|helpful|'
    r"important|essential|vital|crucial|wonderful|thank|thanks)(?:['’](?:d|m|s|re|ll))?,? )"
)
"""A word of what introduces a prohibition."""
_IT_IS_ASKED = re.compile(
    r'^(?:(?:please )?(?:make|be|take|ensure|see|mind|watch|remember|keep)\b)|'
    r'\b(?:rather|prefer|wish|hope|insist|important|essential|vital|crucial|better|best)\b|'
    r'\b(?:appreciate|grateful|glad|happy|thankful|obliged|nice|great|good|lovely|kind|like|love|helpful)\b.* if ',
    re.IGNORECASE,
)
"""Introductions of a clause with `you`; `I see that you did not …` is a report."""
_WISHED = re.compile(r'\b(?:rather|prefer|wish|if)\b', re.IGNORECASE)
"""What tells `I'd rather you did not …` from a report."""
_REPORTED = re.compile(
    r'^you (?:told|tell|asked|ask|love|like|prefer|hope|want|expect|see|remember|insist)\b|\bbeen (?:asked|told)\b',
    re.IGNORECASE,
)
_QUESTION = re.compile(
    rf'^{_FILLERS}(?:is|are|am|have|had|should|shall|must|may|might|do|would|could|can|will) (?:i|we|you|it|that)\b',
    re.IGNORECASE,
)
_ASKS_TO = re.compile(
    rf'^{_FILLERS}(?:(?:would|could|can|will) you\b(?!.*\b(?:like|love|prefer|rather|want|need|hope|been|tell|ask) )|'
    r'do you mind\b|(?:can|could|may|might) (?:i|we) (?:please )?ask you\b)',
    re.IGNORECASE,
)
"""Questions that are requests; `is it better not to …` asks for advice, also where its question mark was not heard."""
_TAG = re.compile(r', (?:ok|okay|please|alright|all right|understood|will you|would you)$', re.IGNORECASE)
_I_WOULD = r"(?:i|we)(?:['’]d| would| should)(?: really| much| very much)?"
_I_PREFER = (
    rf'{_I_WOULD} (?:rather|prefer(?: it)?(?: if)?|appreciate it if|be (?:very )?(?:grateful|glad|happy|thankful) if)'
)
_NEGATIONS = '|'.join(
    (
        rf'(?P<intro>{_INTRO}{{0,9}}?)(?:(?:not|never)(?: ever)? to|to (?:not|never)(?: ever)?)',
        r'(?:would|could|can|will|should) you(?: (?:please|kindly|possibly|maybe|perhaps|just))* not|'
        r"(?:you(?:['’]d| had)? )?better not",
        rf'i (?:do|would){_N_T} (?:want|like|need) (?:you|anyone|anybody) to|'
        rf"you(?: are|['’]re){_N_T} (?:allowed|permitted|supposed) to|"
        r'(?:you are|it is) (?:forbidden|prohibited|not allowed) to|'
        r'i (?:forbid|prohibit) (?:you|anyone|anybody|everyone) to',
        r'(?:under no (?:circumstances?|conditions?)|on no account|in no case|at no (?:time|point)|by no means)'
        r'(?: (?:should|may|must|can|will|are) you(?: to)?)?',
        rf'whatever (?:you do|happens),? (?:do{_N_T}|never)|(?:thou |you )?shal[lt] not|'
        rf'do{_N_T} (?:let )?any(?:body|one)',
        rf'(?:do{_N_T}|never) (?:you )?(?:(?:ever )?dare(?: to)?|even)|just do{_N_T}|do{_N_T} you|never,? ever',
        r'(?:make sure |see to it |ensure |let )?(?:that )?(?:nobody|no one|none of you)'
        r'(?: (?:is|are)(?: allowed)? to| may| should| must| can)?',
        rf'(?P<told>{_INTRO}{{1,9}}?)you (?:(?P<did>did{_N_T})|{_DO_NOT})(?: ever)?(?: to)?',
    )
)
_NEGATIONS_OF_GERUNDS = '|'.join(
    (
        rf'(?P<intro>{_INTRO}{{0,9}}?)(?:avoid|refrain from|abstain from|(?:forbidden|prohibited|banned) from|not)',
        rf'i (?:do|would){_N_T} (?:want|like)(?: (?:you|anyone|anybody))?|(?:do{_N_T}|please do{_N_T}) be',
        rf'(?:do{_N_T}|never) (?:even )?(?:think|dream) (?:about|of)|keep from|no(?: more)?|'
        r'i (?:forbid|prohibit)(?: (?:you|anyone|anybody|everyone))?(?: from)?',
    )
)
_APPROACH = (
    r'(?:(?:mess|play|fiddle|tamper|toy|meddle|interfere|bother) with|(?:go|come|get) (?:anywhere )?near(?: to)?|'
    r'(?:lay|put) (?:(?:a|one|your|any) )?(?:hands?|fingers?) on|reach for|disturb|nudge|budge|approach)'
)
"""What says no more than `touch` where it is forbidden."""
_NAME = (
    r'(?:the|my|our|your|that|this|these|those|any|all|both)'
    r"(?: (?!(?:is|are|in|into|on|onto|to|not|stays?|left)\b)[\w'’-]+){1,5}?"
)
_THING, _THING_2 = rf'(?P<what>{_NAME})', rf'(?P<what2>{_NAME})'
_ANYTHING = rf'(?P<what>{_NAME}|[\w-]+(?: [\w-]+)?)'
_TOUCHED = r'(?P<verb>touched|moved|taken(?: away)?|handled|picked up|lifted|used|removed|shifted|disturbed|put away)\b'
_AS_IT_IS = '(?:as|where|the way|exactly as|just as) (?:it is|they are)'
_OFF_LIMITS = r'(?:off[ -]limits|taboo|forbidden|prohibited|untouchable|not for you|none of your business)'
_WANT = rf'(?:i (?:want|need)|{_I_WOULD} (?:like|prefer|want))'
_ASKS = (
    r'(?:(?:could|can|would|will|should) you|you (?:should|must|may|can|have to|need to|ought to)|(?:can|could) we|'
    rf'let us|{_WANT} you to)'
)
_ASKS_GERUND = '(?:(?:would|do) you mind|how about|what about|would you consider|(?:thank you|thanks) for)'
_IT_HAS_TO = r'(?: (?:(?:(?:needs?|has|have|ought|(?:is|are)(?: supposed)?) )?to|should|must))?'
_REST = r'(?P<rest>(?: [^.?!;]*?)?)(?P<mark>\?)?(?=[.?!;]|$|(?<=\?))'
_END, _ASKED_END = r'(?=[.!;,]|$)', r'(?:\?|(?=[.!;,]|$))'
_OF_ONESELF = re.compile(r"(?:i|we)\b(?!['’ ](?:d|would))", re.IGNORECASE)
_SOMEWHERE = re.compile(r'\b(?:in|into|inside|on|onto|at)\b', re.IGNORECASE)
_SUBORDINATE = re.compile(r',|\b(?:when|while|as|if|before|after)\b', re.IGNORECASE)


def _asks(match: re.Match[str]) -> bool:
    """Whether a clause is a question that forbids nothing: `have you been asked not to …?`, `don't you …?`"""
    is_asked = bool(match['mark']) and _TAG.search(match['rest']) is None
    said = match.group()[: match.start('rest') - match.start()]
    return (is_asked or _QUESTION.match(said) is not None) and _ASKS_TO.match(said) is None


def _not(match: re.Match[str]) -> str:
    """What is forbidden, plainly; another verb stays as it is, and so does `be careful not to drop it`."""
    known = verb(match['verb'].lower())
    lemma = known.lemma if known is not None else match['verb'].lower()
    parts = match.groupdict()
    intro, told = parts.get('intro') or '', parts.get('told') or ''
    if _asks(match) or _REPORTED.search(intro or told) is not None:
        return match.group()
    if told and (_WISHED if parts.get('did') else _IT_IS_ASKED).search(told) is None:
        return match.group()
    if _OF_ONESELF.match(intro) and ' you ' not in f' {intro}':
        return match.group()
    is_fall = lemma == 'drop' and not _SOMEWHERE.search(_SUBORDINATE.split(match['rest'])[0])
    if is_fall or (lemma != 'touch' and not is_handling(lemma)):
        return match.group()
    return f'do not {lemma}{match["rest"]}{"." if match["mark"] else ""}'


def _never(match: re.Match[str]) -> str:
    """`From now on, do not touch …` lasts; another verb stays as it is."""
    word = match['verb'].lower()
    return f'never {word}' if word == 'touch' or is_handling(word) else match.group()


def _not_done(match: re.Match[str]) -> str:
    """`I don't want the cup moved`: do not move the cup."""
    known = verb(match['verb'].split()[0].lower())
    return f'do not {known.lemma if known is not None else "touch"} {match["what"] or match["what2"]}'


_FORMS: tuple[tuple[str, Said], ...] = (
    # watch out, do not touch the cup
    (rf'(?:^|(?<=[.!?] ))(?:watch out|look out|careful|attention|listen|do (?:me|us) a favou?r|(?:please )?remember|'
     rf'(?:please )?do{_N_T} forget)(?: and|[,:!]) '
     rf'(?=(?:please )?(?:do{_N_T}|never) )', ''),
    # from now on, do not touch the cup
    (rf'{_CLAUSE}from now on,? (?:please )?(?:do{_N_T}|never)(?: ever)? (?P<verb>[a-z]+)', _never),
    # keep your hands off the cup, steer clear of the cup
    (rf'{_CLAUSE}(?:(?:you )?better )?(?:(?:keep|take|get) your (?:hands?|arms?|fingers?|grippers?|paws?) '
     r'(?:off|away from)(?: of)?|hands off|(?:stay|keep)(?: well)? (?:away|clear) (?:from|of)|steer clear of|'
     rf'(?:stay|keep|lay) off|i (?:do|would){_N_T} want (?:you|anyone|anybody) (?:anywhere )?near) (?=\w)',
     'do not touch '),
    # do not mess with the cup, never go near the cup
    (rf'(?<=\bnot )(?:even )?{_APPROACH} (?=\w)', 'touch '),
    (rf"(?:\bdo(?:n['’]?t| not)|(?P<never>\bnever)) (?:even )?{_APPROACH} (?=\w)",
     lambda match: f'{match["never"] or "do not"} touch '),
    # do not touch or lift the cup
    (r"(?<=\bnot )(touch|move) or [a-z]+ (?=(?:the|my|our|your|that|this|these|those|any|all|anything)\b)", r'\1 '),
    # I'd rather you didn't touch the cup, would you mind not touching the cup?
    (rf'{_CLAUSE}(?:{_NEGATIONS})(?: ever)? (?P<verb>[a-z]+){_REST}', _not),
    (rf'{_CLAUSE}(?:{_NEGATIONS_OF_GERUNDS}) (?P<verb>[a-z]+ing)(?: of)?{_REST}', _not),
    # touching the cup is forbidden
    (rf'{_CLAUSE}(?P<verb>[a-z]+ing)(?P<rest> {_THING}) is(?:{_N_T} (?:allowed|permitted)| {_OFF_LIMITS})(?P<mark>)',
     _not),
    # I don't want the cup touched, make sure that the cup isn't moved
    (rf'{_CLAUSE}(?:i (?:do|would){_N_T} want {_THING}(?: to (?:be|get)| being)?|'
     rf'(?:make sure|be sure|ensure|see(?: to it)?)(?: that)? {_THING_2} '
     rf'(?:(?:is|are|was|were|will be|must be){_N_T}(?: be)?|wo{_N_T} be|does{_N_T} get)) {_TOUCHED}', _not_done),
    # I don't want the cup in box 1
    (rf'{_CLAUSE}i (?:do|would){_N_T} want {_THING}(?: to (?:be|go|end up|get)| being)?(?: put| placed| moved)? '
     r'(?=(?:in|into|inside|on|onto) (?!(?:the|this|my|our) table\b))', r'do not put \g<what> '),
    (rf'{_CLAUSE}keep {_THING} out of (?=(?:the )?[a-z]+)', r'do not put \g<what> in '),
    # you may touch anything but the cup
    (rf'{_CLAUSE}(?:you (?:may|can|are (?:allowed|free|welcome) to)|feel free to) '
     r'(?:touch|move|take|handle|use|lift|grab|remove|pick up|have|clear) '
     r'(?:anything|everything|all|whatever|the rest)(?: (?:you (?:like|want)|else))?,? '
     rf'(?:but|except(?: for)?)(?: not)? {_ANYTHING}{_END}', r'do not touch \g<what>'),
    # all but the cup may be moved
    (rf'{_CLAUSE}(?:anything|everything|all)(?: else)?,? (?:but|except(?: for)?) {_ANYTHING},? (?:may|can) be '
     rf'{_TOUCHED}{_END}', r'do not touch \g<what>'),
    # neither the cup nor the mug may be moved
    (rf'{_CLAUSE}neither {_THING} n?or {_THING_2} (?:may|must|should|can|is to|are to) be {_TOUCHED}',
     r'do not touch \g<what> or \g<what2>'),
    # avoid the cup
    (rf'{_CLAUSE}(?:(?:you (?:must|should)|try to|make sure to|be careful to) )?avoid (?={_NAME}{_END})',
     'do not touch '),
    # the cup is off limits, remember that the cup is not to be touched
    (rf'{_CLAUSE}(?:(?:remember|keep in mind|note)(?: that)? )?{_THING} (?:is|are) (?:{_OFF_LIMITS}|'
     rf'a hands[ -]off (?:item|thing|object)){_END}|'
     rf'{_CLAUSE}{_THING_2} (?:is|are){_N_T} (?:yours(?: to (?:touch|move|take))?|'
     rf'for (?:touching|moving|taking|you)){_END}',
     lambda match: f'{match["what"] or match["what2"]} must not be moved'),
    (rf'{_CLAUSE}(?:remember|keep in mind|note)(?: that)? '
     rf'(?={_THING} (?:(?:is|are) not to|must not|may not|should not) )', ''),
    # the cup has to stay put, I want the cup left alone
    (rf'{_CLAUSE}(?:{_WANT}(?: for)? )?{_THING}{_IT_HAS_TO} '
     r'(?:(?:stays?|remains?|(?:is|are) staying)(?: (?:right|exactly|just))? '
     rf'(?:put|here|in place|on the table|{_AS_IT_IS}|untouched)|'
     rf'(?:be )?left (?:alone|in peace|{_AS_IT_IS}|untouched)){_END}', r'\g<what> stays where it is'),
    # I need the cup where it is
    (rf'{_CLAUSE}{_WANT}(?: to (?:have|keep|leave))? {_THING} {_AS_IT_IS}{_END}', r'\g<what> stays where it is'),
    # leave the cup to me
    (rf'{_CLAUSE}leave {_THING} to (?:me|us)(?: please)?{_END}', r'leave \g<what> alone'),
    # would you mind leaving the cup alone? I'd like you to leave the cup on the table, let the cup be
    (rf'{_CLAUSE}(?:(?:{_ASKS} )?(?:leave|keep)|{_ASKS_GERUND} leaving|{_I_PREFER}(?: that| if)? you left) {_THING} '
     rf'(?:alone|in peace|in place|here|there|on the table|{_AS_IT_IS}){_ASKED_END}', r'leave \g<what> alone'),
    (rf'(?:,| and| but)?(?: while)? leaving {_THING} (?:alone|untouched|in place|{_AS_IT_IS}){_END}',
     r', but leave \g<what> alone'),
    (rf'{_CLAUSE}(?:{_ASKS} )?let {_THING} (?:be|alone){_ASKED_END}', r'leave \g<what> alone'),
)  # fmt: skip


@functools.cache
def _plain_forms() -> tuple[Rewrite, ...]:
    return rewrites(_FORMS, re.IGNORECASE)


def forbidden_plainly(text: str) -> str:
    """The text with its roundabout prohibitions said plainly; other texts stay as they are."""
    return rewritten(text, _plain_forms())
