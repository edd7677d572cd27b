"""Ways to say a request that the parser does not know, in words that it knows.

Each pattern takes a wording as a whole. If one of its words is another one, nothing is reworded, and the reader does
not understand the sentence. So no word of these wordings is passed over.
"""

import re
from collections.abc import Callable

from lucca_language.words.lexicon import lexicon

_THING = r"(?:(?!(?:in|into|inside|on|onto|to|and|then|or|if|unless|but|from|by|with|above|at)\b)[\w'’-]+)"
_OBJECT = rf'(?:(?:the|a|an|my|your|our|that|this|both|all|every) )?{_THING}(?: {_THING}){{0,4}}?'
_OBJECTS = rf'{_OBJECT}(?:,? and (?:the|a|an|my|your|our|that|this) {_THING}(?: {_THING}){{0,4}}?){{0,6}}'
_NAME = rf'{_THING}(?: {_THING}){{0,3}}?'
_PLACE = r'(?:(?:on|onto)(?: top of)? the tower|(?:in|into|on) (?:the bowl|the tower|box \d))'
_START = r'(?:(?<=[.!?] )|^)'
_HANDLE = '(?:put|place|move|bring|give|hand|pass|get|take|stack|drop|grab|fetch|point at|pick up)'
_ASKING = r'(?:(?:please|now|next|then|so|and|but|kindly|(?:can|could|would|will) you|you (?:should|must|may|can)) )*'
_TAKEN = rf'{_OBJECTS}(?: with {_THING}(?: {_THING}){{0,2}}?)?'
_HERE = r'(?: (?:(?:up )?(?:from|off)(?: of)?|on) the table| in front of you)?'
_TAKE = r'(?:pick up|pick|take|grab|collect|get|lift|lift up|carry|fetch|grasp)'
_PUT = r'(?:place|put|drop|set|release|lay|move|deposit|stack)'

_Rewording = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _with_pronoun(match: re.Match[str]) -> str:
    """`pick up the cup and place in box 1`: the object of the second verb is the one of the first."""
    several = ' and ' in match['what'] or lexicon().is_plural(match['what'].split()[-1].lower())
    return f'take {match["what"]} {match["joint"]} put {"them" if several else "it"} '


def _introduced(match: re.Match[str]) -> str:
    """`there is a cup on the table. Put it in box 1`: `it` is what was spoken of."""
    return f'{match["ask"]}the {match["what"]}'


def _in_layers(match: re.Match[str]) -> str:
    """`make a tower by putting the cup on the mug`: the mug comes first."""
    return f'put {match["lower"]} on the tower, then put {match["upper"]} on the tower'


def _last(match: re.Match[str]) -> str:
    """`stack the cubes with the red one on top`: that one comes last."""
    return f'stack {match["what"]} except {match["top"]}, then {match["top"]}'


def _shaped(match: re.Match[str]) -> str:
    """`the cup shaped blue object`: the blue cup."""
    colour = f'{match["colour"]} ' if match['colour'] else ''
    return f'{colour}{match["shape"]}{"s" if match["plural"] else ""}'


