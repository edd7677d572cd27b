"""Requests in utterances: sentences that ask the robot to do something, by mood, addressee, tense and negation.

A sentence is a request if it is an imperative, a polite question ("could you …"), a wish that somebody else does
something ("I would like you to …"), or a rule for a place ("fruit belongs in box 1"). Reports, past tense, hypotheses,
quotations and questions about a task are not, whatever words they share with one.
"""

import re

from lucca_language.words.function_words import PREPOSITIONS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.spellings import spelled_out
from lucca_language.words.verbs import is_handling, verb
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.plans.place_rules import is_finite, is_just_things_somewhere, is_rule, names_place, puts_all
from lucca_llm.rules.utterances.openings import sentence_texts, without_opening
from lucca_llm.rules.utterances.presence_questions import conditional
from lucca_llm.rules.utterances.request_forms import (
    AIM,
    CLOSING,
    EXCLAMATION,
    GERUND,
    POLITE,
    REPORTS,
    WANTED,
    WISHED,
)
from lucca_llm.rules.utterances.said_sentence import Mood, SaidSentence

_DOUBTED = re.compile(
    r'^(?:(?:do you (?:\w+ )?think|i wonder(?:ed)? (?:if|whether)|any chance)(?: that)? you (?:could|can|would)|'
    r"(?:could|can|would|will|couldn't|can't|won't|are) you|(?:is|would) it) "
    r'(?:really|actually|even|ever|honestly|seriously|truly|genuinely|still)\b|'
    r"^(?:do you (?:really|honestly) think|(?:could|can|would|will|couldn't|can't|won't) you)\b.*\b(?:really|ever)\?+$",
    re.IGNORECASE | re.DOTALL,
)
"""A question whether the robot can do something, and no request: `can you really …`"""
_PLEASE = re.compile(r'\bplease\b', re.IGNORECASE)
_SOMEWHERE = re.compile(r'\b(?:in|into|inside|on|onto)\b', re.IGNORECASE)
_NAMED_POLITELY = re.compile(
    r"^(?P<what>(?:(?:the|my|that|this|a|an|some|one)\s)?[a-z][a-z' -]*?),? please[.!]*$", re.IGNORECASE
)
_BUT = re.compile(r'[,;]? but (?:do )?|; ', re.IGNORECASE)
_NEGATED = re.compile(
    r"^(?:do not|don't|dont|never|no more|not|nobody|please do not|please don't)\b(?! (?:forget|hesitate)\b)|"
    r"^(?:you (?:should|must|may|can|need)(?: not|n't)|you (?:shall not|cannot|can't|needn't))\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r'^(?:except|excluding|apart from|aside from|other than|save for|with the exception of)\b', re.IGNORECASE
)
_HANDLES_IT = re.compile(
    r'^(?:take|put|move|bring|give|hand|pass|get) (?:it|them|that|those|these)(?: one| ones)? '
    r'(?:back|out|in|into|inside|on|onto|to|over|down|away|aside|again)\b',
    re.IGNORECASE,
)
_CONDITION = re.compile(r'^(?:if|when|once|as soon as|whenever|unless|after|before|in case|should)\b', re.IGNORECASE)
_QUESTION = re.compile(
    r"^(?:what|who|whom|whose|where|when|which|why|how|does|did|is|are|was|were|has|had|am|what's|who's|where's|"
    r"when's|how's|isn't|aren't|wasn't|weren't|don't you|doesn't|didn't|haven't|hasn't|could|can|would|will|"
    r'should|shall|may|might|'
    r'must|(?:do|have) (?:you|i|we|they|people|these|those|your|my))\b',
    re.IGNORECASE,
)
_ASKS_TO_TELL = re.compile(
    r'^(?:please )?(?:tell|remind|explain to|inform|let) (?:me|us)(?: know)?\b|^(?:describe|explain|report)\b',
    re.IGNORECASE,
)
_SPOKEN_TO = re.compile(
    r'^(?:i|we|he|she|they|you|it|this|that|these|those|there|here|his|her|their|my|our|your|its|mine|someone|'
    r'somebody|'
    r"everyone|everybody|nobody|people|one|i'm|i've|i'd|i'll|we're|we've|we'll|he's|she's|it's|that's|there's|"
    r"they're|they've|they'll|you're|you've|you'll|yesterday|today|tomorrow|last|imagine|suppose|assume|maybe|"
    r'perhaps|'
    r'because|since|although|while|as|to|for|with|in|on|at|by|from|of|about|after|before|until|a|an|the|some|any|no|'
    r'all|every|each|both|such|so|very|really|always|never|that\'s|haha|wow|thank|thanks|glad|happy|great|nice|good|'
    r'sounds|congrats|'
    r'congratulations|absolutely|definitely|exactly|sure|totally|not)\b',
    re.IGNORECASE,
)
_ASKS_OF_QUOTED = re.compile(
    r'^(?:(?:and|so|but)[,\s]+)?(?:who|whom|whose|what|when|where|which|why|how|did|does)\b[^.!?]*\?[\s"”’)]*$',
    re.IGNORECASE,
)
_QUOTED = re.compile("[\"“”«»]|(?<![\\w])['‘](?=\\w[^'’]*\\s[^'’]*['’](?!\\w))")
_WORDS_OF_QUESTIONS = any_of('what who whom whose where when which why how is are was were does did')
_WHEN = re.compile(r'\b(?:once|when|after|as soon as)\b', re.IGNORECASE)
_BEFORE_A_VERB = any_of('first then next finally afterwards lastly only just')
_VERBS_OF_NO_ACTION = any_of(
    'swap switch exchange interchange trade shuffle rearrange reorder reverse mirror duplicate'
)
"""Verbs that the lexicon does not have, as in `swap positions`: nobody is called that."""
_BEFORE_A_GERUND = any_of('stop halt pause cancel abort interrupt quit finish continue resume')
"""As in `stop sorting`, where `Bob sorting` would be no order."""
_WHATEVER = any_of('what whatever everything all that this')
"""As in `stop what you are doing`."""
_ENOUGH = re.compile(r"^that(?:'s| is) enough\W*$", re.IGNORECASE)
_STATE = (
    r"(?:i(?:'m| am)|we(?:'re| are)) (?:so |very |really |a bit |rather |getting )?(?:hungry|thirsty|starving|tired|"
    r'busy|cold|late|stuck|in a hurry|too short|colou?r[- ]?blind)|my hands are (?:full|dirty|wet|busy)|'
    r"it(?:'s| is) (?:almost |already |nearly )?(?:late|cold|hot|(?:breakfast|lunch|dinner|tea|snack|coffee)[- ]?time|"
    r'time for (?:breakfast|lunch|dinner|tea|a snack|coffee))'
)
"""States of people and times of day that are reasons to ask for something, and nothing else."""
_REASON = re.compile(rf'^(?:since|because|as|now that) (?={_STATE},)', re.IGNORECASE)
_QUOTES = re.compile(r'\b(?:reads?|goes|says?|writes?|went|is like|was like|against)\b', re.IGNORECASE)
"""How a remark ends behind which somebody else's words stand: `it reads: put the cup in box 1`."""
_STATED = re.compile(rf'^{_STATE}(?:,? so)?$', re.IGNORECASE)
_CALLED = re.compile(r'^\s*[A-Z][\w-]*,')
_REMARK = re.compile(
    # `They should be even` is about the things that were asked for.
    r'^(?!(?:it|they) (?:should|must|shall|may|can|ought|goes?|stays?|(?:has|have|is|are|need|needs) to)\b)'
    r"(?:(?:i|we|my|our|it|it's|he|she|they|his|her|their)\b|i'm|i've|we're)(?!.*\b(?:not|no|never|only|except|"
    r'but|if|unless|until|when|while|all|every|any|each|want|wants|need|needs|like|love|prefer|hate|allergic|mine|'
    rf'{REPORTS}|'
    r'tomorrow|yesterday|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|later|'
    r'these|those|this|'
    r"that|them|ones?|there)\b)(?!.*n't\b)",
    re.IGNORECASE,
)
_STATES = re.compile(
    r'^(?!(?:if|when|whenever|while|unless|until|because|since|although|though|as|after|before|once|what|who|'
    r'where|how|why)'
    r'\b)(?!.*\b(?:sa(?:y|ys|id|ying)|t(?:ell|ells|old|elling)|th(?:ink|inks|ought)|ask(?:s|ed|ing)?|writes?|'
    r'wrote|believes?|heard|'
    r'rules?|motto|advice|saying|proverb|like)\b)'
    r"[\w' -]+(?:\b(?:is|are|was|were|has|have|had)\b|'s\b|'re\b|n't\b)",
    re.IGNORECASE,
)
"""A statement that reports nobody's words: what is said behind it is said by the speaker."""
_REFERS_BACK = re.compile(r'\b(?:it|them|that|this|these|those|one|ones|there|other|others)\b', re.IGNORECASE)
_IMPERATIVE_TRAP = re.compile(
    r'^(?:let me|have (?:a|an|fun|you|i|we|they)|take (?:care|it|your|a|some)|keep (?:up|it|me|in|us)|give (?:(?:it|'
    r'them)(?! (?:all )?to (?:me|us)\b)|my|him|her|yourself)|set (?:up|aside|yourself|a|some)|get (?:well|some|to|in|'
    r'out|ready|a|back)|make (?:it|yourself|time|a(?! (?:tower|stack|pile)\b)|some|the most)|hang in|hold on to|'
    r'show (?:up|off|'
    r'yourself)|look (?:forward|at|after|out|like|into))\b',
    re.IGNORECASE,
)
_GET_ONE = re.compile(
    r'^(?:get|take) (?:a|an|some) (?:\w+ ){0,2}?(?P<noun>\w+)(?=\s*(?:[.,!]|$|from\b|off\b|for me\b|and\b))',
    re.IGNORECASE,
)
_ASKS_SOMEWHERE = re.compile(
    r'\b(?:can|could|would|will) you\b|\bplease\b|\byou (?:should|must|have to|need to|can|are to)\b|'
    r'\b(?:need|needs|want|wants|like|ask|asking) you to\b|\b(?:rather you|better) (?:put|place|give|hand|move)\b|'
    r'\bby (?:putt|plac|mov|giv|stack|tak|bring|hand)ing\b|\bi require\b|\bmy requirement is\b|'
    r'(?:^|[,;:.!?]|\b(?:and|but|so|then|otherwise|tower|bowl|box \w+))\s+'
    r'(?:put|place|give|hand|bring|move|pass|stack|fetch|grab|take|get|drop|point at|build|push)\s+'
    r'(?:the|a|an|that|this|these|those|it|them|me|him|her|my|both|all|some|one|two|three)\b|'
    # `Ben is wrong, never move the pear`, but not `I never take the bus`
    r"(?<!\bi )(?<!\bwe )(?<!\bthey )\b(?:never|do not|don't|must not|mustn't) (?:ever )?"
    r'(?:put|place|give|hand|move|stack|grab|take|push|touch)\b|'
    r"\bi(?:'m| am) looking for\b|\b(?:can|could|may) i (?:have|get)\b|"
    r"\b(?:i|we) (?:need(?:ed)?|want|would (?:like|love))\b|\bi'd (?:like|love)\b|"
    # what was understood is denied: `no, I didn't mean the pear`
    r"\bi (?:did not|didn't|never) (?:mean|say|ask for|want) (?:the|a|an|that|this|my|box)\b|"
    r'\bnot what i (?:said|meant|wanted|asked)\b',
    re.IGNORECASE,
)

