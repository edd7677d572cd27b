"""Removal of a person from recordings: events that name or quote them, or belong to their goals."""

import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lucca_core.errors import RecordingError
from lucca_core.file_lock import lock_at_once
from lucca_core.protocol.observations import GoalNews, MemoryMisread
from lucca_core.regular_file import reading, sync_folder
from lucca_llm.exchange import ModelExchange
from lucca_view.events import Event, Said, SessionInfo
from lucca_view.recording.codec import to_json, words_in
from lucca_view.recording.places import known_recordings
from lucca_view.recording.reader import read_session
from lucca_view.recording.redaction import Redaction
from lucca_view.recording.writer import SessionWriter

SHORTEST_QUOTE = 8
"""Shorter lines, such as "yes", may be anybody's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """The result of forgetting: removed events, rewritten files, and files that were not reached, with the reason."""

    events: int = 0
    files: int = 0
    not_reached: tuple[str, ...] = ()


def forget_person(data_dir: Path, name: str, lines: Iterable[str] = ()) -> Forgotten:
    """Rewrites the recordings in a data folder without a person; recordings elsewhere are listed as not reached.

    Args:
        data_dir: the data folder.
        name: name of the person.
        lines: what they said, word for word.

    Raises:
        RecordingError: the list of recordings cannot be read, or a file could not be rewritten and stays complete.
    """
    own, elsewhere = known_recordings(data_dir)
    not_reached = [f'{file}: not in the data folder' for file in elsewhere]
    quotes = tuple(line.casefold() for line in lines if len(line) >= SHORTEST_QUOTE)
    events = files = 0
    for file in own:
        try:
            taken = _rewritten(file, name, quotes)
        except RecordingError as error:
            not_reached.append(str(error))
            continue
        events += taken
        files += bool(taken)
    return Forgotten(events=events, files=files, not_reached=tuple(not_reached))


def without(events: Sequence[Event], name: str, quotes: Collection[str]) -> tuple[Event, ...]:
    """The events that neither name nor quote a person, nor belong to one of their goals.

    While such a goal runs, no utterances, prompts and misread memories are kept, as they may contain what the person
    said in other words.
    """
    word = re.compile(rf'(?<!\w){re.escape(name.casefold())}(?!\w)')
    own: set[str] = set()
    open_goals: set[str] = set()
    kept: list[Event] = []
    for event in events:
        value = event.value
        if isinstance(value, GoalNews) and value.request.person.casefold() == name.casefold():
            own.add(value.goal_id)
        if isinstance(value, GoalNews) and value.goal_id in own:
            (open_goals.discard if value.result is not None else open_goals.add)(value.goal_id)
            continue
        if open_goals and isinstance(value, ModelExchange | MemoryMisread | Said):
            continue
        texts = [text.casefold() for text in words_in(to_json(value))]
        if any(word.search(text) or any(quote in text for quote in quotes) for text in texts):
            continue
        kept.append(event)
    return tuple(kept)


def _rewritten(file: Path, name: str, quotes: Collection[str]) -> int:
    """Rewrites a file; returns the number of events removed."""
    try:
        with reading(file) as lock:
            if not lock_at_once(lock.fileno()):
                raise RecordingError(f'{file}: is being recorded now; end that and forget again')
            session = read_session(file)
            events = session.events
            kept = without(events, name, quotes)
            if len(kept) == len(events):
                if session.cut:
                    # What is rewritten ends at the cut, so that nothing is left behind it.
                    raise RecordingError(f'{file}: {session.cut}; what follows was not searched')
                return 0
            _replace(file, events, kept)
            return len(events) - len(kept)
    except OSError as error:
        raise RecordingError(f'{file}: {error}') from error


def _replace(file: Path, events: Sequence[Event], kept: Sequence[Event]) -> None:
    draft = file.with_name(f'{file.name}.new')
    draft.unlink(missing_ok=True)
    infos = [event.value for event in events if isinstance(event.value, SessionInfo)]
    info = infos[0] if infos else SessionInfo(lucca_version='', robot='')
    size = 2**62
    writer = SessionWriter(draft, replace(info, number=0), Redaction({}), part_bytes=size, budget_bytes=size)
    first = kept[0] if kept else events[0]
    try:
        writer.write(replace(first, value=info))
        for event in kept:
            if not isinstance(event.value, SessionInfo):
                writer.write(event)
        writer.close()
        os.replace(draft, file)
    except BaseException:
        writer.close()
        draft.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)
