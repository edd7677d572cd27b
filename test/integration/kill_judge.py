"""The judgement on tasks in which nodes were killed: what is a fault, and what is excused and counted by kind.

Only pointing is excused. It leaves nothing to see, so what a kill cut off cannot be settled afterwards: it is done once
more, and then taken as done. In the trace, a finger may then rest on its object twice (`repeats`). An arm that a kill
stopped on its way may also rest over an object whose turn comes later (`order`) or never (`not asked for`).

What is carried is settled by sight: where the object lies says whether the action is done, and the gate refuses to
carry what is there already. An action whose effect was not seen for certain is tried again on these tables too, but
only while the object is seen on the table, so it arrives once. If an object arrives twice all the same, such as a fruit
that rolled out of the bowl, that is a fault here. Of the three kinds above, a trace of carried objects can hold only
`repeats`: their tasks have no order, and fingers are looked for only where the task is to point.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from lucca_core.protocol.entries import EntryKind
from lucca_lab.judge.truth import load_truth
from lucca_lab.soak.uncertain import uncertain_outcomes
from lucca_memory.declarative.entry import Entry

POINTING_TASKS = frozenset(name for name, truth in load_truth().items() if not truth.places)


class Excuse(StrEnum):
    """A kind of what is excused in a task that only points."""

    ORDER = 'order'
    REPEATS = 'repeats'
    NOT_ASKED_FOR = 'not asked for'
    DONE_AGAIN = 'done again after an uncertain outcome'


_TOLD_BY_THE_JUDGE = {
    Excuse.ORDER: 'order: ',
    Excuse.REPEATS: 'repeats: ',
    Excuse.NOT_ASKED_FOR: 'was pointed at, but not asked for',
}


@dataclass
class KillTally:
    """What was found in tasks with kills.

    Attributes:
        faults: what must not be.
        excused: what is excused, by kind.
        uncertain: how many outcomes were uncertain, by task.
        tried_again: how many intents followed an uncertain outcome of the same action that did not count as done, by
            task. This is no fault anywhere.
    """

    faults: list[str] = field(default_factory=list)
    excused: dict[Excuse, list[str]] = field(default_factory=lambda: {kind: [] for kind in Excuse})
    uncertain: Counter[str] = field(default_factory=Counter)
    tried_again: Counter[str] = field(default_factory=Counter)

    def add_log(self, entries: Sequence[Entry], task: str, where: str = '') -> None:
        """Judges the log of a finished task."""
        self.faults += [f'{where}{fault}' for fault in once_only_faults(entries, task)]
        self.excused[Excuse.DONE_AGAIN] += [f'{where}{text}' for text in done_again(entries, task)]
        self.uncertain[task] += uncertain_outcomes(entries)
        self.tried_again[task] += tried_again(entries)

    def add_judged(self, found: Iterable[str], tasks: Sequence[str], where: str = '') -> None:
        """Sorts what the judge said of the trace of a table on which these tasks were done."""
        for fault in found:
            kinds = [kind for kind, text in _TOLD_BY_THE_JUDGE.items() if text in fault]
            told = self.excused[kinds[0]] if kinds and POINTING_TASKS.issuperset(tasks) else self.faults
            told.append(f'{where}{fault}')

    def figures(self) -> dict[str, object]:
        """All, in types that JSON can hold."""
        return {
            'faults': self.faults,
            'excused': {str(kind): len(told) for kind, told in self.excused.items()},
            'excused_told': [text for told in self.excused.values() for text in told],
            'uncertain_outcomes': dict(self.uncertain),
            'tried_again_after_uncertain': dict(self.tried_again),
        }

    def sentence(self) -> str:
        """The counts in one line."""
        excused = ', '.join(f'{kind} {len(told)}' for kind, told in self.excused.items())
        return (
            f'{len(self.faults)} faults; excused in pointing: {excused}; '
            f'uncertain outcomes: {_counted(self.uncertain)}; tried again after one: {_counted(self.tried_again)}'
        )


def once_only_faults(entries: Sequence[Entry], task: str) -> list[str]:
    """Where a finished task's log differs from the truth: something missed, repeated, foreign, or left open.

    What `done_again` tells is left out.
    """
    wanted = set(load_truth()[task].actions)
    done = _done(entries)
    ended: dict[str, list[str]] = {}
    for entry in entries:
        if entry.kind is EntryKind.OUTCOME:
            ended.setdefault(entry.action, []).append(f'{entry.code} {entry.note}'.strip())
    intents = {entry.entry_id for entry in entries if entry.kind is EntryKind.INTENT}
    closed = Counter(entry.intent_id for entry in entries if entry.kind is EntryKind.OUTCOME and entry.intent_id)
    return [
        *(f'{action} is missing; it ended with {ended.get(action, [])}' for action in sorted(wanted - set(done))),
        *(f'{action} was not asked for' for action in sorted(set(done) - wanted)),
        *(
            f'{action} was done {count} times'
            for action, count in done.items()
            if count > 1 and not _is_excused(entries, action, task)
        ),
        *(f'intent {number} has no outcome' for number in sorted(intents - set(closed))),
        *(f'intent {number} has {count} outcomes' for number, count in closed.items() if count > 1),
    ]


def done_again(entries: Sequence[Entry], task: str) -> list[str]:
    """Actions of a task that only points which were done once more after an uncertain outcome."""
    return [
        f'{action} was done {count} times'
        for action, count in _done(entries).items()
        if count > 1 and _is_excused(entries, action, task)
    ]


def tried_again(entries: Sequence[Entry]) -> int:
    """The number of intents that followed an uncertain outcome of the same action that did not count as done."""
    last: dict[str, Entry] = {}
    found = 0
    for entry in entries:
        before = last.get(entry.action)
        if entry.kind is EntryKind.INTENT and before is not None:
            found += before.uncertain and not before.done
        elif entry.kind is EntryKind.OUTCOME and not entry.refused:
            last[entry.action] = entry
    return found


def _done(entries: Sequence[Entry]) -> Counter[str]:
    return Counter(entry.action for entry in entries if entry.done)


def _is_excused(entries: Sequence[Entry], action: str, task: str) -> bool:
    """Whether a kill excuses each repeat of an action: one for each of its outcomes that was uncertain."""
    uncertain = sum(entry.done and entry.uncertain for entry in entries if entry.action == action)
    return task in POINTING_TASKS and _done(entries)[action] <= 1 + uncertain


def _counted(counts: Counter[str]) -> str:
    return ', '.join(f'{task} {count}' for task, count in counts.items() if count) or '0'