_ASKS_INSIDE = re.compile(
    r'^(?!(?:i|we|he|she|they|you|my|our|his|her|their)\b)(?!.*\b(?:sa(?:id|ys)|t(?:old|ells)|asked)\b).*'
    r'(?:\bthat you |(?<!\bto )(?<!\bnot )(?<!\byou )(?<!\bi )(?<!\bwho ))'
    r'\b(?P<verb>put|place|give|hand|bring|move|pass|stack|fetch|grab|take|get|drop|point)\s+'
    r'(?:the|a|an|that|this|these|those|it|them|me|my|both|all|some|one|two|three)\b',
    re.IGNORECASE,
)


def sentences_in(text: str) -> tuple[SaidSentence, ...]:
    """The sentences of an utterance with their moods.

    A quotation makes the whole utterance a statement, or a question about it: what somebody quotes is not what they ask
    to be done.
    """
    text = spelled_out(text)
    if _QUOTED.search(text):
        last = [part.strip() for part in sentence_texts(text)][-1:]
        for asked in (text.strip(), *(part for part in last if not _QUOTED.search(part))):
            if _ASKS_OF_QUOTED.match(asked):
                return (SaidSentence(Mood.QUESTION, asked, text.strip()),)
        return (SaidSentence(Mood.STATEMENT, text.strip(), text.strip()),)
    parts = sentence_texts(text)
    aims = [len(parts) > 1 and AIM.match(without_opening(part)) is not None for part in parts]
    each = zip(parts, aims, strict=True)
    return conditional([SaidSentence(Mood.STATEMENT, it, it) if aim else _sentence(it) for it, aim in each])