_MOST_TIMES = 4
_BARE_COLOURS = 'red|green|blue|yellow|purple|pink|brown|black|white|grey|gray|cyan'
_COLOURS = f'{_BARE_COLOURS}|orange'
_REWORDINGS: tuple[_Rewording, ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        (r"\bwhen you['’]re (?=(?:done|finished)\b)", 'when you are '),
        (rf'\b{_TAKE} and (?=(?:then )?(?:{_PUT}|bring|give|hand|pass)\b)', ''),
        (rf'\b(?:set|put|lay|drop) (it|them|that|(?:the|my) {_THING}(?: {_THING})?) (?:down|off) '
         r'(?=(?:in|into|inside|on|onto)\b)',
         r'put \1 '),
        (rf'\b(?:go|move|drive|walk)(?: over)? to (?P<what>(?:the|my) {_NAME}),? '
         r'(?:and (?:then )?)?(?:pick it up|take it|grab it|get it|lift it)\b',
         r'take \g<what>'),
        (rf'\b{_TAKE} (?P<what>{_TAKEN}){_HERE},? (?P<joint>and then|and|then) '
         rf'{_PUT}(?: down)? (?=(?:in|into|inside|on|onto)\b)',
         _with_pronoun),
        (rf'\b(?:get|fetch|grab) (?P<what>{_TAKEN}){_HERE},? '
         rf'(?P<joint>and then|and|then) {_PUT} (?:it|them)(?: down)? (?=(?:in|into|inside|on|onto)\b)',
         _with_pronoun),
        (rf"{_START}(?:hey,? )?(?:on the table,? )?(?:there is|there's|i (?:can )?see|here is|here's|"
         rf"i (?:accidentally )?(?:left|forgot)) (?:a|an|my) (?P<what>{_NAME})"
         rf"(?: (?:lying |standing )?(?:here|on the table|in front of you))?(?:[.,;!] ?| )"
         rf'(?P<ask>{_ASKING}{_HANDLE} )'
         r'(?:it|that one|that (?P=what))(?= )',
         _introduced),
        (rf"{_START}the (?P<what>{_NAME}) is on the table(?:[.,;] ?| )"
         rf'(?P<ask>{_ASKING}{_HANDLE} )it'
         r'(?= )',
         _introduced),
        (rf"{_START}(?:we are|we're|i am|i'm) (?:done|finished) with the (?P<what>{_NAME})"
         rf'(?:[.,;] ?| )(?P<ask>{_ASKING}(?:put|place|move|bring|stack|drop) )it(?= )',
         _introduced),
        (rf'{_START}(?P<lead>{_ASKING})(?P<place>{_PLACE}),? '
         rf'(?P<verb>(?:please )?(?:put|place|stack|add|drop|build)) (?P<what>{_OBJECTS})'
         r'(?=[.!?]|$)',
         r'\g<lead>\g<verb> \g<what> \g<place>'),
        (r'\b(?:in (?:the|this)(?: following)? order,? )?from (?:the )?bottom to (?:the )?top(?: ?[:,])? (?=\w)',
         'in the order '),
        (rf'\bwith ({_OBJECT}) (?:on|at) the bottom, ({_OBJECT}) in the middle,? and ({_OBJECT}) (?:on|at)'
         r'(?: the)? top\b',
         r'in the order \1, \2, \3'),
        (rf'\b(?:stack|pile)(?: up)? (?P<what>(?:all|every|the|my|both|everything)\b[^,.;!?]{{0,200}}?) with '
         rf'(?P<top>the {_THING}(?: {_THING})?) on(?: the)? top(?=[.!?]|$)',
         _last),
        (rf'\b(?:make|build|create|start) an? (?:{_THING} )?(?:tower|stack) by (?:putting|placing|stacking|setting) '
         rf'(?P<upper>{_OBJECT}) (?:above|on top of|onto|on) (?P<lower>{_OBJECT})(?=[.!?]|$)',
         _in_layers),
        (r'(?<=\bthe tower )(?P<between>(?:(?!\b(?:box|bowl)\b)[^.!?]){0,200}?)on top of (?:that|this|it)\b',
         r'\g<between>on the tower'),
        (r',? (?:and then |and |then )?do the same (?:thing )?(?:with|for|to) ', ', then '),
        (rf'\b(?P<shape>\w+)[ -]shaped (?:(?P<colour>{_COLOURS})(?:[ -]colou?red)? )?'
         r'(?:object|item|thing)(?P<plural>s?)\b',
         _shaped),
        (r'\b(one|two|three|four|five|six) \(\d+\)', r'\1'),
        (r'\b(two|three|four) more (?=\w)', r'\1 other '),
        (r'\b(?:in the scene|in (?:your )?view)\b ?', ''),
        (r'\b(the|a|my) bigger (?!\w+ than\b)(?=\w)', r'\1 big '),
        (r'\b(the|a|my) smaller (?!\w+ than\b)(?=\w)', r'\1 small '),
        (r'\b(the|a|my) larger (?!\w+ than\b)(?=\w)', r'\1 large '),
        (r'\buse (?:the|your) (?:gripper|hand|hands|arm|arms) to ', ''),
        (r' with (?:the|your) gripper\b', ''),
        (r'\b(hand|pass|give) me over (?=(?:the|a|an|my|that|this|some)\b)', r'\1 me '),
        (r'\bgrab me (?=(?:the|a|an|my|that|this|some)\b)', 'get me '),
        (rf'\bshow me (?:where (?P<what>(?:the|my) {_NAME}) (?:is|are)'
         rf'|which one is (?P<what2>(?:the|my) {_NAME}))(?=[.!?]|$)',
         lambda match: f'point at {match["what"] or match["what2"]}'),
        (r'\bsee if you can (?=(?:get|put|place|move|bring|stack|give|hand)\b)', ''),
        (r"\b(i would|i'd|we would|we'd) (?:like|love) to (?:see|have) (?=(?:the|all|my|both|every)\b[^.?!]*"
         r'\b(?:in|into|on|onto) (?:box|the (?:bowl|tower))\b)',
         r'\1 like '),
        (r'\bshould (?:both|all) be\b', 'should be'),
        (r'\b(?:the|my|your|our) (?:only )?(?:goal|task|job|aim) is that (?P<what>(?:the|all|every|both|my)\b'
         rf'(?:(?!\b(?:not|no|never|that|which)\b)[^,.;!?]){{0,200}}?) (?:is|are) (?P<where>{_PLACE})(?=[.!?]|$)',
         r'put \g<what> \g<where>'),
        (r'\b(such as [^.;!?]{0,200}?),? etc\b\.?', r'\1'),
        (rf'\b(starting|beginning) with ({_OBJECT}),? (?:and then|then) (?=(?:the|my)\b)', r'\1 with \2 and '),
        (rf'\ball (but|except) ({_BARE_COLOURS}) (?=(?:to|in|into|on|onto)\b)', r'all \1 the \2 one '),
        (rf'\b(put|place|stack|move) ({_BARE_COLOURS}) (?=(?:on|onto|in|into)\b)', r'\1 the \2 one '),
        (rf'(?<=\bthe tower )(and|then|and then) ({_BARE_COLOURS}) (?=on (?:top of )?(?:the tower|that|it)\b)',
         r'\1 the \2 one '),
    )
)  # fmt: skip


def reworded(text: str) -> str:
    """The text in words that the parser knows. A text that was reworded before stays the same."""
    for _ in range(_MOST_TIMES):
        before = text
        for pattern, said in _REWORDINGS:
            text = pattern.sub(said, text)
        if text == before:
            break
    return text
