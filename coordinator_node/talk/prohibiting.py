"""What a turn of a conversation prohibits and lifts, and what the person is told of it, whatever the model answers."""

import re
from collections.abc import Callable

from coordinator_node.interfaces import ProhibitionsInterface
from lucca_core.errors import MemoryFault, StackError
from lucca_core.protocol.prohibitions import (
    EVERY_PLACE,
    NOT_A_PLACE,
    NOT_KEPT,
    Prohibition,
    ProhibitionChange,
    ProhibitionRequest,
)
from lucca_core.protocol.snapshots import Snapshot
from lucca_language.prohibitions import barred_in, same_place
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_llm.prompt_text import shown_name

_DONE = 'Done: nothing more was needed.'
_ANYWHERE = frozenset({'anywhere', 'everywhere', 'any place', 'at all', '-'})
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ANY = frozenset({'anything', 'everything', 'thing', 'object', 'item', 'all', 'any', 'every', 'each', 'one'})
_RULES = frozenset({'rule', 'prohibition', 'ban'})

# Without `lift`: `lift the red cup` asks for a motion. After `do not`, `forget` is a reminder.
_LIFTS = re.compile(
    r"(?<!not )(?<!never )(?<!n['’]t )\bforget\b|\b(?:no longer|rules?|prohibitions?|bans?)\b", re.IGNORECASE
)
_PERMITS = re.compile(r'\b(?:you (?:may|can)|(?:may|can) (?:be|go)|allow\w*|permit\w*|again)\b', re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:(?<!rule )(?<!prohibition )(?<!ban )not|never|nobody|nothing|none|no one)\b|n['’]t\b", re.IGNORECASE
)
_LIMITS = re.compile(
    r'\b(?:if|when|whenever|unless|until|till|while|once|before|after|maybe|perhaps|but|except|only|'
    r'today|tonight|tomorrow|says?|said|told|think|thinks|thought|wish|asked)\b',
    re.IGNORECASE,
)
"""Words that limit, suppose or report. What a model makes of them lifts nothing: the person can say it plainly."""