def _sentence(text: str) -> SaidSentence:
    said = CLOSING.sub('', without_opening(text)) or text
    asked = _asked_for(said)
    if asked is not None:
        return asked
    asks = _QUESTION.match(said) or _ASKS_TO_TELL.match(said)
    if not asks and said.endswith('?') and _STATED.match(said.partition(',')[0]):
        behind = _behind_a_remark(said)  # `I am thirsty, so could you give me the cup?`
        if behind is not None:
            return behind
    if asks or said.rstrip(' "”’)').endswith('?'):
        return SaidSentence(Mood.QUESTION, said, text)
    if is_rule(said):
        return SaidSentence(Mood.RULE, said, text)
    if _is_imperative(said) or puts_all(said):
        return SaidSentence(Mood.REQUEST, said, text)
    return _behind_a_remark(said) or SaidSentence(Mood.STATEMENT, said, text)


def _behind_a_remark(said: str) -> SaidSentence | None:
    """What is asked for or forbidden behind a remark.

    The request in `my hands are dirty, give me the towel` has to be understood without the remark. Forbidden is also
    what stands behind a statement about anything else: `Ben is wrong, never move the pear`.
    """
    without_reason = _REASON.sub('', said)
    remark, mark, rest = re.sub('[;:–—]', ',', without_reason).partition(',')
    if not mark or _REFERS_BACK.search(rest) or _CALLED.match(rest):
        return None
    inner = _sentence(rest.strip())
    if inner.mood is Mood.FORBID and _STATES.match(remark):
        return inner if any(word == 'touch' or is_handling(word) for word in inner.asked.lower().split()[:4]) else None
    is_quoting = without_reason[len(remark)] == ':' and _QUOTES.search(remark) is not None
    if inner.mood is not Mood.REQUEST or is_quoting:
        return None
    return SaidSentence(Mood.REQUEST, inner.asked, said) if is_remark(remark) else None


