"""Ways to say a request that the parser does not know, said again in words that it knows.

A pattern fits only the whole wording. If a word of it is different, the text stays as it is, and the robot asks.
Patterns drop words that change nothing in their wording: where a thing lies anyway (`from the table`, `in front of
you`), how the request is introduced (`see if you can`, `the goal is that`, `we are done with the cup, so`), `with your
gripper`, `down`, and `etc.` behind examples.
"""

import functools
import re

from lucca_language.words.lexicon import lexicon
from lucca_language.words.rewrites import Rewrite, Said, rewrites, rewritten
from lucca_language.words.roundabout import said_plainly

_WORD = (
    r'(?:(?!(?:in|into|inside|on|onto|to|and|then|or|if|unless|but|from|by|with|above|at|until|when|while|except|not|'
    r"that|which|who|give|hand|put|place|point)\b)[\w'’-]+)"
)
"""One word of the name of a thing."""
_WORD_OF_RELATION = (
    r'\b(?:if|unless|but|except|not|no|only|and|then|or|until|when|while|before|after|as|with|other|another|rest|else|'
    r'both|them|it|that|this|those|these|i|we)\b'
)
_NAME = rf'{_WORD}(?: {_WORD}){{0,3}}?'
_OBJECT = rf'(?:(?:the|a|an|my|your|our|this|both|all|every) )?{_WORD}(?: {_WORD}){{0,4}}?'
_OBJECTS = rf'{_OBJECT}(?:,? and (?:the|a|an|my|your|our|this) {_WORD}(?: {_WORD}){{0,4}}?){{0,6}}'
_WITH_PART = rf'{_OBJECTS}(?: with {_WORD}(?: {_WORD}){{0,2}}?)?'
"""Things, the last one perhaps described by a part: `the cup with blue handles`."""
_PLACE = r'(?:(?:on|onto)(?: top of)? (?:the )?tower|(?:in|into|inside|on) (?:(?:the )?(?:bowl|tower)|box \d))'
_DROPPED_PLACE = (
    r"(?: (?:(?:up )?(?:from|off)(?: of| on top of| atop)? (?:the )?|(?:that is |that's )?on the )table"
    r'| in front of you)?'
)
"""Where things are anyway."""
_SENTENCE = r'(?:(?<=[.!?] )|^)'
_CLAUSE = (
    r'(?:^|(?<=[.!?,;:] )|(?<=\bthen )|(?<=\bplease )|(?<=\bnow )|(?<=\band )|(?<=\bcan you )|(?<=\bcould you )|'
    r'(?<=\bwould you )|(?<=\bwill you )|(?<=\byou to ))'
)
"""Where a verb may begin, so that the last word of `the guitar pick` is none."""
_ASKING = r'(?:(?:please|now|next|then|so|and|but|kindly|(?:can|could|would|will) you|you (?:should|must|may|can)) )*'
_TAKE = r'(?:pick up|pick|take|grab|collect|get|lift|lift up|carry|fetch|grasp|grip)'
_PUT = r'(?:place|put|drop|set|release|lay|move|deposit|stack)'
_DO_WITH_IT = '(?:put|place|move|bring|give|hand|pass|get|take|stack|drop|grab|fetch|point at|pick up)'
_COLOUR = '(?:red|green|blue|yellow|purple|pink|brown|black|white|grey|gray|cyan)'
"""Words for colours that are no things, unlike `orange`."""
_DETERMINER = '(?:the|a|an|my|that|this|some)'
_NUMBERS = ('one', 'two', 'three', 'four', 'five', 'six')
_MOST_ROUNDS = 4
"""A text in which one wording is inside another one is gone through again."""

_GET = r'(?:get|take|grab|fetch|pick up|go for|carry|hold|keep)'
_GETTING = r'(?:getting|taking|grabbing|fetching|picking up|going for|carrying|holding|keeping)'
_I_GET = rf"(?:i will|i'll|i can|i am going to|i'm going to) {_GET}|(?:i am|i'm) {_GETTING}"
"""What the speaker does at the same time."""
_OWN = rf'(?P<own>(?:the|my|this|that|a|an) {_WORD}(?: {_WORD}){{0,3}}?)'
_SIMPLE_REQUEST = (
    r'(?P<ask>(?:please )?(?:(?:can|could|will|would) you )?(?:please )?'
    rf'(?:give|hand|pass|bring|get|fetch|put|place|move) (?P<what>(?:(?!{_WORD_OF_RELATION})[^.,;:!?])+?))'
)
"""A request without conditions, exceptions or a second part."""

