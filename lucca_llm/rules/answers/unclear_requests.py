"""Unclear requests: what somebody may want done, though the rules did not read it.

A language model may say it again in plain words (`proposals.py`). Here it is decided which texts are open to that, and
whether a proposal may be asked about. It is never done without a yes.
"""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from lucca_core.english import at_place
from lucca_language.reading.reading import read
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.verbs import is_handling
from lucca_llm.model import Message
from lucca_llm.rules.answers.not_done import DO, is_not_done, is_noted, question_about
from lucca_llm.rules.answers.phrases import UNKNOWN
from lucca_llm.rules.answers.self_description import my_name
from lucca_llm.rules.prompts.conversation_prompt import read_turn
from lucca_llm.rules.prompts.table_view import ON_TABLE, TableView, read_table_lines
from lucca_llm.rules.utterances.mentions import MentionsHere, mentions_in
from lucca_llm.rules.utterances.plain_requests import (
    EVERYTHING,
    LEAVE,
    PlainRequest,
    PlainVocabulary,
    read_plain,
    settled,
)
from lucca_llm.rules.utterances.reservations import denying_clauses, is_withheld

_MOST_CHARS = 400
_TO_ME = re.compile(
    r"\b(?:me|us|gimme|(?:i|we)(?:'d| would)? (?:want|need|like|love|fancy)|my hands?)\b", re.IGNORECASE
)
_SAYS = '<say('
_WISHES = re.compile(
    r'\b(?:could|can|would|will) you (?:please |just |kindly )?(?P<verb>[a-z]+)\b|'
    r"\bi(?:'d| would)? (?:want|need|like|love) (?:it|that|this|them|those)\b",
    re.IGNORECASE,
)
_APOSTROPHES = re.compile('[’´ʼ‘′]')
_SHORT_CLAUSE = 3
"""Words of a clause that denies what stands beside it: `no, don't`."""
_MOST_STRANGERS = 2
"""Things that may be described without being named: `what one drives nails with`."""


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
    mentions: MentionsHere

    @property
    def objects(self) -> tuple[str, ...]:
        """What is seen, each with its colours, and the place in which it lies, in brackets."""
        return tuple(map(_described, self.table.objects))

    @property
    def places(self) -> tuple[str, ...]:
        """Where something can be put, such as `in box 1`."""
        return tuple(at_place(place) for place in self.table.places if not _is_a_persons(place))

    @property
    def vocabulary(self) -> PlainVocabulary:
        """The words in which the text may be said again: what can be meant, kinds that were said, and places named."""
        said = set(self.said.lower().split())
        things = {
            f'the {name}': frozenset({item.name})
            for item in self.mentions.things_meant(self.table)
            for name in _names(item, said)
        }
        things |= {f'all the {kind}': _members(kind, self.table) for kind in self.mentions.kinds}
        if self.mentions.means_others:
            things[EVERYTHING] = frozenset(item.name for item in self.table.objects if item.place == ON_TABLE)
        places = tuple(at_place(place) for place in self.mentions.places if not _is_a_persons(place))
        return PlainVocabulary(things, places)

    def proposal_in(self, written: str) -> str:
        """What is to be done of a text in plain words; empty if that is nothing, or not what the text may speak of.

        What the text denies must not be done. Things that were named beside each other belong together, unless
        something is left or excepted in so many words. Things that were not named may only stand for what the text
        describes.
        """
        requests = read_plain(written, self.vocabulary)
        doing = settled(requests, self.vocabulary)
        if not doing:
            return ''
        is_carried = any(item.verb == LEAVE or item.but for item in requests)
        done = frozenset().union(*(item.objects(self.vocabulary) for item in doing))
        if any(self._is_denied(clause, done, is_carried=is_carried) for clause in denying_clauses(self.said)):
            return ''
        spoken_of = frozenset().union(*(item.objects(self.vocabulary) for item in requests))
        if any(self._lies_there(item) for item in doing):
            return ''
        if any(row & spoken_of and not row <= spoken_of for row in self.mentions.lists) and not is_carried:
            return ''
        return ' '.join(item.text for item in doing) if self._may_mean(done) else ''

    def _is_denied(self, clause: str, done: frozenset[str], *, is_carried: bool) -> bool:
        """Whether a clause that denies something may be about what would be done.

        One that names nothing may be, unless what is left or excepted carries it.
        """
        mentions = mentions_in(clause, self.table)
        if mentions.things:
            return any(item.name in done for item in mentions.things)
        if is_carried:
            return False
        words = clause.lower().split()
        return bool(mentions.places) or len(words) <= _SHORT_CLAUSE or any(map(is_handling, words))

    def _lies_there(self, request: PlainRequest) -> bool:
        """Whether something already lies where it would be put: `the pear in box 2` only tells which pear is meant."""
        names = request.objects(self.vocabulary)
        return any(item.name in names and at_place(item.place) == request.place for item in self.table.objects)

    def _may_mean(self, names: frozenset[str]) -> bool:
        mentioned = {item.name for item in self.mentions.things}
        strangers = names - mentioned
        if not strangers or self.mentions.means_others:
            return True
        named = {item.name for item in self.table.named(self.said)}
        return self.mentions.describes and len(strangers) <= _MOST_STRANGERS and named <= names


