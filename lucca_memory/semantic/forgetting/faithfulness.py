"""Whether a text that a language model wrote may stand for what was said.

What the model writes is not believed. Each of its sentences must be words of one sentence that was said, in their
order, with all its names, numbers, pronouns, denials and doubts; only articles may be added. It may also join several
with "and" if no content word of what is joined is left out. What begins with a pronoun that refers ("it") must follow
the sentence that it followed. No name, number, date or denial may be lost. So a text that passes tells less than what
was said. A word that is left out may still widen it ("the old kiln"). Words of quantity, doubt and time stay, and those
without which the rest says something else ("the boss said I am lazy").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lucca_memory.retrieval.analysis import STOP_WORDS, speaks_of_time, told_share, words_of
from lucca_memory.semantic.forgetting.compression import SEPARATOR
from lucca_memory.semantic.language.lexicon import ARTICLES, DECISIVE, DENIALS, IDLE
from lucca_memory.semantic.language.reading import sentences_of, words_in
from lucca_memory.words import word_set

LEAST_KEPT = 0.5
"""Share of the content words of each text that must be kept: it stands for all of them."""

_ADDED = (ARTICLES & {'a', 'an', 'the'}) | {'and'}
_REFERRING = word_set('referring')
_PRONOUNS = _REFERRING | word_set('talking')
_SENTENCE = re.compile(r'(?<=[.!?…])\s+|\n+')
_JOINT = re.compile(r',?\s+and\s+|,\s+', re.IGNORECASE)
_DIGIT = re.compile(r'\d')
_TOKEN = re.compile(r"(?:(?<!\w)[-+€$£])*[^\W_]+(?:['.,:/-][^\W_]+)*%?")
"""A word, or a number with its sign and unit."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence.

    Attributes:
        text: as it was said.
        words: in their order, without articles and "and".
        facts: its names, numbers, dates and denials.
        bound: the words that must stay: facts, pronouns, and words that decide whether it holds.
        marked: it has words of the last kind.
        content: its content words.
        before: the sentence that it followed.
    """

    text: str
    words: tuple[str, ...]
    facts: frozenset[str]
    bound: tuple[str, ...]
    marked: bool
    content: frozenset[str]
    before: '_Said | None' = None

    @property
    def refers(self) -> bool:
        """True if it begins with a pronoun for something said before."""
        return bool(self.words) and self.words[0] in _REFERRING


def why_unfaithful(text: str, originals: Sequence[str]) -> str:
    """Why a text must not replace the originals, for people; empty if it may."""
    size, before = (len(part.encode('utf-8', 'surrogatepass')) for part in (text, ''.join(originals)))
    if not text.strip():
        return 'it is empty'
    if size >= before:
        return f'it is not shorter: {size} bytes for {before}'
    said = [sentence for original in originals for sentence in _told(original)]
    last: _Said | None = None
    for sentence in _sentences(text):
        if '?' in sentence:
            return f'it asks: {sentence!r}'
        if not _is_told(sentence, said, last):
            return f'nobody said {sentence!r}'
        last = _said(sentence)
    kept = {*_tokens(text), *words_of(text)}
    if lost := sorted({fact for sentence in said for fact in sentence.facts} - kept):
        return f'it leaves out {", ".join(lost)}'
    for original in originals:
        content = frozenset[str]().union(*(sentence.content for sentence in _told(original)))
        if len(content & kept) < LEAST_KEPT * len(content):
            return f'it hardly says {original!r}'
    return ''


@dataclass(frozen=True, slots=True)
class Shortenable:
    """A sentence as a writer may shorten it: each word as written, and whether it must stay.

    `may_go`: the whole sentence may be left out: it has no name, number, date or denial, and no other refers to it.
    """

    words: tuple[tuple[str, bool], ...]
    may_go: bool


def shortenable(text: str) -> list[Shortenable]:
    """The sentences of a text that a general text may say in fewer words; see `why_unfaithful`."""
    found = list[Shortenable]()
    for said in _told(text):
        if said.refers:
            if said.before is None or not found:
                # Nobody could say any more to what it refers.
                continue
            found[-1] = replace(found[-1], may_go=False)
        words = tuple((word, not set(said.bound).isdisjoint(_tokens(word))) for word in said.text.split())
        found.append(Shortenable(words, not said.facts and not said.refers))
    return found


def as_parts(answer: str) -> str:
    """The sentences of an answer, one or more a line, as the parts of a general node.

    A sentence that refers to the one before it is in one part with it.
    """
    parts = list[str]()
    for line in answer.replace(SEPARATOR, '\n').splitlines():
        for sentence in sentences_of(line.strip().removeprefix('- ')):
            bare = ' '.join(sentence.split()).strip(' .!;')
            if parts and _said(bare).refers:
                parts[-1] = f'{parts[-1]}. {bare}'
            elif bare and bare not in parts:
                parts.append(bare)
    return SEPARATOR.join(parts)


def _is_told(sentence: str, said: Sequence[_Said], last: _Said | None) -> bool:
    whole = _said(sentence)
    if whole.refers:
        return last is not None and any(
            _says_part(whole.words, other) and other.before is not None and _says_part(last.words, other.before)
            for other in said
        )
    if any(_says_part(whole.words, other) for other in said):
        return True
    # With a denial or a doubt, it is not certain what "and" joins.
    first, *joined = (_said(phrase) for phrase in _JOINT.split(sentence))
    plain = [other for other in said if not other.marked]
    if whole.marked or not any(_says_part(first.words, other) for other in plain):
        return False
    return all(any(_is_joined(first, phrase, whole, other) for other in plain) for phrase in joined)


def _is_joined(first: _Said, phrase: _Said, whole: _Said, said: _Said) -> bool:
    """True for "coffee" in "I like tea and coffee" if "I like coffee" was said: all of that is in the whole."""
    return said.content <= whole.content and any(
        _says_part((*first.words[:count], *phrase.words), said) for count in range(len(first.words))
    )


def _says_part(words: Sequence[str], said: _Said) -> bool:
    """True if the words are some of a sentence, in their order, and none that must stay is left out."""
    return _in_order(words, said.words) and _in_order(said.bound, words)


def _in_order(words: Sequence[str], others: Sequence[str]) -> bool:
    """True if the words are among the others, in their order."""
    rest = iter(others)
    return all(word in rest for word in words)


def _sentences(text: str) -> list[str]:
    parts = (sentence for part in text.split(SEPARATOR) for sentence in _SENTENCE.split(part))
    return [part for part in parts if part.strip()]


def _told(text: str) -> list[_Said]:
    """The sentences of a text that are no questions."""
    found, before = list[_Said](), None
    for sentence in _sentences(text):
        if told_share(sentence) < 1:
            before = None
            continue
        before = replace(_said(sentence), before=before)
        found.append(before)
    return found


def _said(sentence: str) -> _Said:
    words = tuple(word for word in _tokens(sentence) if word not in _ADDED)
    facts = frozenset(_facts(sentence))
    marks = {word for word in words if _is_mark(word)}
    bound = tuple(word for word in words if word in marks or word in facts or word in _PRONOUNS)
    return _Said(sentence, words, facts, bound, bool(marks), frozenset(_content(sentence)))


def _tokens(text: str) -> list[str]:
    return [match[0] for match in _TOKEN.finditer(text.lower().replace('’', "'"))]


def _denies(word: str) -> bool:
    return word in DENIALS or word.endswith("n't")


def _is_mark(word: str) -> bool:
    # The owner decides, too, what a sentence says: "my sister's dog" is not "my dog".
    return word in DECISIVE or _denies(word) or (word.endswith("'s") and word not in STOP_WORDS)


def _facts(sentence: str) -> set[str]:
    """The names, numbers, dates and denials in a sentence."""
    found = {word for word in _tokens(sentence) if _denies(word) or _DIGIT.search(word) or speaks_of_time(word)}
    words = words_in(sentence)
    for word in words:
        if word.type:
            found.update(_tokens(word.text))
    # The first word is always capitalised, so it may be a name.
    if words and words[0].text[0].isupper() and words[0].key and words[0].stem not in IDLE:
        found.update(_tokens(words[0].text))
    return found


def _content(text: str) -> set[str]:
    return {word for word in words_of(text) if word not in STOP_WORDS}
