"""The gate for words that a small model writes: sentences that claim, copy or repeat are not spoken."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lucca_language.words.word_sets import any_of
from lucca_llm.small_talk import claims_deeds_or_finds, has_marks
from lucca_memory.retrieval.analysis import STOP_WORDS, stem_of, words_of

_MOST_CHARS = 240
_COPIED_RUN = 6
"""Words in a row that are copied from the prompt if they stand there as well."""
_LEAST_WORDS = 2
"""Words of a sentence that may be spoken alone."""
_ABOUT_SOMEBODY = re.compile(
    r"\byou(?:'re| are| have|'ve| were| had| like| love| live| work| said| told| want| went| did)\b|"
    r'\byour (?:\w+ ){1,3}(?:is|are|was|were|has|have|will)\b|\b(?:he|she|they|his|her|their)\b',
    re.IGNORECASE,
)
"""Words of a claim about a person. The model must have been shown every word of a sentence with one of them."""
_BY_THEMSELVES = re.compile(
    r'^(?:(?:oh|well|yes|no|hello|hi|good|nice|great|sure|okay|thanks|thank you)\b[,!]? )*(?:i|you)\b|'
    r'^(?:what|which|how|where|when|why|do|did|are|were|have|would|will|can|could)\b.*\byou\b.*\?$',
    re.IGNORECASE,
)
"""A sentence about the robot itself or the person, or a question to them: it tells nothing about anything else."""
_NAMES = re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]*|\b\d[\w:.]*")
_NOT = re.compile(r"\b(?:not|no|never|nobody|nothing|none)\b|n't\b", re.IGNORECASE)
_PREFACE = re.compile(r'^you (?:have )?(?:told me|said|mentioned)(?: that)?[:,]? ', re.IGNORECASE)
_PERSONS = {
    **dict.fromkeys(('me', 'you'), 'i'),
    **dict.fromkeys(('your',), 'my'),
    **dict.fromkeys(('yours',), 'mine'),
    **dict.fromkeys(('am', 'are'), 'is'),
    'were': 'was',
    "i'm": 'i is',
    "you're": 'i is',
    "i've": 'i have',
    "you've": 'i have',
}
"""Words that change when the robot says to somebody what they said of themselves."""
_OF_OTHERS = re.compile(r'\b(?:you|your|yours|he|she|they|him|them|his|her|their|we|us|our|ours)\b', re.IGNORECASE)
_OF_A_MODEL = re.compile(
    r'\b(?:language model|an ai\b|artificial intelligence|assistant|openai|hugging ?face|smollm|trained (?:on|by))',
    re.IGNORECASE,
)
_GOODBYE = re.compile(r'\b(?:bye|goodbye|farewell|good night|see you)\b', re.IGNORECASE)
_ROLE = re.compile(r"^[\w' ]{1,30}(?: said| says)?:\s+")
_TELLING = frozenset(
    stem_of(word)
    for word in any_of(
        'tell told say said mention mentioned remember remembered recall know earlier today yesterday ago time day '
        'last ask asked answer sure well good nice glad welcome hello hi bye goodbye see sorry okay right thank '
        'thanks please let talk called name sound sounds lovely great fine'
    )
)
"""Words with which something is told, and which claim nothing by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the model was shown.

    Attributes:
        said: what the person said.
        known: the lines that the answer rests on.
        names: names of the person and of the robot.
        prompt: the text that must not be copied.
        strict: whether every word has to stand in `known`, as in an answer from memory. What was asked does not count:
            from “my cat is called Rollo”, “what is my dog called?” must not become “Your dog is called Rollo”.
        told: what the person said, if the answer has to say exactly that, with `you` instead of `I`.
        of_the_world: whether names may be told that stand nowhere, as in an answer from general knowledge.
        greets: whether the person has greeted, so that a goodbye is no answer.
    """

    said: str
    known: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    prompt: str = ''
    strict: bool = False
    told: tuple[str, ...] | None = None
    of_the_world: bool = False
    greets: bool = False


class FitWords:
    """Passes on the sentences of one answer that are fit to be spoken, at most `most` of them.

    Args:
        shown: what the model was shown.
        speak: receives each sentence.
        most: the number of sentences.
        spoken_before: sentences that are not said once more.
    """

    def __init__(
        self, shown: Shown, speak: Callable[[str], None], *, most: int, spoken_before: Iterable[str] = ()
    ) -> None:
        self._shown = shown
        self._speak = speak
        self._most = most
        self._before = {_plain(item) for item in spoken_before}
        seen = ' '.join((*shown.known, *shown.names, *(() if shown.strict else (shown.said,))))
        self._words = content_of(seen) | _TELLING
        self._shown_text = seen.casefold()
        self.spoken: list[str] = []
        self.dropped: list[str] = []

    @property
    def is_full(self) -> bool:
        """Whether no more sentences are wanted: enough were spoken, or the model has begun to go astray."""
        return len(self.spoken) >= self._most or len(self.dropped) >= 2

    def take(self, sentence: str) -> None:
        """Speaks a sentence if it is fit."""
        text = _ROLE.sub('', sentence.strip().strip('"“”').replace('’', "'")) if not self.spoken else sentence.strip()
        if self.is_full or not text:
            return
        if self.fault_of(text):
            self.dropped.append(text)
            return
        self.spoken.append(text)
        self._speak(text)

    def fault_of(self, sentence: str) -> str:
        """Why a sentence is not fit to be spoken; empty if it is."""
        plain = _plain(sentence)
        words = plain.split()
        if not words or len(sentence) > _MOST_CHARS or not sentence.isprintable() or has_marks(sentence):
            return 'form'
        if plain in self._before or plain in {_plain(item) for item in self.spoken} or _loops(words):
            return 'repeats'
        if _copies(words, _plain(self._shown.prompt).split()) or (plain == _plain(self._shown.said) and len(words) > 1):
            return 'copies'
        if _OF_A_MODEL.search(sentence):
            return 'about the model'
        if self._shown.greets and _GOODBYE.search(sentence):
            return 'a goodbye'
        if self._shown.told is not None:
            is_told = _said_to(_PREFACE.sub('', sentence)) in {_said_to(item) for item in self._shown.told}
            return '' if is_told else 'not told'
        unshown = content_of(sentence) - self._words
        turned = denies(sentence) != denies(self._shown_text)
        if self._shown.strict:
            return 'not shown' if unshown or (turned and denies(sentence)) or plain == 'yes' else ''
        if claims_deeds_or_finds(sentence):
            return 'claims'
        if not self._shown.of_the_world and any(
            name.casefold() not in self._shown_text for name in _NAMES.findall(sentence)
        ):
            return 'names'
        if (unshown or turned) and _ABOUT_SOMEBODY.search(sentence):
            return 'about somebody'
        if unshown and not self._shown.of_the_world and not _BY_THEMSELVES.search(sentence):
            return 'about something'
        return ''


def content_of(text: str) -> frozenset[str]:
    """The stems of a text's words, without function words."""
    return frozenset(stem_of(word) for word in words_of(text) if word not in STOP_WORDS)


