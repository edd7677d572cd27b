"""The match of verbs and places with the actions in a prompt, by the actions' names and descriptions."""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from lucca_language.reading.clause_state import TAKING
from lucca_language.reading.program import FITTING_RELATIONS, TABLE_WORDS, Destination
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.verbs import target_words, verb
from lucca_language.words.word_sets import any_of

_WORD = re.compile(r'[a-z]+|\d+')
_PLACE_OF = re.compile(
    r'\b(?:into|inside|onto|on top of|upon|over|in|on|to|at|within)\s+(?:the |a |an |'
    r'your )?((?:[a-z]+ ){0,2}[a-z]+(?: \d+)?)'
)
_SIZES = any_of('big large small little plastic wooden metal glass purple white red blue green yellow black')
_GIVES_ONLY_TO = any_of('push slide reach return')
"""Verbs that hand something over only if it is said to whom: `push me the cup`, but not `push the button`."""
_MOVES = any_of('place give stack build fill belong')
"""Senses of verbs that, with a place, ask to put something there."""
_PICKING = any_of('pick grab take grasp grip lift choose select collect')
"""Verbs that, without a place, ask for what an action with another of them does: `grab the cup` for `pick up`."""
_NO_PLACES = TABLE_WORDS | any_of(
    'object objects it arm arms hand hands finger fingers gripper edge top side there place '
    'something item items thing things end contact'
)


@dataclass(frozen=True)
class ActionText:
    """An action as described in a prompt."""

    name: str
    description: str = ''
    place: str = ''
    """the place that it puts objects into, if its text names one that the prompt lists; lower case"""

    def at_one_of(self, places: Iterable[str]) -> 'ActionText':
        """The action with the longest of these places that its name or description contains."""
        text = f' {" ".join(_WORD.findall(f"{self.name} {self.description}".lower().replace("_", " ")))} '
        held = [place for place in places if f' {" ".join(_WORD.findall(place))} ' in text]
        return replace(self, place=max(held, key=len)) if held else self


@dataclass(frozen=True)
class _ActionMeaning:
    """The content of an action's name and description."""

    words: frozenset[str]
    name_words: frozenset[str]
    places: frozenset[tuple[str, str]]
    """(head noun, number), with one word for all synonyms of the noun"""
    for_person: bool
    points: bool


@functools.lru_cache(maxsize=256)
def _read(action: ActionText) -> _ActionMeaning:
    description = action.description.lower().replace("'s", '')
    name_words = _WORD.findall(action.name.lower().replace('_', ' '))
    all_words = [*name_words, *_WORD.findall(description)]
    lemmas = {*all_words, *(found.lemma for word in all_words if (found := verb(word)) is not None)}
    places: set[tuple[str, str]] = set()
    for match in _PLACE_OF.finditer(description):
        head = _head(match.group(1).split())
        if head is not None:
            places.add(head)
    described = description.split()
    for index, word in enumerate(name_words):
        if word in target_words() and word not in _NO_PLACES and target_words()[word] != 'user':
            number = name_words[index + 1] if index + 1 < len(name_words) and name_words[index + 1].isdigit() else ''
            if described or number or index:
                places.add((target_words()[word], number))
    if action.place:
        parts = action.place.split()
        places = {_head(parts) or (parts[-1], '')}
    for_person = any(target_words().get(word) == 'user' for word in all_words)
    return _ActionMeaning(
        frozenset(lemmas),
        frozenset(name_words),
        frozenset(places),
        for_person and not places,
        'point' in lemmas or 'indicate' in lemmas,
    )


def _head(words: list[str]) -> tuple[str, str] | None:
    kept: list[str] = []
    for word in words:
        if word.isdigit() and kept:
            return target_words().get(kept[-1], kept[-1]), word
        if word in FUNCTION_WORDS:
            break
        kept.append(word)
    if not kept or kept[-1] in _NO_PLACES or target_words().get(kept[-1]) == 'user':
        return None
    return target_words().get(kept[-1], kept[-1]), ''


def ends_in(action: ActionText, place: str) -> bool:
    """Whether the action can put an object into a place."""
    if action.place:
        return action.place == place.lower()
    words = re.findall(r'[a-z]+|\d+', place.lower().replace("'s", ''))
    reading = _read(action)
    if reading.for_person:
        return any(target_words().get(word) == 'user' for word in words)
    return _head(words) in reading.places


