"""Unclear requests: what somebody may want done, though the rules did not read it.

A language model may propose a plain request for it (`proposals.py`). Here it is decided which texts are open to that,
and whether a proposal may be asked about. It is never done without a yes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from lucca_core.english import at_place
from lucca_language.reading.noun_parser import GENERIC
from lucca_language.reading.reading import read
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import is_handling
from lucca_llm.model import Message
from lucca_llm.rules.answers.phrases import NO_REQUEST, NOTED, UNKNOWN
from lucca_llm.rules.prompts.conversation_prompt import read_turn, with_said
from lucca_llm.rules.prompts.prompt_reader import call_text
from lucca_llm.rules.prompts.table_view import NUMBERS, ON_TABLE, TableView, read_table_lines
from lucca_llm.rules.utterances.repairs import takes_all_back
from lucca_llm.rules.utterances.task_requests import NO_ACTION, NOT_SEEN, NOT_UNDERSTOOD

_NOT_DONE = (NO_REQUEST, NOT_UNDERSTOOD, NO_ACTION, NOT_SEEN)
_DO = re.compile(r'<do\((?P<text>.*)\)>', re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")
_MOST_CHARS = 400
_LEAST_LIKENESS = 0.75
"""Of a mistyped word to the word that is meant: `cueb` and `cube` have just that."""
_ALL = re.compile(r'\b(?:everything|all|every|each|rest|remaining|whole)\b', re.IGNORECASE)
_POSTPONES = re.compile(
    r"\b(?:later|tomorrow|tonight|soon|until|till|when|whenever|after(?:wards)?|before|once|while|o'clock|minutes?|hours?|"
    r'seconds|next (?:time|week))\b',
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"(?:^|[.!?;,:]\s*|\b(?:please|and|but|so|you (?:must|should)) )(?:do not|don't|never|stop|nobody)\b"
    r'(?! (?:you|worry|know|think|mind|ask)\b)|\b(?:scrap|forget|cancel) (?:it|that|this|them|everything)\b|'
    r'\bleave (?:it|that|them|everything|all)(?: of it)? (?:where|alone|be|there|here|for now|as)\b',
    re.IGNORECASE,
)
_STACKS = re.compile(r'\b(?:stack|pile|build|tower|on top)', re.IGNORECASE)
_TO_ME = re.compile(
    r"\b(?:me|us|gimme|(?:i|we)(?:'d| would)? (?:want|need|like|love|fancy)|my hands?)\b", re.IGNORECASE
)
_SAYS = '<say('
_WISHES = re.compile(
    r'\b(?:could|can|would|will) you (?:please |just |kindly )?(?P<verb>[a-z]+)\b|'
    r"\bi(?:'d| would)? (?:want|need|like|love) (?:it|that|this|them|those)\b",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r'\b(?:things?|stuff|objects?|items?|ones?|what|whatever|which|who|something|anything|it|that|those|these|them|they)\b',
    re.IGNORECASE,
)
_MOST_STRANGERS = 2
"""Things that no word named: `what one drives nails with`."""


@dataclass(frozen=True, slots=True)
class UnclearRequest:
    """A text that may ask for something to be done with what is here.

    Attributes:
        said: the text.
        objects: what is seen, each with its colours or the place in which it lies in brackets.
        names: the names of these objects, also with a colour: `bottle`, `green bottle`.
        places: all places, as `in box 1`.
        named_places: those of them that the text may speak of.
        kinds: words of the text that may stand for a kind of things, such as `toys` and `green things`.
        speaks_of_all: whether the text may mean everything, or all of a kind.
    """

    said: str
    objects: tuple[str, ...]
    names: tuple[str, ...]
    places: tuple[str, ...]
    named_places: tuple[str, ...]
    kinds: tuple[str, ...]
    speaks_of_all: bool
    table: TableView

    def without_repeats(self, sentences: Sequence[str]) -> list[str]:
        """The sentences but for those whose things are all named in a later one, as people correct themselves."""
        named = [{item.name for item in self.table.named(sentence)} for sentence in sentences]
        return [
            sentence
            for number, sentence in enumerate(sentences)
            if not named[number] or not named[number] <= set().union(*named[number + 1 :])
        ]

    def is_supported(self, proposal: str) -> bool:
        """Whether the text speaks of all places of a proposal, and of its things.

        Two things may be described without a word of their names (`what one drives nails with`), if nothing that was
        named is left out for them.
        """
        elsewhere = [where for where in self.places if where not in self.named_places]
        if any(f' {where}' in proposal.lower() for where in elsewhere):
            return False
        words = _WORD.findall(self.said.lower())
        proposed = self.table.named(proposal)
        strangers = [item for item in proposed if not _is_spoken_of(item.name, item.label, words)]
        if not strangers or self.speaks_of_all:
            return True
        left_out = [item for item in self.table.named(self.said) if item not in proposed]
        return len(strangers) <= _MOST_STRANGERS and not left_out and self._describes_things(words)

    def _describes_things(self, words: Sequence[str]) -> bool:
        """Whether words describe what they do not name: `the one for driving nails`, but not `that thing`."""
        if _DESCRIBES.search(self.said) is None:
            return False
        places = {word for place in self.places for word in place.lower().split()}
        idle = FUNCTION_WORDS | GENERIC | places
        telling = (word for word in words if word not in idle and lexicon().singular(word) not in idle)
        return any(len(word) > 2 and not is_handling(word) for word in telling)


def unclear_request(messages: Sequence[Message], answer: str) -> UnclearRequest | None:
    """What a chat may ask for that the rules answered like this; None if their answer stands.

    What is quoted, taken back, forbidden or postponed is not open to a proposal: it would be asked about without that.
    """
    turn = read_turn(messages)
    if turn is None or not (table := read_table_lines(turn.table)).seen or not table.objects:
        return None
    said = turn.said.replace('’', "'")
    if len(said) > _MOST_CHARS or any(mark in said for mark in '“”«»"') or takes_all_back(said):
        return None
    if _POSTPONES.search(said) or _FORBIDS.search(said) or not _is_open(answer, said, table):
        return None
    words = _WORD.findall(said.lower())
    places = [place for place in table.places if not place.endswith('side')]  # what goes to a person is given
    return UnclearRequest(
        said=said,
        objects=tuple(_described(item.name, item.attributes, item.place) for item in table.objects),
        names=tuple(dict.fromkeys(name for item in table.objects for name in _names(item.name, item.attributes))),
        places=tuple(map(at_place, places)),
        named_places=tuple(at_place(place) for place in places if _is_named(place, said)),
        kinds=tuple(dict.fromkeys(_kinds_in(words))),
        speaks_of_all=_ALL.search(said) is not None,
        table=table,
    )


def proposal_question(
    request: UnclearRequest, proposal: str, messages: Sequence[Message], answered: Callable[[Sequence[Message]], str]
) -> str | None:
    """The call that asks whether a proposal is meant; None if it is not supported or not understood.

    Args:
        request: what was unclear.
        proposal: the request in plain words.
        messages: the chat.
        answered: gives the rules' answer to a chat.
    """
    if not proposal or not request.is_supported(proposal):
        return None
    done = _DO.fullmatch(answered(with_said(messages, proposal)))
    if done is None or read(done['text']).unread:
        return None
    text = done['text'].rstrip(' .!?')
    return call_text('cannot_do', f'I am not sure what you asked for. Shall I do it: “{text}”?')


def _is_open(answer: str, said: str, table: TableView) -> bool:
    """Whether the rules took a text for a request that they did not understand, or for talk about what is here."""
    if (request := _DO.fullmatch(answer)) is not None:
        return bool(read(request['text']).unread)
    if any(answer.startswith(f'<cannot_do({reason}') for reason in _NOT_DONE):
        return True
    if answer.startswith(_SAYS) and table.named(said) and _asks_for_a_deed(said):
        return True  # beside what was answered: `see the ball? I want it`
    if answer != UNKNOWN and NOTED not in answer:
        return False
    return any(_is_named(place, said) for place in table.places) or bool(table.named(said) and _TO_ME.search(said))


def _asks_for_a_deed(said: str) -> bool:
    wishes = _WISHES.finditer(said)
    return any(match['verb'] is None or is_handling(match['verb'].lower()) for match in wishes)


def _described(name: str, attributes: Sequence[str], place: str) -> str:
    told = [
        *(attribute for attribute in attributes if attribute not in name.split()),
        *([place] if place != ON_TABLE else []),
    ]
    return f'{name} ({", ".join(told)})' if told else name


def _is_named(place: str, said: str) -> bool:
    """Whether a text may speak of a place: by a word of its name, mistyped or not, or by its number."""
    words = [NUMBERS.get(word, word) for word in _WORD.findall(said.lower())]
    *nouns, last = place.lower().split()
    number = [last] if last.isdigit() else []
    nouns += [] if number else [last]
    if _STACKS.search(said) and 'tower' in nouns:
        return True
    is_noun = any(get_close_matches(noun, words, n=1, cutoff=_LEAST_LIKENESS) for noun in nouns)
    return is_noun or bool(set(number) & set(words))


def _names(name: str, attributes: Sequence[str]) -> Iterator[str]:
    yield name
    yield from (f'{attribute} {name}' for attribute in attributes if attribute not in name.split())


def _kinds_in(words: Sequence[str]) -> Iterator[str]:
    nouns = lexicon()
    for word in words:
        noun = nouns.singular(word)
        if nouns.colour(word) is not None:
            yield f'{word} things'
        elif nouns.is_category(noun) or (nouns.is_plural(word) and nouns.knows(noun)):
            yield word


def _is_spoken_of(name: str, label: str, words: Sequence[str]) -> bool:
    """Whether one of the words is one of a thing's name, mistyped or not, or a kind to which it belongs."""
    nouns = lexicon()
    noun = nouns.singular(label.lower().split()[-1])
    singulars = [nouns.singular(word) for word in words if len(word) > 2]
    parts = [nouns.singular(part) for part in name.lower().split()]
    return any(bool(get_close_matches(part, singulars, n=1, cutoff=_LEAST_LIKENESS)) for part in parts) or any(
        nouns.is_a(noun, word) for word in singulars
    )