class Prohibiting:
    """Prohibits and lifts for one turn. The first line of each result begins with `Done:` or with `Not done:`.

    Args:
        prohibitions: the prohibitions that the action node keeps.
        table: the last snapshot; None while nothing is seen.
        said: the words of the person in this turn. Only what they name can be lifted.
        person: their name; empty for a guest.
    """

    def __init__(
        self,
        prohibitions: ProhibitionsInterface,
        table: Callable[[], Snapshot | None],
        said: str,
        person: str,
    ) -> None:
        self._prohibitions = prohibitions
        self._table = table
        self._said = said
        self._person = person
        self.told: list[str] = []
        self._changed: list[str] = []

    def prohibit(self, what: str, place: str) -> list[str]:
        """Prohibits to move objects, or to put them somewhere."""
        request = ProhibitionRequest(change=ProhibitionChange.ADD, what=what, place=_place(place), person=self._person)
        before = self._held()
        try:
            changed = self._prohibitions.ask(request).changed
        except (StackError, MemoryFault) as error:
            if self._is_needless(place, error):
                return [_DONE]
            return self._failed(f'I keep no prohibition of “{what}”: {error}.')
        self._changed.append(what)
        for item in changed:
            if item in before:
                kept = f'That holds already{_by(item)}: I will {_as_promise(item)} until somebody '
            else:
                kept = (
                    f'From now on I will {_as_promise(item)}, whatever the task and also after a restart, until '
                    'somebody '
                )
            self.told.append(f'{kept}says “{item.how_to_lift}”.{self._meant(item)}')
        return [f'Done: {self.told[-1]}' if self.told else _DONE, 'The person is told this; say nothing more of it.']

    def allow(self, what: str, place: str) -> list[str]:
        """Lifts a prohibition that the person names in their own words."""
        if not self._is_named(what, place):
            return self._failed(f'I have lifted nothing: you did not plainly permit “{what}”.')
        request = ProhibitionRequest(change=ProhibitionChange.LIFT, what=what, place=_place(place), person=self._person)
        try:
            changed = self._prohibitions.ask(request).changed
        except StackError as error:
            return self._failed(f'I do not know whether “{what}” is still prohibited: {error}.')
        except MemoryFault as error:
            if self._is_needless(place, error):
                return [_DONE]
            return self._failed(f'I have lifted nothing: {error}.')
        self._changed.append(what)
        # Anybody may lift it, but not without knowing whose wish it was.
        lifted = '; '.join(f'“{item}”{_by(item) if item.person not in ("", self._person) else ""}' for item in changed)
        self.told.append(f'No longer prohibited: {lifted}.')
        return [f'Done: {self.told[-1]}', 'The person is told this; say nothing more of it.']

    def listed(self) -> list[str]:
        """The prohibitions that hold, each with who said it."""
        try:
            kept = self._prohibitions.ask(ProhibitionRequest()).prohibitions
        except (StackError, MemoryFault) as error:
            return [f'I do not know now what is prohibited: {error}.']
        return [f'Prohibited: {item}{_by(item)}.' for item in kept] or ['Nothing is prohibited.']

    def _held(self) -> tuple[Prohibition, ...]:
        """What is prohibited already; empty if that is not known, so that it keeps nobody from prohibiting more."""
        try:
            return self._prohibitions.ask(ProhibitionRequest()).prohibitions
        except (StackError, MemoryFault):
            return ()

    def _is_needless(self, place: str, error: Exception) -> bool:
        """Whether nothing had to be changed for a cup as a place, as what was said of the cup itself was done."""
        is_needless = any(text in str(error) for text in (NOT_A_PLACE, NOT_KEPT))
        return is_needless and any(same_place(place, what) for what in self._changed)

    def _failed(self, told: str) -> list[str]:
        self.told.append(told)
        return [f'Not done: {told}', 'The person is told this; say nothing more of it.']

    def _meant(self, item: Prohibition) -> str:
        """Which of the objects on the table are meant now."""
        seen = self._table()
        if seen is None:
            return ''
        barred = next(iter(barred_in(seen, [item])), None)
        if barred is None:
            return ' I see no such thing now.'
        names = ', '.join(shown_name(each.name) for each in seen if each.name in barred.names)
        doubt = ', '.join(shown_name(each.name) for each in seen if each.name in barred.unsure)
        return f' Now that is: {names}.' + (f' I cannot tell whether {doubt} is meant, so it counts.' if doubt else '')

    def _is_named(self, what: str, place: str) -> bool:
        """Whether the words of the person permit something and name it, so that no model lifts it by itself."""
        where = _place(place)
        if _plain(self._said) == _plain(
            Prohibition(what=what, place='' if where == EVERY_PLACE else where).how_to_lift
        ):
            return True  # word for word what they were told to say, whatever words that holds
        if self._said.rstrip().endswith('?') or _DENIES.search(self._said) or _LIMITS.search(self._said):
            return False
        if not (_PERMITS.search(self._said) or _LIFTS.search(self._said)):
            return False
        said = _content(self._said)
        named = _content(what) - _ANY
        if named:
            return named <= said
        in_place = _content(place) - _ANY
        return bool(said & (_ANY | _RULES)) or (bool(in_place) and in_place <= said)


def _content(text: str) -> frozenset[str]:
    words = {lexicon().singular(word.lower()) for word in _WORD.findall(text)}
    return frozenset(word for word in words if word not in FUNCTION_WORDS or word in _ANY)


def _plain(text: str) -> str:
    return ' '.join(text.lower().split()).rstrip('.!')


def _place(place: str) -> str:
    name = ' '.join(place.lower().split())
    return '' if name in _ANYWHERE else EVERY_PLACE if name == EVERY_PLACE else place


def _as_promise(item: Prohibition) -> str:
    """A prohibition in the words of the robot: `not move your phone`."""
    return re.sub(r'\bmy\b', 'your', str(item).removeprefix('do '))


def _by(item: Prohibition) -> str:
    on = f' on {item.said_at.day} {item.said_at:%B %Y}' if item.said_at else ''
    return f' ({item.person or "somebody"} said so{on})'