def is_its_place(action: ActionText, name: str) -> bool:
    """Whether an object is itself the place of the action, such as a bowl. False for persons, which are not objects."""
    return not _read(action).for_person and ends_in(action, name)


def hands_over(action: ActionText) -> bool:
    """Whether the action gives the object to a person."""
    return _read(action).for_person


def lasts(action: ActionText) -> bool:
    """Whether the action moves the object, so that seeing the object shows whether it was done."""
    reading = _read(action)
    return bool(reading.places) or reading.for_person


def _picks(action: ActionText) -> bool:
    """Whether an action only picks something up, and puts it nowhere."""
    return not lasts(action) and not _PICKING.isdisjoint(_read(action).name_words)


def match_action(
    actions: tuple[ActionText, ...], lemma: str, senses: frozenset[str], target: Destination | None
) -> str | None:
    """The name of the action that fits best, or None if there is none or a tie."""
    at_a_place = target is not None and not target.is_recipient
    if senses == {'other'} or (at_a_place and senses and senses.isdisjoint(_MOVES)):
        # `Wash the mug in the bowl`, `point at the mug in box 1`: a place alone makes it no request to put it there.
        actions = tuple(action for action in actions if lemma in _read(action).words)
    if target is not None:
        if target.is_recipient and 'fling' in senses:
            return None
        if target.is_recipient:
            return _one([action for action in actions if _read(action).for_person], lemma)
        return _one(_fitting(actions, target), lemma)
    named = [action for action in actions if lemma and lemma in _read(action).name_words]
    if len(named) == 1 and not ('place' in senses and len([action for action in actions if _read(action).places]) > 1):
        return named[0].name
    if 'point' in senses and (found := _one([action for action in actions if _read(action).points], lemma)):
        return found
    if (
        'give' in senses
        and lemma not in _GIVES_ONLY_TO
        and (found := _one([action for action in actions if _read(action).for_person], lemma))
    ):
        return found
    if 'stack' in senses and (
        found := _one([action for action in actions if any(head == 'tower' for head, _ in _read(action).places)], lemma)
    ):
        return found
    if lemma in _PICKING and (found := _one([action for action in actions if _picks(action)], '')):
        return found
    if 'place' in senses and 'stack' not in senses and lemma not in TAKING:
        places = [action for action in actions if _read(action).places]
        return places[0].name if len(places) == 1 else None
    if 'place' in senses:
        return None  # `pick up the cup`, `stack the cups`: where they go is not said, even if there is one place
    if not lemma:
        return actions[0].name if len(actions) == 1 else None
    if senses <= {'talk'}:
        return None
    return _one([action for action in actions if lemma in _read(action).words], lemma) if 'use' not in senses else None


def _fitting(actions: tuple[ActionText, ...], target: Destination) -> list[ActionText]:
    """The actions that put objects into the place that the destination names."""
    named = [action for action in actions if action.place and action.place.split() == list(target.words)]
    if named and target.relation in FITTING_RELATIONS:
        return named
    number = target.words[-1] if target.words[-1].isdigit() else ''
    words = target.words[:-1] if number else target.words
    if not words:
        return []
    head = target_words().get(words[-1], words[-1])
    if target.relation not in FITTING_RELATIONS and target.relation not in {
        word for action in actions for word in _read(action).words
    }:
        return []
    found = [
        action
        for action in actions
        if any(place[0] == head and (not number or place[1] == number) for place in _read(action).places)
    ]
    # A place with a name of its own, such as `the tool box 1`, is a different one unless the action names it so.
    return [action for action in found if set(words[:-1]) <= _read(action).words | _free_qualities(action.place)]


def _free_qualities(place: str) -> frozenset[str]:
    """Qualities that a text may add to the name of a place; none if it has one of its own, as `salad bowl` has."""
    return _SIZES if sum(not word.isdigit() for word in place.split()) <= 1 else frozenset()


def _one(actions: list[ActionText], lemma: str) -> str | None:
    if len(actions) > 1:
        actions = [action for action in actions if lemma in _read(action).words] or actions
    return actions[0].name if len(actions) == 1 else None
