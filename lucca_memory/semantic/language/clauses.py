"""Splitting a text into sentences and clauses, and telling clauses that state something from those that ask."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lucca_memory.retrieval.analysis import STOP_WORDS, WORD, words_of
from lucca_memory.words import word_pairs, word_set

_SENTENCE = re.compile(
    r'(?<!\b[A-Z]\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bSt\.)(?<=[.!?])\s+(?=[A-Z0-9"“])'
)
_ASIDE = re.compile(
    r'^(?:by the way|for (?:context|reference|the record)|'
    r"for what it's worth|just so you know|fyi|in case it matters|also|"
    r'(?:as|on) (?:an?|the) (?:aside|side note|note)|anyway|note that|keep in mind that|'
    r'(?:maybe |perhaps )?(?:it|this) (?:may |might |could )?'
    r'(?:helps?|matters?|is (?:relevant|of interest))(?: to know)? that|'
    r'(?:i guess |i think )?(?:you|it) (?:(?:should|might|may|can|could|would|want to|need to|also|just) )*'
    r'(?:know|(?:helps?|be good|be useful|is good|is useful|is worth) '
    r'(?:to )?(?:know|knowing|mention|mentioning|note))(?: that)?|'
    r'(?:i|we) (?:(?:should|must|might|may|can|could|just|also|want to|wanted to|have to|forgot to|would like to) )*'
    r'(?:mention|mentioned|say|add|note|tell you|told you|think|believe|guess|know|mean)(?: that)?),?\s+',
    re.IGNORECASE,
)
_LEADING = re.compile(
    r'^(?:since|because|as|while|although|though|now that|given that)\s+([^,]+),\s+(.+)$', re.IGNORECASE
)
_JOINT = re.compile(
    r',?\s+(?=(?:which|because|since|although|though|while|whereas)\b)|'
    r',\s+(?=(?:and|but|so|if|when|as|or|in case|just|by the way|for what|you know)\b)|;\s+|\s+[-–—]\s+',
    re.IGNORECASE,
)
_ASKING = (
    r'(?:(?:can|could|would|will) (?:you|we|i|it|that|this)\b|'
    r'(?:should|shall|may|do|does|did|am|is|are|was) (?:i|we|you|it|that|this|there|they|those)\b|'
    r'what (?:is|are|was|do|does|did|can|could|should|would|will|if|about|other|else|kinds?|types?)\b|'
    r"what's\b|how (?:can|could|do|does|did|should|would|will|much|many|long|might|about)\b|"
    r'(?:where|when|why) (?:can|could|do|does|did|should|would|will)\b|'
    r"i(?:'m| am| was)? wonder(?:ing)?\b|"
    r'any (?:ideas?|advice|tips|suggestions|thoughts|recommendations)\b)'
)
_TAIL = re.compile(
    rf'(?:[,;:]|\s[-–—])\s+(?:(?:and|but|so|or|then)\s+)?(?={_ASKING})|'
    r'\s+(?:and|but|so)\s+(?=(?:(?:can|could|would) you|how (?:can|do|should|could) (?:i|we|you))\b)',
    re.IGNORECASE,
)
"""Where a sentence that began by telling something goes on to ask: "My train leaves at six, can you wake me?"."""
_BEGINS_ASKING = re.compile(
    r'\W*(?:(?:so|and|but|well|ok|okay|hey|hi|also|or|then)\W+)*'
    r"(?:what|what's|which|who|whose|when|where|why|how|do|does|did|is|are|am|was|were|has|have|had|can|could|would|will|"
    r'should|shall|may|if|unless|whether|suppose|assuming)\b',
    re.IGNORECASE,
)

_REFERS = re.compile(r"\W*(?:and|but|so|though)?\W*(?:which|it|it's|that|this)\b", re.IGNORECASE)
_PRONOUNS = frozenset(['he', 'she', 'they', 'it', 'this', 'that', 'these', 'those'])
_CONFIRMS = re.compile(
    r'(?:is|was) (?:that|this|it) (?:right|correct|true|so|ok|okay|it)\b|am i (?:right|wrong|correct)\b|'
    r'(?:do|did) i (?:have|get|remember|recall|understand) (?:that|it|this)\b',
    re.IGNORECASE,
)
"""Questions that put what was told before them in doubt."""
_GREETING = re.compile(
    r'^(?:(?:hello|hi|hey|good (?:morning|afternoon|evening|night|day)|dear|thanks|thank you|please|ok|okay|oh|well|so|'
    r'right|robot|sorry|excuse me)\b[^,.!]*[,.!]\s*)+',
    re.IGNORECASE,
)
_ADDRESSED = frozenset(['you', "you're", "you've", "you'll", "you'd", 'your', 'please', "let's", 'let', 'thanks'])
_PRONOUNS_WITH_VERB = frozenset(
    ['i', 'we', 'he', 'she', 'they', "i'm", "i've", "i'll", "we're", "we've", "we'll", "he's", "she's", "they're"]
)
_SUBJECT_BEGINS = _PRONOUNS_WITH_VERB | word_set('subject_begins')
_TENSED = word_set('tensed')
_PASTS = frozenset(word_pairs('irregular_pasts')) | word_set('happened')
_AFTER_PLURALS = frozenset(['', 'of', 'and', 'or', 'with', 'that', 'which', 'who', 'mine', 'is', 'are', 'please'])
"""Words after which a word in -s was no verb: "my little robots of mine"."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence. `asks`: it asks or supposes something, and so states nothing."""

    text: str
    asks: bool


