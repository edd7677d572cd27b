"""The division of text into sentences of words, without politeness and other words that change nothing."""

import re

from lucca_language.words.idle_words import NUMBERED, idle_phrase
from lucca_language.words.morphology import NUMBER_WORDS, ORDINAL_WORDS
from lucca_language.words.rewrites import rewrites, rewritten
from lucca_language.words.spellings import spelled_out
from lucca_language.words.verbs import target_words

_REWRITES = rewrites(
    (
        (r'(?<!are )(?<!is )\bfor (?:me|us)(?= *(?:please|(?:right )?now)? *(?:[,.;]|$))', ' '),
        (r'[\u2018\u2019`´]', "'"),
        (r'[\u201c\u201d"*]', ' '),
        (r'\s[\u2013\u2014-]+\s(?=(?:the |in |into )?(?:box|bowl|tower|bin|basket|tray)\b)', ' : '),
        (r'[\u2013\u2014]|\s-+\s', ' , '),
        (r'\bit is (?:forbidden|prohibited|not (?:allowed|permitted)) to\b|\b(?:forbidden|prohibited) to\b',
         ' do not '),
        (r"\bdon'?t\b", 'do not'),
        (r"\bdoesn'?t\b", 'does not'),
        (r"\bmustn'?t\b", 'must not'),
        (r"\bshouldn'?t\b", 'should not'),
        (r"\b(?:can'?t|cannot)\b", 'can not'),
        (r"\bisn'?t\b", 'is not'),
        (r"\baren'?t\b", 'are not'),
        (r"\bwon'?t\b", 'will not'),
        (r"\b(that|it|there|what|here)'s\b", r'\1 is'),
        (r"\bi'd\b", 'i would'),
        (r"\blet's\b", 'let us'),
        (r"\buser's\b", 'user'),
        (r"\bthey're\b", 'they are'),
        (r'(?<=\w)-(?:colou?red)\b', ' '),
        (r'\bcolor', 'colour'),
        (r'\bi\.e\.', ' namely '),
        (r'\betc\.?', ' '),
        (r'(?<= )and (?:their|its) (?=\w+s\b)', 'and '),
        (r'\b(?:(?P<what>\w+s)|anything|everything|things?) (?:that (?:is|are) )?made (?:out )?(?:of|from) '
         r'(?P<of>glass|plastic|wood|metal|paper|cardboard|steel|ceramic|cloth|leather|rubber|stone|silver)\b',
         lambda match: f'{match["of"]} {match["what"] or "things"}'),
        (r'\bas well as\b|\bplus\b|&|\balong with\b|\btogether with\b|\band also\b|\bas well\b', ' and '),
        (r'\bor else\b', ' otherwise '),
        (r'\b(?:with|out of|by) the exception of\b|\bapart from\b|\bother than\b|\baside from\b|'
         r'\bwith the exclusion of\b|\bexcept for\b|\bsave for\b|\bbut for\b',
         ' except '),
        (r', (?:all|everything|any(?:thing|one)?)(?: of (?:it|them))? +(?:but|except)\b(?! not\b)'
         r'(?=(?:(?!\b(?:in|into|inside|on|onto|to)\b)[^.,;:!?])*(?:[.;!?]|$))', ', except '),
        (r'(, | but )just (?=(?:the|those|these|my) )', r'\1only '),
        (r', (?:just|only) not (?=the |a |an |any |those |these |my )', ', but not '),
        (r'\bon top of (?:each other|one another)\b|\bon each other\b|\bonto (?:each other|one another)\b',
         ' on eachother '),
        (r'\bon to(?: the)? top of\b|\bon(?: the)? top of\b|\bto the top of\b|\batop\b', ' on '),
        (r'\bin to\b', ' into '),
        (r'\bto(?: the)? inside of\b|\binside of\b|\bto the inside\b', ' inside '),
        (r'\b(?:no|number|nr)\.? (?=\d)', ' '),
        (r'\bas soon as\b', ' once '),
        (r'\bat the end\b|\bin the end\b|\bto finish\b|\bat last\b', ' finally '),
        (r'\bto (?:begin|start) with\b|\bfirst of all\b|\bto begin\b|\bto start\b|\bat first\b|\bfirstly\b|'
         r'\bstep 1\b', ' first '),
        (r'\bafter (?:that|this|which|them|it)\b|\bafterwards?\b|\bthereafter\b|\bsubsequently\b|\bfollowed by\b|'
         r'\bsecondly\b|\bthirdly\b|\bin a second step\b|\bnext up\b|\blater(?: on)?\b|\bstep [2-9]\b|'
         r'\bafter(?=\s*,)|\bwhen (?:you are done|that is done|done|this is done|you have finished|finished)\b|'
         r'\bthen after\b', ' then '),
        (r'(?<!is )(?<!are )\beither (?=(?:the|a|an) [^.]*\bor\b)', ' '),
        (r'\bboth (?=(?:a|an) [^.,;]*? and (?:a|an) )', ' '),
        (r'\b(?:make|build|create|form) (?:a|the) (?:stack|pile) (?:of|from|with|out of) '
         r'(?=(?:the|all|every|both|my|two|three|four|five|six|\d+)\b)(?![^.;]*\band (?:one|another|an?) )',
         ' stack '),
        (r'\b((?:put|place|move|stack) (?:the|a|an|my) (?:(?!(?:in|into|on|onto|to|and|left|right|up|down|away|back|'
         r'there|here|aside|forward|over|off|out)\b)\w+ ){1,3})then '
         r'(?=(?:the|a|an|my) (?:\w+ ){1,3}(?:in|into|on|onto|to)\b)',
         r'\1 and '),
        (r'\bnow (?=if\b|unless\b)', ' '),
        (r'\bwhatever is neither\b(?![^.,;:!?]*\b(?:nor|or)\b)', ' everything else '),
        (r'\b(something|anything|things?|objects?|stuff|everything) to (drink from|drink out of|write with|'
         r'play with|eat with|cook with|work with|drink|eat|read|wear)\b', r'\1 that you can \2 '),
        (r'\blastly\b|\bas the last step\b|\blast of all\b', ' finally '),
        (r'\beach and every\b|\bevery single\b|\bany and all\b|\beach one of\b|\bevery one of\b', ' every '),
        (r'\beverybody\b|\beveryone\b', ' everyone '),
        (r'\bany thing\b', ' anything '),
        (r'\bthe remainder\b|\bthe leftovers\b|\bwhat(?:ever)? (?:is left|remains|is left over)\b(?! of the)|'
         r'\beverything (?:that|which) (?:is left|remains|is left over)\b|\ball (?:the|that) remains\b', ' the rest '),
        (r'\b(?:the |all )?others\b', ' the other ones '),
        (r'\bwould you mind\b|'
         r'\b(?:in|exactly in) (?:this|the following|that|exactly this|the given) (?:order|sequence)\b', ' '),
        (r'\b(?:in )?reverse alphabetical order\b|\balphabetically backwards\b', ' unalphabetically '),
        (r'\bin alphabetical order\b', ' alphabetically '),
        (r'\bin the (?:order|sequence)(?! of the)\b', ' inorder '),
        (r'\bget rid of\b|\bdispose of\b', ' take '),
        (r'\b(?:we|i) (?:call|name) (?=[^.,;]+)', ' wecall '),
        (r'\b(?:is|are) (?:called|named|another (?:word|name) for|a (?:word|name) for|also known as|short for)\b',
         ' means '),
        (r'\bby (an? )?([\w-]+) (?:we|i) (?:mean|understand)\b', r'\1 \2 means '),
        (r'\ba (?:pair|couple) of\b', ' two '),
        (r'\bwhat(?:ever)? (?=(?:you|one|we|people) can )', ' everything that '),
        (r'\btogether (?=(?:in|into|on|onto)\b)', ' '),
        (r'\s*(?:->|=>|\u2192)\s*(?=box|bowl|tower|bin|basket|tray|the )', ' to '),
        (r'\bsuch as\b', ' suchas '),
        (r'\bclean(?:ing)? ((?:up|away|off) |[a-z]+ up\b|(?:it|them|(?:the|all|every|my|these|those|this|that) '
         r'(?:(?!(?:and|then|or|but)\b)[a-z0-9]+ ){1,3})(?:up|away|off)\b)',
         r'tidy \1'),
        (r'\bin front of\b', ' near '),
        (r'\bnext to\b|\bclose to\b', ' beside '),
        (r'\b(?:(?:taken? |pick(?:ed)? up |up )?from (?:the )?table(?: ?top)?|(?:up )?off (?:of )?the table)\b'
         rf'(?! ?top\b|{NUMBERED})', ' '),
        (r"\b(?:i(?: would)? (?:want|need|like|wish)(?: for)? (?:you|the robot) to|"
         r"your (?:task|job|goal|aim|duty|mission) is to|"
         r"(?:the|this|our) (?:task|goal|job|aim|idea|point of this task) is to|"
         r"the robot (?:should|must|has to|shall|will|is to|needs to)|(?:could|can|would|will) you(?: please)?|"
         r"(?<!that )(?<!which )(?<!what )(?<!ever )(?<!thing )(?<!things )(?<!objects )you (?:should|must|have to|"
         r"need to|are to|are asked to|ought to|can|may|are supposed to|will|shall)(?! not| never| only)|"
         r"it is your (?:task|job) to|(?:make|be) sure (?:to|that you)|remember to|let us|go ahead and|try to|"
         r"i ask you to|we (?:want|need) to|you want to|you get to|be so kind (?:as )?(?:to|and)|feel free to|"
         r"what i want is for you to|see to it that|make sure(?: that)?|ensure that|take care (?:that|to)|"
         r"see that)\b", ' '),
        (r'\byou (?:must|should|may|can|shall|will|are) (?:not|never)(?: allowed to| to)?\b|\brefrain from\b|'
         r'\bavoid\b|\b(?:be )?careful not to\b|\bwithout\b(?= \w+ing)|\bby no means\b|\bunder no circumstances\b|'
         r'\bthe robot (?:must|should|may|shall|can) (?:not|never)\b|\bnever ever\b|\bdo not ever\b',
         ' do not '),
        (r'\b(do not +|never +)((?:touch|move|take|handle|use|grab) [^.,;:!?]*?) (?:ever again|again|any ?more)'
         r'(?= *(?:[.,;!]|$))',
         r'\1\2'),
        (r'\b(is|are) (?:an|the(?: only)?) exceptions?\b(?! (?:to|of)\b)', r'\1 excluded'),
        (r'(?<!your )(?<!my )\bhands off(?= )', ' do not touch '),
        (r'\byou (?:may|can|must|should) only\b', ' only '),
        (r'\bno longer on the table\b', ' gone '),
        (r'\bdo not let any(thing|body|one)?\b', r' no \1 '),
        (r'\bhave (?:got )?to\b|\bhas (?:got )?to\b|\bneeds? to\b|\bought to\b|'
         r'\b(?:is|are) (?:supposed|meant|required|expected|allowed|permitted) to\b|'
         r'\b(?:is|are) to (?=be\b)', ' should '),
        (r'\b(?:is|are) to go\b', ' should go '),
    )
)  # fmt: skip
_LONGEST_SENTENCE = 120
"""in words; real sentences are shorter, and this limits the nesting"""
_TOKEN = re.compile(r"[a-z]+(?:['-][a-z0-9]+)*|\d+|[,:]")


