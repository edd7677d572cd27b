"""Demands: what one directive asks to be done with the objects of one noun phrase, and by which action."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from lucca_core.english import with_article
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Directive
from lucca_language.reading.selectors import ListedObject, Noun, walk
from lucca_language.words.verbs import target_words
from lucca_llm.rules.prompts.action_matching import ActionText, hands_over

NAMES_AN_OBJECT = 3
"""From this value of `specific`, a noun phrase names an object rather than a category."""


@dataclass
class Demand:
    """One noun phrase of a directive, the action that the directive asks for, and the objects that were chosen."""

    directive: Directive
    item: NounPhrase
    action: str
    lasting: bool
    names: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    """fitting objects that another action takes"""
    fitting: int = 0
    """how many of the objects here it may mean"""
    wanted: int | None = None
    """how many objects are to be handled; None: all that fit"""

    def repeats(self, other: 'Demand') -> bool:
        """Whether it says once more where one certain thing goes: `… in box 1. The cup should end up in box 1.`

        In one sentence it tells the order: `…, starting with the cup`.
        """
        is_same = (self.action, self.item.selector) == (other.action, other.item.selector)
        is_same = is_same and self.directive.sentence != other.directive.sentence
        is_certain = all(item.is_single and item.definite and not item.is_rest for item in (self.item, other.item))
        return is_same and self.lasting and is_certain


def wording(directive: Directive) -> str:
    """How a directive asks for its action, with braces for the objects."""
    target = directive.target
    if target is not None and target.is_recipient:
        return 'give {} to me'
    if 'point' in directive.senses:
        return 'point at {}'
    verb = directive.verb if directive.senses & {'place', 'give', 'stack'} else 'put'
    if target is None:
        return f'{verb} {{}}'
    place = ' '.join(target.words)
    return f'{verb} {{}} {target.relation} {with_article(place)}'


def is_stacking(directive: Directive) -> bool:
    """Whether a directive puts objects on each other, so that a later one rests on an earlier one."""
    target = directive.target
    return 'stack' in directive.senses if target is None else target_words().get(target.words[-1]) == 'tower'


def unknown_place(directive: Directive, places: Sequence[str]) -> str:
    """Which place of a directive is not known, and which are; empty if that is not why no action fits."""
    target = directive.target
    if target is None or target.is_recipient or target.is_table or not places:
        return ''
    named = ' '.join(target.words)
    known = [place for place in places if place not in ('table', 'hand')]
    return '' if named in known else f' (I know no “{named}”; I know {", ".join(known)})'


def places_alike(directive: Directive, places: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """What a directive calls an unknown place, and the places of that kind: `left box`, and `box 1` and `box 2`.

    None if there are none, and for a place with a number and for several, which are no other words for one of them.
    """
    target = directive.target
    if target is None or target.is_recipient or target.is_table or target.words[-1].isdigit():
        return None
    *told, noun = target.words
    alike = tuple(place for place in places if re.sub(r' \d+$', '', place).split()[-1:] == [noun])
    is_other = target.words not in [tuple(place.split()) for place in alike]  # not `above the raisin box`
    return (' '.join(target.words), alike) if told and alike and is_other else None


def owned_part(claim: Demand, thing: ListedObject) -> tuple[str, str]:
    """What only one demand can own: an object, or for actions that do not move it, the action with the object."""
    return ('' if claim.lasting else claim.action), thing.name


def may_own(claim: Demand, previous: Demand | None) -> bool:
    """Whether a demand takes an object over from the previous one.

    The first directive wins unless only the later one names the object. If both ask for the same action, the one that
    puts the object in order wins (`all cubes, the red one first`, `a red cube and a blue cube, the blue one first`).
    """
    if previous is None:
        return True
    if claim.action == previous.action:
        more = claim.item.specific - previous.item.specific
        return claim.directive.stage != previous.directive.stage and (more > 0 or (more == 0 and claim.item.is_single))
    return claim.item.specific >= NAMES_AN_OBJECT and previous.item.specific <= 1


def with_needed(directive: Directive, needed: tuple[NounPhrase, ...]) -> Directive:
    """`Give me the ingredients`: replaces the word by what the text says is needed."""
    if not needed or not any(_is_needed(item) for item in directive.items):
        return directive
    items: list[NounPhrase] = []
    for item in directive.items:
        items += needed if _is_needed(item) else [item]
    return replace(directive, items=tuple(items))


def by_label(directive: Directive, labels: Collection[str]) -> Directive:
    """Replaces a word that may mean any object, or a quality, by the object here with that name: `the purple`."""
    return replace(directive, items=tuple(_named_by_label(item, labels) for item in directive.items))


def _named_by_label(item: NounPhrase, labels: Collection[str]) -> NounPhrase:
    name = item.text.removeprefix('the ')
    if name not in labels or name == item.text or not (item.vague or item.elided or item.abstract):
        return item
    noun = Noun(name)
    return replace(
        item, selector=noun, head=noun, count=1, specific=NAMES_AN_OBJECT, vague=False, elided=False, abstract=False
    )


def _is_needed(item: NounPhrase) -> bool:
    return item.abstract and not item.is_rest


def is_unknown_needed(item: NounPhrase) -> bool:
    return (
        item.abstract
        and not item.group
        and any(isinstance(part, Noun) and part.word == 'needed' for part in walk(item.selector))
    )


def is_general(item: NounPhrase) -> bool:
    """Whether a noun phrase names no particular objects: `the things`, `what is needed`."""
    return (item.vague and item.count is None) or is_unknown_needed(item)


def where_it_can_go(actions: Sequence[ActionText]) -> str:
    """What can be done with a thing that is only to be picked up: ` (I can hand it over or put it in the bowl)`."""
    places = [with_article(action.place) for action in actions if action.place and not hands_over(action)]
    can = ['hand it over'] if any(map(hands_over, actions)) else []
    can += [f'put it in or on {" or ".join(places)}'] if places else []
    return f' (say where it shall go: I can {" or ".join(can)})' if can else ''
