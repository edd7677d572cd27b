"""Matching of free transcripts to commands: the most similar sentences of the book, and how certain one of them is.

A recogniser of free speech may write "put the red cube into marks one" for "put the red cube in box one". The same
model scores both hypotheses against the sound; the decision depends on how much better the free one fits.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from speech_node.hearing.command_book import CommandBook
from speech_node.interfaces import Intent

NEAREST = 8
"""Number of sentences scored. In the voices used to choose it, no sentence really said was further down the list.

With a second model, only the first half is sure to be scored; the others are those that fit the sound best for it.
"""
NEAR = 32
"""Number of sentences among which a second model chooses those that are scored."""
SHARPNESS = 0.6
"""Factor for scores. A model's scores are too extreme, because the words of one hypothesis are not independent."""
UNHEARD_SHARE = 0.75
"""The share of a command's unheard score that is subtracted from its score.

In the language that a model has read, commands are unlikely sentences, and the longer the less likely. Beside a table
they are not, so only what the sound itself says for them should count.
"""
COMMAND_BONUS = -1.0
"""Natural logarithm of how much likelier a command is than a free hypothesis, if both fit the sound equally well."""
GUESS_BONUS = 1.0
"""The same for a command that another recogniser heard as well."""
WRITTEN_BONUS = 2.0
"""The same for a command that the model, told the words of the commands, wrote down word for word.

It is also how much likelier this command alone is than a longer sentence that fits the sound equally well.
"""
_OTHER_ANSWERS = {'yeah': 'yes', 'yep': 'yes', 'nope': 'no'}
"""Other words for the answers that a book has; a question may be answered with any of them."""

_RATHER_VERBS = frozenset(('can',))
"""Names that are nouns only soon after a determiner: "the tomato can" is a thing, "can I have a coffee" names none."""
_DETERMINERS = frozenset(('a', 'the', 'my', 'your', 'our', 'their'))


class Hypothesis(NamedTuple):
    """A sentence and the natural logarithm of its likelihood given the sound.

    `unheard` is the logarithm of the likelihood that the model gives the sentence without any sound.
    """

    sentence: str
    score: float
    unheard: float = 0.0


@dataclass(frozen=True, slots=True)
class CommandChoice:
    """The likeliest command and its probability, 0 to 1, among everything that was compared."""

    sentence: str
    intent: Intent
    probability: float


def spoken_form(text: str, book: CommandBook) -> str:
    """A transcript in lower-case words as the book has them: `Box 1!` becomes `box one`, and `Yeah` becomes `yes`."""
    back = {written: word for word, written in book.written.items()}
    back |= {other: word for other, word in _OTHER_ANSWERS.items() if word in book.sentences}
    return ' '.join(back.get(word, word) for word in re.findall(r"[a-z0-9']+", text.lower().replace('’', "'")))


def nearest_sentences(book: CommandBook, heard: Sequence[str], count: int = NEAREST) -> tuple[str, ...]:
    """The sentences of a book that resemble any of the transcripts most in writing, nearest first."""
    forms = [form for text in heard if (form := spoken_form(text, book))]
    if not forms:
        return ()
    matchers = [SequenceMatcher(None, '', form, autojunk=False) for form in dict.fromkeys(forms)]

    def likeness(sentence: str) -> float:
        best = 0.0
        for matcher in matchers:
            matcher.set_seq1(sentence)
            # The quick ratio is never below the ratio, so most ratios need not be computed.
            if matcher.quick_ratio() > best:
                best = max(best, matcher.ratio())
        return best

    return tuple(sorted(book.spoken, key=likeness, reverse=True)[:count])


def choose(
    book: CommandBook, commands: Sequence[Hypothesis], free: Sequence[Hypothesis], guess: str = '', written: str = ''
) -> CommandChoice | None:
    """The likeliest command, with the hypotheses of free speech as competitors; None if there is no command.

    `guess` is the sentence that another recogniser heard, and `written` what the model wrote down when it was told the
    words of the commands; both may be empty. Sentences with the same meaning support each other. A free hypothesis that
    is itself a command is not a competitor.
    """
    if not commands:
        return None
    guessed, noted = book.spoken.get(guess), book.spoken.get(spoken_form(written, book))
    weights = [
        SHARPNESS * (hypothesis.score - UNHEARD_SHARE * hypothesis.unheard)
        + COMMAND_BONUS
        + (GUESS_BONUS if book.spoken[hypothesis.sentence] == guessed else 0.0)
        + (WRITTEN_BONUS if book.spoken[hypothesis.sentence] == noted else 0.0)
        for hypothesis in commands
    ]
    against = [
        SHARPNESS * hypothesis.score for hypothesis in free if spoken_form(hypothesis.sentence, book) not in book.spoken
    ]
    highest = max([*weights, *against])
    meant: dict[Intent, float] = {}
    best: dict[Intent, Hypothesis] = {}
    for hypothesis, weight in zip(commands, weights, strict=True):
        intent = book.spoken[hypothesis.sentence]
        meant[intent] = meant.get(intent, 0.0) + math.exp(weight - highest)
        best[intent] = max(best.get(intent, hypothesis), hypothesis, key=lambda one: one.score)
    intent = max(meant, key=lambda one: meant[one])
    everything = sum(meant.values()) + max((math.exp(weight - highest) for weight in against), default=0.0)
    return CommandChoice(best[intent].sentence, intent, meant[intent] / everything)


def names_something(text: str, book: CommandBook) -> bool:
    """Whether a transcript contains an object, a task or a person of the book, or the word `task`."""
    words = spoken_form(text, book).split()
    named = _named(book.slots) | {'task'}
    return any(
        word in named and (word not in _RATHER_VERBS or not _DETERMINERS.isdisjoint(words[max(0, place - 2) : place]))
        for place, word in enumerate(words)
    )


def _named(slots: Mapping[str, tuple[str, ...]]) -> set[str]:
    """The last word of each name: `cube` stands for `red cube`, but `red` alone stands for nothing."""
    return {name.split()[-1] for fillers in slots.values() for name in fillers}


def context(book: CommandBook) -> str:
    """One sentence for each pattern of the book, with all names in turn: context for a recogniser."""
    said, turns = [], dict.fromkeys(book.slots, 0)
    for phrase in book.phrases:
        if phrase.slot and phrase.fillers:
            said.append(phrase.pattern.replace(phrase.slot, phrase.fillers[turns[phrase.slot] % len(phrase.fillers)]))
            turns[phrase.slot] += 1
        else:
            said.append(phrase.pattern)
    words = set(' '.join(said).split())
    rest = [name for fillers in book.slots.values() for name in fillers if not set(name.split()) <= words]
    return '. '.join(dict.fromkeys([*said, *rest])) + '.'