def is_exclamation(text: str) -> bool:
    """Whether a sentence is only an exclamation or a greeting: `Great!`, `Okay.`"""
    return EXCLAMATION.match(text) is not None


def handles_it(text: str) -> bool:
    """Whether a text asks to handle something that was spoken of before: `take it out again`."""
    return _HANDLES_IT.match(text) is not None


def may_ask(text: str) -> bool:
    """Whether a text that was not understood as a request has words of one, or is just things and a place."""
    return _ASKS_SOMEWHERE.search(text) is not None or is_just_things_somewhere(text)


def asks_inside(text: str) -> bool:
    """Whether a request stands inside a text that reports nothing: `sudo give me the cup`, but not `Bob put …`."""
    match = _ASKS_INSIDE.match(text)
    before = text[: match.start('verb')].split() if match is not None else []
    return match is not None and not (before and before[-1][0].isupper())


def is_remark(text: str) -> bool:
    """Whether a statement is only about people or times: `it is late`, but not `it is the red one`."""
    words = re.findall(r'[a-z]+', text.lower())
    return _REMARK.match(text.strip()) is not None and not any(
        lexicon().knows(lexicon().singular(word)) or lexicon().colour(word) for word in words
    )


def _asked_for(said: str) -> SaidSentence | None:
    """The request in a sentence that begins like one; None for other forms."""
    if _NEGATED.match(said):
        rest = _BUT.split(said, maxsplit=1)[1:]
        mood = _sentence(rest[0]).mood if rest else Mood.FORBID
        asks = mood is Mood.REQUEST or (mood is Mood.RULE and names_place(rest[0]))
        return SaidSentence(Mood.REQUEST if asks else Mood.FORBID, said, said)
    if _CONDITION.match(said) and ',' in said:
        condition, _, main = said.partition(',')
        inner = _sentence(main.strip())
        if inner.mood is Mood.REQUEST:
            return SaidSentence(Mood.REQUEST, f'{condition}, {inner.asked}', said)
        return None
    if _EXCEPTION.match(said) and (behind := _behind_an_exception(said)) is not None:
        return behind
    if _ENOUGH.match(said):
        return SaidSentence(Mood.REQUEST, said, said)
    if match := GERUND.match(said):
        return SaidSentence(Mood.REQUEST, _from_gerund(match['asked']), said)
    if _DOUBTED.search(said) and not _PLEASE.search(said):
        return SaidSentence(Mood.QUESTION, said, said)
    if match := POLITE.match(said):
        asked = without_opening(match['asked'])
        if _ASKS_TO_TELL.match(asked) or re.match(
            r'(?:see|hear|know|remember|believe|imagine|say|guess|feel)\b', asked, re.I
        ):
            return SaidSentence(Mood.QUESTION, asked, said)
        if re.match(r'have (?:\w+ed|put|given|laid|set|taken|brought|done|made)\b', asked, re.IGNORECASE):
            return SaidSentence(Mood.STATEMENT, said, said)
        if re.match(r'(?:not|never)\b', asked, re.IGNORECASE):
            return SaidSentence(Mood.FORBID, said, said)
        return SaidSentence(Mood.REQUEST, asked, said) if _begins_with_a_verb(asked) else None
    if (match := AIM.match(said)) and is_handling(match['verb']) and not is_finite(said):
        return SaidSentence(Mood.REQUEST, match['asked'], said)
    if match := WISHED.match(said):
        return SaidSentence(
            Mood.REQUEST, f'put {match["what"] or match["what2"] or match["what3"]} {match["where"]}', said
        )
    if (match := _NAMED_POLITELY.match(said)) and _is_named(match['what']):
        return SaidSentence(Mood.REQUEST, f'give me {match["what"]}', said)
    if match := WANTED.match(said):
        # `We need the tools in box 1` says where they should be, unlike `can I have the tools in box 1?`
        is_placed = _SOMEWHERE.search(match['asked']) and re.match(r'(?:i|we)\b', said, re.IGNORECASE)
        return SaidSentence(Mood.REQUEST, f'{"put" if is_placed else "give me"} {match["asked"]}', said)
    return None