_NOTHING_REFERS = (
    r'(?![^.!?;]*\b(?:its?|they|them|ones?|others?|(?:that|this|those|these)'
    r'(?= *(?:[.,;!?]|$|(?:in|into|inside|on|onto|to|down|up|back|over|away|too|also|as|from|off|and|then)\b)))\b)'
)
"""No pronoun in the sentence behind these words: behind two things, `it` may be either."""

_ONCE = '(?:once|when|after|as soon as)'
_ONE = re.compile(r'\bones?\b', re.IGNORECASE)


def _with_pronoun(match: re.Match[str]) -> str:
    """`pick up the cup and place in box 1` becomes `take the cup and put it in box 1`, also as two sentences."""
    several = ' and ' in match['what'] or lexicon().is_plural(match['what'].split()[-1].lower())
    return f'take {match["what"]} {match["joint"] or "and"} put {"them" if several else "it"} '


def _without_own(match: re.Match[str]) -> str:
    """`hand me a cup while I get the red one` becomes `hand me a cup but not the red one`."""
    if _ONE.search(match['what']) and not _ONE.search(match['own']):
        return match.group()  # one of what?
    return f'{match["ask"]} but not {match["own"]}{match["mark"]}'


def _without_own_if_distinct(match: re.Match[str]) -> str:
    """`I'll get the red cup. Can you hand me a blue one?` becomes `Can you hand me a blue cup but not the red cup?`

    Who says `I'll take the red cup. Hand me the cup` may ask for the red one, so that stays as it is.
    """
    ask, own = match['ask'], match['own'].lower().split()[1:]
    what = re.split(r'\b(?:in|into|inside|on|onto|to)\b', match['what'].lower())[0].split()
    alike = {*own, *map(lexicon().singular, own), 'one', 'ones', 'the', 'a', 'an', 'my', 'this', 'that', 'me'}
    named = what[:-1] if own[-1] in ('one', 'ones') else what
    if all(word in alike or lexicon().singular(word) in alike for word in named):
        return match.group()
    if own[-1] not in ('one', 'ones'):
        kind = lexicon().singular(own[-1])
        ask = re.sub(r'\bone(?=$| (?:in|into|inside|on|onto|to)\b)', kind, ask, flags=re.IGNORECASE)
        if _ONE.search(ask):
            return match.group()
    return f'{ask} but not {match["own"]}{match["mark"]}'


def _brought(match: re.Match[str]) -> str:
    """`find the cup and bring it to box 1` becomes `put the cup in box 1`, `… to me` becomes `bring the cup to me`."""
    what, where = match['what'], match['where'].lower()
    if where == 'me':
        return f'bring {what} to me'
    return f'put {what} {"on" if where == "the tower" else "in"} {where}'


def _introduced(match: re.Match[str]) -> str:
    """`there is a cup on the table. Put it in box 1` becomes `Put the cup in box 1`."""
    return f'{match["ask"]}the {match["what"]}'


def _where_it_is(match: re.Match[str]) -> str:
    """`the pear into box 2, then the apple once it is there`: once the pear is in box 2."""
    relation = 'on' if match['how'].lower().startswith('on') else 'in'
    what, where = match['what'], match['where']
    return f'{what} {match["how"]} {where}{match["then"]}{what} {match["is"]} {relation} {where}'


def _in_layers(match: re.Match[str]) -> str:
    """`make a tower by putting the cup on the mug`: the mug, then the cup on the tower."""
    return f'put {match["lower"]} on the tower, then put {match["upper"]} on the tower'


def _last(match: re.Match[str]) -> str:
    """`stack the cubes with the red one on top`: all others first, then the red one."""
    return f'stack {match["what"]} except {match["top"]}, then {match["top"]}'


def _pointed_at(match: re.Match[str]) -> str:
    """`show me where the cup is` or `show me which one is the cup`."""
    return f'point at {match["what"] or match["what2"]}'


