"""Episodes: what was done in tasks, one sentence for each log entry, and found like what people said."""

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.entries import RESTORED, EntryKind
from lucca_core.protocol.remembered import Recollection
from lucca_memory.declarative.entry import Entry
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.retrieval.growing_texts import GrowingTexts
from lucca_memory.retrieval.values import Document, Question

NewEntries = Callable[[Mapping[str, int]], Mapping[str, Sequence[Entry]]]
"""Returns the entries of each task's log above the given number (0 for tasks that are not given)."""

_WORDS = {
    EntryKind.STARTED: 'was started',
    EntryKind.SUSPENDED: 'was suspended',
    EntryKind.REFUSED: 'was refused',
    EntryKind.RESUMED: 'was resumed',
    EntryKind.FINISHED: 'was finished',
}


def told(task: str, entry: Entry) -> str:
    """An entry as a sentence; empty for entries in which nothing was done: intents and refusals by the gate."""
    if entry.kind in _WORDS:
        return f'{task} {_WORDS[entry.kind]}{_held(entry) if entry.kind is EntryKind.FINISHED else ""}'
    changed = entry.kind is EntryKind.WORLD_CHANGED
    if not changed and (entry.kind is not EntryKind.OUTCOME or entry.refused):
        return ''
    call = ActionCall.from_text(entry.action)
    action = f'{call.name.replace("_", " ")}: {entry.object_name or call.argument}'
    if changed:
        return f'{task}: seen to be {"so again" if entry.code == RESTORED else "so no longer"}, {action}'
    if entry.code == ReasonCode.DONE:
        return f'{task}: done, {action}'
    return f'{task}: not done ({entry.code.replace("_", " ")}), {action}'


class Episodes:
    """The task logs as memories to recall. Safe to use from several threads."""

    def __init__(self, new_entries: NewEntries, embedder: Embedder) -> None:
        self._new_entries = new_entries
        self._texts = GrowingTexts(embedder)
        self._lock = threading.Lock()
        self._seen: dict[str, int] = {}
        self._told: list[tuple[str, Document]] = []
        """Source (task and entry number) and document of each sentence."""

    def recall(self, question: Question) -> tuple[Recollection, ...]:
        """What was done that answers a question, best first."""
        self._follow()
        hits = self._texts.search(question)
        return tuple(
            Recollection(
                kind='task',
                item_id=f'task:{place}',
                text=document.text,
                source=place.replace(':', ', entry '),
                score=hit.score,
                why=tuple(name for name, _ in hit.why),
                time=document.time,
                conversation=document.group,
            )
            for hit in hits
            for place, document in [self._told[hit.key - 1]]
        )

    def embed_missing(self, most: int) -> int:
        """Embeds some sentences that have no vector yet; returns how many. Only entries read by a recall are known
        here.

        Raises:
            ModelError: the embedder failed.
        """
        return self._texts.embed_missing(most)

    def _follow(self) -> None:
        with self._lock:
            new = []
            for task, entries in self._new_entries(self._seen).items():
                # A clock may go back: entries of one log keep their order, and none is taken for a new one again.
                times = accumulate((entry.time for entry in entries), max)
                new += [(time, task, entry) for time, entry in zip(times, entries, strict=True)]
            for _, task, entry in sorted(new, key=lambda item: item[:2]):
                self._seen[task] = entry.entry_id
                if text := told(task, entry):
                    document = Document(key=len(self._told) + 1, group=task, text=text, time=entry.time)
                    self._told.append((f'{task}:{entry.entry_id}', document))
                    self._texts.add([document])


def _held(entry: Entry) -> str:
    held = [f'{name} holds {", ".join(things)}' for name, things in entry.contents if things]
    return f'; {"; ".join(held)}' if held else ''