def _behind_an_exception(said: str) -> SaidSentence | None:
    """The request in `with the exception of the pear, put the fruit in box 1`, together with the exception."""
    for comma in re.finditer(', ', said):
        inner = _sentence(said[comma.end() :])
        if inner.mood in (Mood.REQUEST, Mood.RULE):
            return SaidSentence(inner.mood, f'{said[: comma.start()]}, {inner.asked}', said)
    return None


def _is_named(what: str) -> bool:
    """Whether a few words are just the name of a thing, or `something to drink`."""
    words = what.lower().split()
    if words[0] == 'something' and len(words) > 1:
        return True
    return lexicon().knows(lexicon().singular(words[-1])) and not any(
        word in PREPOSITIONS | _WORDS_OF_QUESTIONS or verb(word) is not None for word in words[:-1]
    )


def _from_gerund(text: str) -> str:
    if text.lower().startswith('first '):
        return f'first {_from_gerund(text[6:])}'
    first, _, rest = text.partition(' ')
    known = verb(first.lower())
    base = known.lemma if known is not None else re.sub('ing$', '', first)
    return f'{base} {rest}'


def _is_imperative(said: str) -> bool:
    if _SPOKEN_TO.match(said) or not _begins_with_a_verb(said) or (_EXCEPTION.match(said) and ',' in said):
        return False
    if _IMPERATIVE_TRAP.match(said) and not _gets_a_thing(said):
        return False
    first, second, *_ = [*said.lower().split(), '', '']
    if first.removesuffix(',') in _BEFORE_A_VERB and first.endswith(','):
        return _is_imperative(said.partition(' ')[2])
    if first.rstrip(',!') in _BEFORE_A_GERUND and (
        first[-1:] in (',', '!') or second.strip('.,!').endswith('ing') or second in _WHATEVER
    ):
        return True
    if (
        first not in _BEFORE_A_VERB | _VERBS_OF_NO_ACTION
        and verb(first) is None
        and verb(second.strip('.,!')) is not None
    ):
        # Somebody did something, as in `Bob put …`.
        return False
    # Many sentences that ask for nothing begin with a word that is not known as a verb. In `first the pear into box 2,
    # then the apple once it is there`, only a condition tells something.
    main = _WHEN.split(said)[0] if first in _BEFORE_A_VERB else said
    return verb(first) is not None or not (first.endswith('ing') or first.endswith(',') or is_finite(main))


def _gets_a_thing(said: str) -> bool:
    """Whether a sentence asks to get a thing, as in `get a tomato`, but not `get a grip`."""
    match = _GET_ONE.match(said)
    return match is not None and lexicon().knows(lexicon().singular(match['noun'].lower()))


def _begins_with_a_verb(text: str) -> bool:
    """Whether the first word is a verb in its base form, as in an imperative."""
    first = re.match(r"[a-z']+", text.strip(), re.IGNORECASE)
    if first is None:
        return False
    known = verb(first.group().lower())
    return known is None or known.lemma == first.group().lower()