def sentences_of(text: str) -> list[str]:
    """Splits a text into sentences; one that begins with a pronoun stays with the sentence it refers to."""
    parts: list[str] = []
    for sentence in _SENTENCE.split(text.strip()):
        # "It may help to know that ..." refers to nothing.
        words = words_of(_ASIDE.sub('', sentence))
        if parts and words and (words[0] in _PRONOUNS or len(words) < 3):
            parts[-1] = f'{parts[-1]} {sentence}'
        else:
            parts.append(sentence)
    return [part for part in parts if part.strip()]


def clauses_by_sentence(text: str) -> list[list[Clause]]:
    """The clauses of each sentence, in order."""
    return [list(_clauses(sentence)) for sentence in _SENTENCE.split(text.replace('’', "'").strip())]


def linked_clauses(text: str) -> list[str]:
    """The clauses that state something; one that refers back ("which is 20 euros now") with the one before it."""
    found: list[str] = []
    for clause in (clause for clauses in clauses_by_sentence(text) for clause in clauses):
        if clause.asks:
            continue
        if found and _REFERS.match(clause.text):
            found[-1] = f'{found[-1]} {clause.text}'
        else:
            found.append(clause.text)
    return found


def told_before_asked(text: str) -> list[str]:
    """The clauses beside a question that state something: "My train leaves at six, can you wake me?".

    Greetings and orders state nothing.
    """
    return [
        clause.text
        for clauses in clauses_by_sentence(text)
        for clause in clauses
        if not clause.asks and _states_something(clause.text)
    ]


def _clauses(sentence: str) -> Iterator[Clause]:
    told, asked = _told_and_asked(_ASIDE.sub('', sentence))
    leading = _LEADING.match(told)
    for part in (leading.groups() if leading else (told,)) if told else ():
        for clause in _JOINT.split(part):
            yield Clause(_ASIDE.sub('', clause), False)
    if asked:
        yield Clause(asked.rstrip(' ?'), True)


def _told_and_asked(sentence: str) -> tuple[str, str]:
    """The part of a sentence that tells, and the part that asks; either may be empty."""
    if not sentence.rstrip().endswith('?'):
        # "The tent, what is left of it, lies in the cellar" asks nothing.
        return sentence, ''
    tail = _TAIL.search(sentence)
    if tail is None or _BEGINS_ASKING.match(sentence) or _CONFIRMS.match(sentence[tail.end() :]):
        return '', sentence
    return sentence[: tail.start()], sentence[tail.end() :]


def _states_something(clause: str) -> bool:
    """True if a clause has a subject other than "you" and a verb with a tense; in doubt, it has none."""
    words = WORD.findall(_GREETING.sub('', clause.strip()).lower())
    first, rest = words[:1], words[1:]
    if not rest or first[0] in _ADDRESSED:
        return False
    begins = first[0] in _SUBJECT_BEGINS or _has_tense(rest[0], *rest[1:2])
    return begins and (first[0] in _PRONOUNS_WITH_VERB or any(map(_has_tense, rest, [*rest[1:], ''])))


def _has_tense(word: str, after: str = '') -> bool:
    """True for "is", "gave", "moved", and for "leaves" before a word that may follow a verb."""
    if word in _TENSED or word in _PASTS or word.endswith(("'s", "'re", "'ve", "'ll")):
        return True
    if word in STOP_WORDS or word.endswith('ss'):
        return False
    return word.endswith('ed') or (word.endswith('s') and after not in _AFTER_PLURALS)