def unclear_request(messages: Sequence[Message], answer: str) -> UnclearRequest | None:
    """What a chat may ask for that the rules answered like this; None if their answer stands.

    What is quoted, reported, conditional, postponed, taken back, or for somebody else is not open to a proposal: it
    would be asked about without that.
    """
    turn = read_turn(messages)
    if turn is None:
        return None
    table = read_table_lines(turn.table)
    said = _APOSTROPHES.sub("'", turn.said)
    if not table.seen or not table.objects or len(said) > _MOST_CHARS:
        return None
    if is_withheld(said, my_name(messages), [turn.person, *(item.name for item in table.objects), *table.places]):
        return None
    request = UnclearRequest(said, table, mentions_in(said, table))
    return request if not request.mentions.is_empty and _is_open(answer, request) else None


def proposal_question(proposal: str, by_rules: str, answered: Callable[[str], str]) -> str | None:
    """The call that asks whether a proposal is meant; None if it is not understood, or says no more than the rules do.

    Args:
        proposal: a request in plain words; may be empty.
        by_rules: the rules' answer to what was said.
        answered: gives the rules' answer to another text.
    """
    done = DO.fullmatch(answered(proposal)) if proposal else None
    if done is None or (reading := read(done['text'])).unread:
        return None
    partly = DO.fullmatch(by_rules)
    if partly is not None and read(partly['text']).program.directives == reading.program.directives:
        return None  # what the rules left out, they tell
    return question_about(done['text'])


def _is_open(answer: str, request: UnclearRequest) -> bool:
    """Whether the rules took a text for a request that they did not understand, or for talk about what is here."""
    if (done := DO.fullmatch(answer)) is not None:
        return bool(read(done['text']).unread)
    if is_not_done(answer):
        return True
    named = bool(request.table.named(request.said))
    if answer.startswith(_SAYS) and named and _asks_for_a_deed(request.said):
        return True  # beside what was answered: `see the ball? I want it`
    is_talk = answer == UNKNOWN or is_noted(answer)
    return is_talk and bool(request.vocabulary.places or (named and _TO_ME.search(request.said)))


def _asks_for_a_deed(said: str) -> bool:
    wishes = _WISHES.finditer(said)
    return any(match['verb'] is None or is_handling(match['verb'].lower()) for match in wishes)


def _described(item: ListedObject) -> str:
    told = [attribute for attribute in item.attributes if attribute not in item.name.split()]
    told += [at_place(item.place)] if item.place != ON_TABLE else []
    return f'{item.name} ({", ".join(told)})' if told else item.name


def _names(item: ListedObject, said: Container[str]) -> Iterator[str]:
    yield item.name
    yield from (f'{word} {item.name}' for word in item.attributes if word in said and word not in item.name.split())


def _members(kind: str, table: TableView) -> frozenset[str]:
    return frozenset(item.name for item in table.fitting(kind))


def _is_a_persons(place: str) -> bool:
    """Whether a place is a person's side of the table: what goes there is given."""
    return place.endswith('side')