def clean(text: str) -> str:
    """The text in lower case, with contractions expanded and phrases that change nothing removed."""
    text = ' '.join(spelled_out(text).lower().split())
    text = idle_phrase().sub(' ', text)
    return idle_phrase().sub(' ', rewritten(text, _REWRITES))


def sentences(text: str) -> list[list[str]]:
    """The words of each sentence. Commas and colons are words; number words become digits only after a noun."""
    text = re.sub(r'(?<=[.!?;])\s*\n|\n\s*(?=[-*\d#])|\n\s*\n', ' . ', text)
    # Brackets explain what precedes them: read their content as an apposition.
    text = re.sub(r'\(([^()]*)\)', _opened, re.sub(r'<[^<>]*\([^<>]*\)>', ' ', text))
    pieces = re.split(r'[.!?;](?:\s|$)|\n\s*\d+[.)]\s', clean(_keep_lines(text)).replace('|', ' . ') + ' ')
    found = [_join_numbers(_TOKEN.findall(piece)[:_LONGEST_SENTENCE]) for piece in pieces]
    return [words for words in found if any(word not in ',:' for word in words)]


def _opened(match: re.Match[str]) -> str:
    """The content of brackets as a sentence, a relative clause or an apposition."""
    inner = match.group(1)
    if re.match(r'\s*(?:that|which|who|not|except)\b', inner):
        return f' {inner} '
    if re.search(r'\b(?:is|are|stays?|goes|go|belongs?|should|must|may|put|move|leave|do|point|give)\b', inner):
        return f' . {inner} . '
    return f' , namely {inner} , '


def _keep_lines(text: str) -> str:
    return re.sub(r'\n\s*(?:[-*]|\d+[.)])\s', ' | ', text)


def _join_numbers(words: list[str]) -> list[str]:
    """`box one` -> `box 1`, `the first box` -> `the box 1`; repeated and final commas are dropped."""
    places = target_words()
    out: list[str] = []
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ''
        if word in NUMBER_WORDS and out and out[-1] in places and not following.startswith('of'):
            out.append(str(NUMBER_WORDS[word]))
        elif out and len(out) >= 1 and out[-1] in ORDINAL_WORDS and word in places:
            number = ORDINAL_WORDS[out.pop()]
            out += [word, str(number)]
        elif word == ',' and (not out or out[-1] == ','):
            continue
        else:
            out.append(word)
    while out and out[-1] in ',:':
        out.pop()
    return out
