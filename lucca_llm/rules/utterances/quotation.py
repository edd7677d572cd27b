"""Quotations: the remembered sentence that answers a question, found by shared words."""

import re
from collections.abc import Sequence

from lucca_language.words.morphology import verb_lemmas
from lucca_language.words.verbs import verb
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompts.conversation_prompt import ROBOT, PromptMemory

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE = re.compile(r'(?<=[.!?])\s+')
_LEAST_SHARE = 0.6
"""Share of a question's words that a sentence must hold. Above one half, so that two words must both match."""

_FUNCTION = any_of(
    'a an and are as at be been being but by can could did do does doing for from had has have having he her hers '
    'him his how '
    'i if in into is it its just me my mine of on or our ours she so some such than that the their them then there '
    'these they '
    'this those to too us was we were what when where which while who whom whose why will with would you your '
    'yours am about '
    'any please tell know remember recall say said mention mentioned ever again now not no yes also every much '
    'many kind sort '
    'got get whats im ive id hello hi hey robot thing something anything one ones shall should may might'
)
_ALIKE = {
    'called': 'name', 'named': 'name', 'names': 'name', 'favorite': 'favourite', 'prefer': 'favourite', 'mum': 'mother',
    'mom': 'mother', 'dad': 'father', 'located': 'where', 'lives': 'live', 'lived': 'live', 'living': 'live',
    'kids': 'child', 'children': 'child', 'opens': 'open', 'opening': 'open', 'opened': 'open', 'closes': 'close',
    'closing': 'close', 'bought': 'buy', 'told': 'tell', 'moved': 'move', 'flown': 'fly', 'flying': 'fly',
    'born': 'birthday',
}  # fmt: skip


def content_words(text: str) -> frozenset[str]:
    """The content words of a text, in a base form."""
    found = []
    for raw in _WORD.findall(text.lower().replace('’', "'")):
        word = raw.removesuffix("'s")
        if word in _FUNCTION or word.replace("'", '') in _FUNCTION:
            continue
        word = _ALIKE.get(word, word)
        lemma = verb_lemmas(word)[0] if len(word) > 3 else word
        found.append(lemma.removesuffix('e'))
    return frozenset(found)


_SINGLES = content_words('favourite first best worst only oldest youngest')
"""Words that single one thing out: what does not say them answers another question."""

_VAGUE = content_words('next need want step steps start begin plan plans go ready do set help')
"""Words that alone ask for nothing that could be quoted: "what's the next step?"."""

_MINE = re.compile(r"\b(?:i|my|mine|me|i'm|i've|i'd|i'll)\b", re.IGNORECASE)

_PHRASE_WORDS = 5
"""Most words of something that is asked for by its name alone."""

_SHORTEST_PAST = 3
"""Letters of "red" and "bed", which are no verbs."""
_SAYS = any_of(
    "i you he she it we they this that i'm i've i'd i'll you're you've we're we've he's she's it's they're "
    'am are be can could did do does had has have is may might must shall should was were will would '
    "don't doesn't didn't isn't aren't can't won't "
    'ate bought broke came fell felt flew forgot found gave got grew kept knew left lost made met paid ran read rode '
    'said sang saw sent sold spent swam taught told took went won wrote'
)
"""Subjects, and forms that are certainly verbs."""


def is_bare_phrase(text: str) -> bool:
    """Whether a text may be the name of a thing, such as "the gym locker code": a few words that say nothing.

    "Lock" and "handle" are names of things, so only inflected forms count as verbs. A number says something.
    """
    words = [word.replace('’', "'") for word in _WORD.findall(text.lower())]
    return 0 < len(words) <= _PHRASE_WORDS and not any(
        word in _SAYS
        or any(map(str.isdigit, word))
        or (len(word) > _SHORTEST_PAST and word.endswith('ed'))
        or (word.endswith('s') and verb(word) is not None)
        for word in words
    )


def is_question(text: str) -> bool:
    """Whether a text is a question."""
    return text.rstrip('"”’) ').endswith('?') or _ASKS.match(text) is not None


_ASKS = re.compile(
    r'^(?:(?:and|so|but|ok|okay|well|hey|please|robot)[,\s]+)*(?:what|who|whom|whose|where|when|which|why|how|does|'
    r'did|is|are|was|were|has|had|am|(?:do|have) (?:i|you|we|they)|tell me|'
    r"can you (?:tell|say|remember)|could you (?:tell|say)|do you (?:know|remember)|what's|who's|where's|when's)\b",
    re.IGNORECASE,
)


_PAST = re.compile(
    r'\b(?:before|used to|previous(?:ly)?|formerly|earlier|back then|in the past|at first)\b', re.IGNORECASE
)

_NAMES = re.compile(r'(?<=[\w,;:] )[A-Z][^\W_]*|\b\d+\b')
"""Names and numbers in a question, all of which an answer must hold."""


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, without the space around them."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def best_answer(
    question: str, memories: Sequence[PromptMemory], names: Sequence[str] = ()
) -> tuple[PromptMemory, str] | None:
    """The memory and sentence with most of the question's words, the newest of equal ones; None if none has enough.

    Memories that still hold come first, unless the question asks about the past.

    Args:
        question: the question.
        memories: what was retrieved. Questions and the robot's own words are skipped.
        names: names of the person who asks, which are ignored in the question.
    """
    own = content_words(' '.join(names))
    # Words such as `used to` ask about the past; answers do not hold them.
    wanted = content_words(_PAST.sub(' ', question)) - own
    names_asked = content_words(' '.join(_NAMES.findall(question))) - own
    past = _PAST.search(question) is not None
    of_asker = _MINE.search(question) is not None or bool(own & content_words(question))
    best: tuple[int, float, bool, str, int, PromptMemory, str] | None = None
    if not wanted - _VAGUE:
        return None
    for number, memory in enumerate(memories):
        if memory.speaker == ROBOT or memory.kind == 'task':
            continue
        heading = memory.text.partition(': ')[0] if memory.kind == 'fact' and ': ' in memory.text else ''
        for sentence in sentences_of(memory.text):
            if is_question(sentence) or sentence.startswith('('):
                continue
            if memory.kind in ('said', 'statement') and is_bare_phrase(memory.text):
                continue  # somebody asked for it by its name
            if of_asker and memory.speaker not in ('', 'guest', *names) and _MINE.search(sentence):
                continue  # what somebody else says of themselves
            held = content_words(f'{heading} {sentence}')
            share = len(wanted & held) / len(wanted)
            if share < _LEAST_SHARE or not names_asked | wanted & _SINGLES <= held or not held - wanted - own:
                continue
            held_to = {'': 3, 'maybe': 2, 'partly': 1, 'all': 0}[memory.outdated]
            # A summary repeats what was said, without the day of each sentence.
            said = memory.kind != 'summary'
            candidate = (-held_to if past else held_to, share, said, memory.date, number, memory, sentence.strip())
            # On the same day the later one wins: prompts show the newest last.
            if best is None or candidate[:5] > best[:5]:
                best = candidate
    return None if best is None else (best[5], best[6])
