"""Exporting everything known about a person as a JSON document, and importing it."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lucca_core.errors import MemoryFault
from lucca_core.json_text import parse_json
from lucca_core.person_names import check_name
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import NewLine, Person

FORMAT = 1

_LINE = ('line_id', 'conversation', 'speaker', 'text', 'time', 'answers')
_SUMMARY = ('text', 'first_line', 'last_line', 'time')
_VERDICT = ('verdict', 'question', 'answer', 'recalled', 'time')
"""The exported fields of lines, summaries and verdicts."""


def export_person(store: PeopleStore, person: Person) -> str:
    """A JSON document with a person's lines, summaries, forgotten lines and verdicts.

    Raises:
        MemoryFault: the store cannot be read.
    """
    number = person.person_id
    document = {
        'lucca_person': FORMAT,
        'name': person.name,
        'since': person.since,
        'lines': [_plain(line, _LINE) for line in store.lines(number)],
        'summaries': [_plain(item, _SUMMARY) for item in store.summaries(number)],
        'forgotten': [
            {**_plain(item.line, _LINE), 'reason': item.reason, 'put_away': item.time}
            for item in store.forgotten(number)
        ],
        'feedback': [_plain(item, _VERDICT) for item in store.feedback(number)],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, default=datetime.isoformat)


def import_person(store: PeopleStore, text: str) -> Person:
    """Creates a person from a document of `export_person`, with lines and summaries; forgotten lines stay forgotten.

    Raises:
        NameTakenError: another person has the name; nothing is imported.
        MemoryFault: the text is not such a document, or the store cannot be written.
    """
    try:
        document = parse_json(text)
        if document['lucca_person'] != FORMAT:
            raise MemoryFault(f'a person in format {document["lucca_person"]!r} is from another version of lucca')
        name, since = check_name(str(document['name'])), datetime.fromisoformat(document['since'])
        old_ids = [int(entry['line_id']) for entry in document['lines']]
        lines = [_line_from_json(entry) for entry in document['lines']]
        summaries = [
            (str(entry['text']), int(entry['last_line']), datetime.fromisoformat(entry['time']))
            for entry in document['summaries']
        ]
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:
        raise MemoryFault(f'this is not an exported person: {type(error).__name__}: {str(error)[:200]}') from error
    person = store.create(name, since)
    try:
        stored = store.append(person.person_id, lines)
        begin = 0
        for summary, last_line, time in summaries:
            end = sum(old <= last_line for old in old_ids)
            if end > begin:
                store.add_summary(person.person_id, summary, stored[begin].line_id, stored[end - 1].line_id, time)
                begin = end
    except MemoryFault:
        store.erase(person.person_id)
        raise
    return person


def _plain(item: object, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(item, name) for name in names}


def _line_from_json(entry: Mapping[str, Any]) -> NewLine:
    return NewLine(
        conversation=str(entry['conversation']),
        speaker=str(entry['speaker']),
        text=str(entry['text']),
        time=datetime.fromisoformat(entry['time']),
        answers=bool(entry['answers']),
    )
