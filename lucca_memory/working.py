"""Working memory: what matters now for one task ("Robots Can Multitask Too", section III-E); it is not stored.

Also the coordinator's prompt texts for both memories. Together they keep their length while objects move from the table
into containers: a name that leaves the list of remaining objects appears in a container instead.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_CALLS = 'Calls still to make: '
_NEXT_CALL = re.compile(r', (?=<)')


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemory:
    """A reminder of the task, its state in one line, and the objects that still need an action, in order."""

    reminder: str
    state: str
    to_do: tuple[str, ...]
    changes: tuple[str, ...] = ()
    """Sentences about what changed since the last log entry, and what is uncertain."""
    calls: tuple[str, ...] = ()
    """The calls still to make, if each object was decided on separately."""

    def text(self) -> str:
        """Text for the coordinator's prompt."""
        lines = [f'Reminder: {self.reminder}', f'State: {self.state}', *self.changes]
        return '\n'.join([*lines, _to_do_line(self.to_do, self.calls)])


def with_to_do(text: str, to_do: Sequence[str], calls: Sequence[str] = ()) -> str:
    """The text of a working memory, `WorkingMemory.text`, with fewer objects or calls in its last line.

    `calls`: how those that stay begin in it, such as `<point(apple)>`. What else it says of them stays as well.
    """
    *lines, last = text.splitlines() or ['']
    shown = [item for item in _NEXT_CALL.split(last.removeprefix(_CALLS)) if item.startswith(tuple(calls))]
    return '\n'.join([*lines, _to_do_line(to_do, shown if last.startswith(_CALLS) else ())])


def _to_do_line(to_do: Sequence[str], calls: Sequence[str]) -> str:
    if calls:
        return f'{_CALLS}{", ".join(calls)}'
    return f'Objects still to handle, in order: {", ".join(to_do) or "none"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarativeSummary:
    """A summary of a task's log: how many actions, the latest ones, and the names in each relevant place."""

    actions: int
    latest: tuple[str, ...]
    places: tuple[tuple[str, tuple[str, ...]], ...]
    changes: tuple[str, ...] = ()

    def text(self) -> str:
        """Text for the coordinator's prompt."""
        if not self.actions and not any(names for _, names in self.places):
            return '\n'.join(['Nothing has been done so far.', *self.changes])
        latest = f', the latest {", ".join(self.latest)}' if self.latest else ''
        places = [f'{place}: {", ".join(names) or "none"}' for place, names in self.places]
        return '\n'.join([f'Done so far: {plural(self.actions, "action")}{latest}', *places, *self.changes])


def state_line(held: Iterable[tuple[str, int]], pointed_at: int, to_do: Sequence[str]) -> str:
    """The state of a task in one line of constant length: how many objects are where."""
    parts = [f'{container} holds {plural(number, "object")}' for container, number in held]
    if pointed_at:
        parts.append(f'{plural(pointed_at, "object")} pointed at')
    parts.append(f'{plural(len(to_do), "object")} still to handle')
    return ', '.join(parts)


def plural(number: int, noun: str) -> str:
    """`1 object`, `2 objects`."""
    return f'{number} {noun}' if number == 1 else f'{number} {noun}s'