_THING = rf'(?!(?:and|or|nor|but|also|too|is|are|was|were|be|being|been|must|should|not|all)\b){_WORD}'
_WORDINGS: tuple[tuple[str, Said], ...] = (
    # put everything in box 1, the cup excluded: one thing behind one comma; what is in a list may be asked for
    (r'(?P<said>(?:^|(?<=[.!?;] ))[^,.;:!?]+),(?: (?:but )?with)? '
     rf'(?P<what>(?:the|my|that) {_THING}(?: {_THING}){{0,2}}|{_COLOUR} {_THING}) '
     r'(?:excluded|excepted|omitted|not included|exempt(?:ed)?)(?=\s*(?:[.!]|$))',
     r'\g<said> except \g<what>'),
    # look at the table and pick up the red cube, but not `look at the things and put the rest in box 1`
    (rf'{_SENTENCE}(?:please )?look(?:ing)? (?:at|over) the (?:table|scene|arrangement|things|objects|items)'
     r'(?: (?:which are |that are )?on the table| in front of you)?(?:,? and (?:then )?|[.,] (?=\w))'
     r'(?!.*\b(?:rest|others?|else|them|they|it|these|those|ones?|all|both|each|every)\b)', ''),
    # grab the cube & place it in the bowl: here already, as wordings below have `and`; `&` may also be in a name
    (rf' & (?=(?:then )?(?:{_PUT}|leave|{_DO_WITH_IT})\b)', ' and '),
    # pick the cup up and put it in box 1
    (rf'{_CLAUSE}(pick|lift) ((?:the|a|an|my) {_WORD}(?: {_WORD}){{0,2}}?) up(?=,? (?:and then|and|then) {_PUT}\b)',
     r'\1 up \2'),
    # take the cup and leave it in box 1
    (rf'{_CLAUSE}(?P<take>{_TAKE} {_WITH_PART}){_DROPPED_PLACE},? (?P<joint>and then|and|then) '
     rf'leave (?P<it>(?:it|them) )?(?={_PLACE}\b)',
     r'\g<take> \g<joint> put \g<it>'),
    # when you're done put it in the bowl
    (r"\bwhen you['’]re (?=(?:done|finished)\b)", 'when you are '),
    # grab and drop the cup in box 1
    (rf'{_CLAUSE}{_TAKE} and (?=(?:then )?(?:{_PUT}|bring|give|hand|pass) {_DETERMINER}\b)', ''),
    # set the cup down in box 1
    (rf'{_CLAUSE}(?:set|put|lay|drop) (it|them|that|(?:the|my) {_WORD}(?: {_WORD})?) (?:down|off) '
     r'(?=(?:in|into|inside|on|onto)\b)',
     r'put \1 '),
    # first, put the cup in box 1, then give me the mug
    (rf'{_SENTENCE}first, (?={_ASKING}{_DO_WITH_IT} )', 'first '),
    # get the fruit off the table and into the bowl
    (r'\b((?:off|from)(?: of)? the table) and (?=(?:in|into|inside|on|onto|to) (?:the |box \d))', r'\1 '),
    # set the cup in front of me
    (rf'{_CLAUSE}((?:{_PUT}) {_OBJECTS}) in front of me(?=[.!?]|$)', r'\1 next to me'),
    # go to the cup and pick it up
    (rf'{_CLAUSE}(?:go|move|drive|walk)(?: over)? to (?P<what>(?:the|my) {_NAME}),? '
     r'(?:and (?:then )?)?(?:pick it up|take it|grab it|get it|lift it)\b',
     r'take \g<what>'),
    # take the cup in box 1 and put it in box 2: where it is, not where it goes
    (rf'{_CLAUSE}(?P<take>{_TAKE}) (?P<what>{_OBJECT}) (?P<where>(?:in(?! front of)|inside|on|on top of) '
     rf'(?!(?:the|your|this) (?:table|hands?|arms?|grippers?)\b)(?:(?:the|my|a|an|that) )?{_WORD}(?: {_WORD}){{0,4}}?)'
     rf'(?=,? (?:and then|and|then) (?:{_PUT}|bring|give|hand|pass|deliver) (?:it|them)\b)',
     r'\g<take> \g<what> that is \g<where>'),
    # pick up the cup from the table and place in box 1
    (rf'{_CLAUSE}{_TAKE} (?P<what>{_WITH_PART}){_DROPPED_PLACE},? (?P<joint>and then|and|then) '
     rf'{_PUT}(?: down)? (?=(?:in|into|inside|on|onto)\b)',
     _with_pronoun),
    # get the cup and put it in box 1
    (rf'{_CLAUSE}(?:get|fetch|grab|retrieve) (?P<what>{_WITH_PART}){_DROPPED_PLACE}'
     rf'(?:,? (?P<joint>and then|and|then)|[.;](?: then)?) {_PUT} (?:it|them)(?: down)? '
     r'(?=(?:in|into|inside|on|onto)\b)',
     _with_pronoun),
    # the cup located on the table
    (r'(?<!\bis )(?<!\bare )(?<!\bnot )(?<!\bbe )\b(?:located|situated) (?=on the table\b)', ''),
    # find the cup and bring it to me
    (rf'{_CLAUSE}(?:find|locate|look for|search for|retrieve|get|fetch|grab|pick up) (?P<what>{_OBJECT})'
     rf'{_DROPPED_PLACE},? (?:and then|and|then) (?:bring|deliver|carry|take|give|hand) it(?: back| over)? to '
     r'(?P<where>me|box \d|the bowl|the tower)(?=[.,!?]|$| if\b| unless\b)',
     _brought),
    # find the cup, then put the cup in box 1
    (rf'{_CLAUSE}(?:find|locate|look for|search for|get|grab|take|pick up) (?P<what>(?:the|my) {_NAME}){_DROPPED_PLACE}'
     rf'(?:[,.]? (?:and then|and|then)|\.) (?P<verb>{_PUT}) (?P=what)(?= (?:in|into|inside|on|onto)\b)',
     r'\g<verb> \g<what>'),
    # put the cup in box 1, and then put the mug there too
    (rf'(?P<how>\b(?:to|in|into|inside|on|onto)) (?P<where>box \d|the bowl|the tower)'
     rf'(?P<joint>,? (?:and then|and|then)|[.;]) (?P<verb>(?:also )?(?:put|place|move|drop) {_OBJECT}) there'
     r'(?: too| as well| also)?(?=[.!?]|$)',
     r'\g<how> \g<where>\g<joint> \g<verb> \g<how> \g<where>'),
    # put the pear in box 2, then hand me the apple once the pear is there
    (rf'(?P<what>\b(?:the|my|all the|all) {_NAME}) (?P<how>in|into|inside|on|onto) (?P<where>box \d|the bowl|the tower)'
     rf'(?P<then>[^.!?]*? {_ONCE} (?=(?P=what))|(?:(?!{_PLACE})[^.!?])*? {_ONCE} (?=it|they))(?:(?P=what)|it|they) '
     r'(?P<is>is|are) (?:(?:in )?there|(?:in|on) it)(?=[,.;!]|$)',
     _where_it_is),
    # bring the objects on the table to box 1
    (rf'{_CLAUSE}(?P<verb>put|place|move|bring|take|carry|transfer) the (?P<what>objects|things|items) '
     r'(?:that are )?(?:on|from) the table (?=(?:to|in|into|inside|on|onto) (?:box \d|the bowl|the tower))',
     r'\g<verb> all the \g<what> '),
    # there is a cup on the table. Could you put it in box 1
    (rf"{_SENTENCE}(?:hey,? )?(?:on the table,? )?(?:there is|there's|i (?:can )?see|i (?:accidentally )?(?:left|"
     rf'forgot)) (?:a|an|my) (?P<what>{_NAME})(?: (?:lying |standing )?(?:here|on the table|in front of you))?'
     rf'(?:[.,;!] ?| )(?P<ask>{_ASKING}{_DO_WITH_IT} )(?:it|that one|that (?P=what))(?= )',
     _introduced),
    # do you see the mug? Give it to me
    (rf'{_SENTENCE}(?:(?:do|can) you )?see (?:the|that|my) (?P<what>{_NAME})(?: (?:there|here|over there))?\? '
     rf'(?:(?:good|great|ok|okay|well|perfect)[.,!] )?(?P<ask>{_ASKING}{_DO_WITH_IT} )it(?= )',
     _introduced),
    # the plum is on the table but you should move it to the bowl
    (rf'{_SENTENCE}the (?P<what>{_NAME}) is on the table(?:[.,;] ?| )(?P<ask>{_ASKING}{_DO_WITH_IT} )it(?= )',
     _introduced),
    # hand me the cup while I get the mug
    (rf'{_SENTENCE}{_SIMPLE_REQUEST},? while (?:i {_GET}|{_I_GET}) {_OWN}(?P<mark>[.!?]|$)'
     rf'{_NOTHING_REFERS}',
     _without_own),
    # can you hand me the cup? I'm getting the mug
    (rf'{_SENTENCE}{_SIMPLE_REQUEST}(?:[.!?;,] ?| and )(?:and )?(?:{_I_GET}) {_OWN}(?P<mark>[.!?]|$)'
     rf'{_NOTHING_REFERS}',
     _without_own_if_distinct),
    # I'll get the red cup, can you hand me a blue one?
    (rf'{_SENTENCE}(?:{_I_GET}) {_OWN}(?:[.!?;,] ?(?:so )?|,? and (?=(?:please|(?:can|could|will|would) you) ))'
     rf'{_SIMPLE_REQUEST}(?P<mark>[.!?]|$){_NOTHING_REFERS}',
     _without_own_if_distinct),
    # we are done with the cup, so put it in box 2
    (rf"{_SENTENCE}(?:we are|we're|i am|i'm) (?:done|finished) with the (?P<what>{_NAME})"
     rf'(?:[.,;] ?| )(?P<ask>{_ASKING}{_DO_WITH_IT} )it(?= )',
     _introduced),
    # on top of the tower place the red block
    (rf'{_SENTENCE}(?P<lead>{_ASKING})(?P<place>{_PLACE}),? '
     rf'(?P<verb>(?:please )?(?:put|place|stack|add|drop|build)) (?P<what>{_OBJECTS})(?=[.!?]|$)',
     r'\g<lead>\g<verb> \g<what> \g<place>'),
    # stack the cubes from bottom to top: red, blue
    (r'\b(?:in (?:the|this)(?: following)? order,? )?from (?:the )?bottom to (?:the )?top(?: ?[:,])? (?=\w)',
     'in the order '),
    # with red on the bottom, blue in the middle and green on top
    (rf'\bwith ({_OBJECT}) (?:on|at) the bottom, ({_OBJECT}) in the middle,? and ({_OBJECT}) (?:on|at)'
     r'(?: the)? top\b',
     r'in the order \1, \2, \3'),
    (rf'{_CLAUSE}(?:stack|pile)(?: up)? (?P<what>(?:all|every|the|my|both|everything)(?: {_WORD}){{0,4}}?) with '
     rf'(?P<top>the {_WORD}(?: {_WORD})?) on(?: the)? top(?=[.!?]|$)',
     _last),
    # stack the cubes with the blue one at the bottom
    (rf'{_CLAUSE}((?:stack|pile)(?: up)? (?:all|every|the|my|both|everything)(?: {_WORD}){{0,4}}?)(?: with|,) '
     rf'(the {_WORD}(?: {_WORD})?) (?:(?:should be|goes|is|being) )?(?:(?:on|at) the bottom|first)(?=[.!?]|$)',
     r'\1, starting with \2'),
    (rf'(?:{_SENTENCE}|(?<=\bplease )|(?<= you ))(?:make|build|create|start) an? (?:{_WORD} )?(?:tower|stack) by '
     rf'(?:putting|placing|stacking|setting) (?P<upper>{_OBJECT}) (?:above|on top of|onto|on) (?P<lower>{_OBJECT})'
     r'(?=[.!?]|$)',
     _in_layers),
    # put the red block on the tower and the blue block on top of that
    (rf'(?<=\bthe tower)(?P<next>,? (?:and then|and|then) (?:(?:put|place|stack) )?(?:the |a |an |my )?{_NAME} )'
     r'on top of (?:that|this|it)\b',
     r'\g<next>on the tower'),
    # put the cup in box 1, then do the same with the mug
    (rf'{_SENTENCE}(?P<first>(?:(?!\b(?:if|unless|until|when|while|but|except|not|only|do)\b|{_PLACE})[^.;!?])'
     rf'{{0,120}}?{_PLACE}),? (?:and then|and|then) do the same (?:thing )?with '
     rf'(?P<what>(?:the|my) {_NAME})(?=[.!?]|$)',
     r'\g<first>, then \g<what>'),
    # three (3) fruits
    *((rf'\b{word} \({number}\) ', f'{word} ') for number, word in enumerate(_NUMBERS, 1)),
    # two more cubes
    (rf'\b(two|three|four) more (?!(?:times|seconds|minutes)\b)(?={_WORD}\b)', r'\1 other '),
    (r'(?<!\bis )(?<!\bare )(?<!\bnot )(?<!\bbe )\bin the scene (?=(?:in|into|on|onto|to)\b)', ''),
    (rf'{_CLAUSE}use your (?:gripper|hand|hands|arm|arms) to ', ''),
    (r' with your gripper\b', ''),
    (rf'{_CLAUSE}(hand|pass|give) me over (?={_DETERMINER}\b)', r'\1 me '),
    (rf'{_CLAUSE}grab me (?={_DETERMINER}\b)', 'get me '),
    # please you give to me the cup
    (rf'{_SENTENCE}please,? you (?={_DO_WITH_IT}\b)', 'please '),
    (rf'{_CLAUSE}(hand|pass|give|bring)(?: over)? to me (?={_DETERMINER}\b)', r'\1 me '),
    # box number 2
    (r'\bbox (?:number|no\.|nr\.?|#) ?(?=(?:\d|one|two|three)\b)', 'box '),
    (r'\bbox(?=\d\b)', 'box '),
    # show me where the cup is
    (rf'{_CLAUSE}show me (?:where (?P<what>(?:the|my) {_NAME}) (?:is|are)'
     rf'|which (?:one|object|thing) is (?P<what2>(?:the|my) {_NAME}))(?=[.,!?]|$| and\b| then\b)',
     _pointed_at),
    (rf'{_CLAUSE}see if you can (?=(?:get|put|place|move|bring|stack|give|hand) {_DETERMINER}\b)', ''),
    # the blocks should both be on the tower
    (r'\bshould (?:both|all) be\b', 'should be'),
    # the goal is that all the blocks are in box 2
    (rf'{_SENTENCE}(?:the|my|your|our) (?:only )?(?:goal|task|job|aim) is that (?P<what>(?:all|every|both|my|the)'
     rf'(?: the)?(?: {_WORD}){{1,4}}?) (?:is|are) (?P<where>{_PLACE})(?=[.!?]|$)',
     r'put \g<what> \g<where>'),
    # fruits such as apple, banana, etc. in the bowl
    (rf'\b(such as {_NAME}(?:, {_NAME}){{0,5}}),? etc\b\.?', r'\1'),
    # the blocks, starting with the green one and then the blue one
    (rf'\b(starting|beginning) with ({_OBJECT}),? (?:and then|then) (?=(?:the|my)\b)', r'\1 with \2 and '),
    # clean the apple out of the way
    (r'\bclean(?:ing)? (?P<what>(?:(?:it|them|(?:the|all|every|my|these|those|this|that)(?: (?!(?:and|then|or|but)\b)'
     r'[\w-]+){1,3}) )?)out of the way\b',
     r'clean \g<what>away'),
    # move all but blue to box 2, put green on the tower
    (rf'\ball (but|except) ({_COLOUR}) (?=(?:to|in|into|on|onto)\b)', r'all \1 the \2 one '),
    (rf'{_CLAUSE}(put|place|stack|move) ({_COLOUR}) (?=(?:on|onto|in|into)\b)', r'\1 the \2 one '),
    (rf'(?<=\bthe tower )(and|then|and then) ({_COLOUR}) (?=on (?:top of )?(?:the tower|that|it)\b)',
     r'\1 the \2 one '),
)  # fmt: skip


@functools.cache
def rewordings() -> tuple[Rewrite, ...]:
    """The rules, made when a text is first read: that takes a tenth of a second, which some processes never need."""
    return rewrites(_WORDINGS, re.IGNORECASE)


def reworded(text: str) -> str:
    """The text in words that the parser knows; wordings that are not known stay as they are."""
    text = said_plainly(text)
    for _ in range(_MOST_ROUNDS):
        before = text
        text = rewritten(text, rewordings())
        if text == before:
            break
    return text