def denies(text: str) -> bool:
    """Whether a text holds a negation."""
    return _NOT.search(text.replace('’', "'")) is not None


def can_be_retold(text: str) -> bool:
    """Whether a person can be told what they said in other words: one sentence of theirs that denies nothing.

    Of what is said of others or to the robot, `you` may mean somebody else afterwards.
    """
    return not (denies(text) or _OF_OTHERS.search(text) or re.search(r'[.!?;:]\s', text.strip()))


def _said_to(text: str) -> str:
    """The words without articles, and with one person for all: `your boat is red` is `my boat is red`."""
    words = [_PERSONS.get(word, word) for word in _plain(text.replace('’', "'")).split()]
    return ' '.join(word for word in words if word not in ('a', 'an', 'the'))


def _plain(text: str) -> str:
    return ' '.join(re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.casefold()))


def _loops(words: list[str]) -> bool:
    """Whether three words in a row come three times."""
    runs = [tuple(words[at : at + 3]) for at in range(len(words) - 2)]
    return any(runs.count(run) >= 3 for run in runs)


def _copies(words: list[str], prompt: list[str]) -> bool:
    """Whether a run of words stands in the prompt as well."""
    theirs = {tuple(prompt[at : at + _COPIED_RUN]) for at in range(len(prompt) - _COPIED_RUN + 1)}
    return any(tuple(words[at : at + _COPIED_RUN]) in theirs for at in range(len(words) - _COPIED_RUN + 1))
