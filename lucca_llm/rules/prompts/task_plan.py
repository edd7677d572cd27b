"""The reported state of a task, and the plan of what is left of it, as data for planning."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lucca_core.protocol.prohibitions import Prohibition
from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.prompts.action_matching import ActionText

OUT_OF_SIGHT = 'after '
"""Beginning of the place of an object that is no longer listed; the action that took it away follows."""


@dataclass(frozen=True)
class ReportedProhibition:
    """A line about a prohibition: its words, the names of the objects on the table that it means, and how to lift it.

    `place`: where they must not be put; empty if they must not be moved.
    """

    what: str
    names: tuple[str, ...]
    place: str = ''

    @property
    def reason(self) -> str:
        """What is prohibited, and how to lift it."""
        said = Prohibition(what=self.what, place=self.place)
        return f'“{said}” holds until somebody lifts it, as by saying “{said.how_to_lift}”'


@dataclass(frozen=True, kw_only=True)
class ReportedState:
    """The state that a text reports: objects on the table and elsewhere, and (action, object) pairs done so far."""

    on_table: tuple[ListedObject, ...] = ()
    elsewhere: tuple[ListedObject, ...] = ()
    done: frozenset[tuple[str, str]] = frozenset()
    actions: tuple[ActionText, ...] = ()
    places: tuple[str, ...] = ()
    """everything that holds objects, in lower case"""
    prohibited: tuple[ReportedProhibition, ...] = ()
    unnamed: int = 0
    """number of further actions that were done with objects that are no longer listed"""


def out_of_sight(done: Iterable[tuple[str, str]], listed: Iterable[ListedObject]) -> list[ListedObject]:
    """The objects of completed actions that are no longer listed, for example because they were handed over."""
    known = {thing.name for thing in listed}
    taken = {name: action for action, name in sorted(done, reverse=True) if name not in known}
    return [ListedObject(name, (), OUT_OF_SIGHT + action) for name, action in sorted(taken.items())]


@dataclass(frozen=True, kw_only=True)
class TaskPlan:
    """The (action, object) pairs left to do, in order, and requests that cannot be met."""

    to_do: tuple[tuple[str, str], ...] = ()
    steps: tuple[int, ...] = ()
    """The number of the step of each call of `to_do`; those of one step may come in any order"""
    missing: tuple[str, ...] = ()
    unseen_kinds: tuple[str, ...] = ()
    """Kinds that are asked for besides other things, and of which nothing is here"""
    kept: tuple[tuple[str, str], ...] = ()
    """(name, place) of requested objects in places that nothing can be taken from"""
    impossible: tuple[str, ...] = ()
    prohibited: tuple[str, ...] = ()
    """Requests that a prohibition rules out, each with the reason"""
    left_out: tuple[str, ...] = ()
    """Names of objects of a kind that is asked for, which prohibitions leave out"""
    ambiguous: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Noun phrases for one object that fit several, with the names of these objects"""
    wording: Mapping[str, str] = field(default_factory=dict)
    """action -> the description's words for it, with braces for the objects, such as `put {} in box 1`"""
    unsure: tuple[str, ...] = ()
    """Objects that may belong to several places, or to none"""
    by_meaning: frozenset[str] = frozenset()
    """Words of the description that were understood by their meaning"""
    understood: bool = True
    """Whether any request in the description was understood"""
    begun: bool = False
    """Whether part of it is done"""

    @property
    def now(self) -> tuple[tuple[str, str], ...]:
        """Those of `to_do` that need nothing else first."""
        return tuple(call for call, step in zip(self.to_do, self.steps, strict=True) if step == self.steps[0])

    def action_for(self, name: str) -> str | None:
        """The next action for an object."""
        return next((action for action, thing in self.to_do if thing == name), None)
