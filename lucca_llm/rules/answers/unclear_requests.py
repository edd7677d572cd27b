"""Unclear requests: what somebody may want done, though the rules did not read it.

A language model may propose a plain request for it (`proposals.py`). Here it is decided which texts are open to that,
and whether a proposal may be asked about. It is never done without a yes.
"""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from lucca_core.english import at_place
from lucca_language.reading.reading import read
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.verbs import is_handling
from lucca_llm.model import Message
from lucca_llm.rules.answers.phrases import NO_REQUEST, NOTED, UNKNOWN
from lucca_llm.rules.prompts.conversation_prompt import read_turn, with_said
from lucca_llm.rules.prompts.prompt_reader import call_text
from lucca_llm.rules.prompts.table_view import ON_TABLE, TableView, read_table_lines
from lucca_llm.rules.utterances.mentions import Mentions, mentions_in
from lucca_llm.rules.utterances.repairs import takes_all_back
from lucca_llm.rules.utterances.task_requests import NO_ACTION, NOT_SEEN, NOT_UNDERSTOOD

_NOT_DONE = (NO_REQUEST, NOT_UNDERSTOOD, NO_ACTION, NOT_SEEN)
_DO = re.compile(r'<do\((?P<text>.*)\)>', re.DOTALL)
_MOST_CHARS = 400
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
_TO_ME = re.compile(
    r"\b(?:me|us|gimme|(?:i|we)(?:'d| would)? (?:want|need|like|love|fancy)|my hands?)\b", re.IGNORECASE
)
_SAYS = '<say('
_WISHES = re.compile(
    r'\b(?:could|can|would|will) you (?:please |just |kindly )?(?P<verb>[a-z]+)\b|'
    r"\bi(?:'d| would)? (?:want|need|like|love) (?:it|that|this|them|those)\b",
    re.IGNORECASE,
)
_MOST_STRANGERS = 2
"""Things that no word named: `what one drives nails with`."""


@dataclass(frozen=True, slots=True)
class UnclearRequest:
    """A text that may ask for something to be done with what is here.

    Attributes:
        said: the text.
        table: what is seen.
        mentions: what the text may speak of.
    """

    said: str
    table: TableView
    mentions: Mentions

    @property
    def objects(self) -> tuple[str, ...]:
        """What is seen, each with its colours, and the place in which it lies, in brackets."""
        return tuple(_described(item) for item in self.table.objects)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what can be meant, also with a colour that was said: `bottle`, `green bottle`."""
        said = set(self.said.lower().split())
        meant = self.mentions.things_meant(self.table)
        return tuple(dict.fromkeys(name for item in meant for name in _names(item, said)))

    @property
    def places(self) -> tuple[str, ...]:
        """Where something can be put, such as `in box 1`."""
        return tuple(at_place(place) for place in self.table.places if not _is_a_persons(place))

    @property
    def named_places(self) -> tuple[str, ...]:
        """Those of the places that the text may speak of."""
        return tuple(at_place(place) for place in self.mentions.places if not _is_a_persons(place))

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
        proposed = self.table.named(proposal)
        strangers = [item for item in proposed if item not in self.mentions.things]
        if not strangers or self.mentions.means_others:
            return True
        left_out = [item for item in self.table.named(self.said) if item not in proposed]
        return self.mentions.describes and len(strangers) <= _MOST_STRANGERS and not left_out


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
    if _POSTPONES.search(said) or _FORBIDS.search(said):
        return None
    request = UnclearRequest(said, table, mentions_in(said, table))
    return request if _is_open(answer, request) else None


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


def _is_open(answer: str, request: UnclearRequest) -> bool:
    """Whether the rules took a text for a request that they did not understand, or for talk about what is here."""
    if (done := _DO.fullmatch(answer)) is not None:
        return bool(read(done['text']).unread)
    if any(answer.startswith(f'<cannot_do({reason}') for reason in _NOT_DONE):
        return True
    named = bool(request.table.named(request.said))
    if answer.startswith(_SAYS) and named and _asks_for_a_deed(request.said):
        return True  # beside what was answered: `see the ball? I want it`
    is_talk = answer == UNKNOWN or NOTED in answer
    return is_talk and bool(request.named_places or (named and _TO_ME.search(request.said)))


def _asks_for_a_deed(said: str) -> bool:
    wishes = _WISHES.finditer(said)
    return any(match['verb'] is None or is_handling(match['verb'].lower()) for match in wishes)


def _described(item: ListedObject) -> str:
    told = [attribute for attribute in item.attributes if attribute not in item.name.split()]
    told += [item.place] if item.place != ON_TABLE else []
    return f'{item.name} ({", ".join(told)})' if told else item.name


def _names(item: ListedObject, said: Container[str]) -> Iterator[str]:
    yield item.name
    yield from (f'{word} {item.name}' for word in item.attributes if word in said and word not in item.name.split())


def _is_a_persons(place: str) -> bool:
    """Whether a place is a person's side of the table: what goes there is given."""
    return place.endswith('side')
