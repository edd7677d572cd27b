"""Answers to questions about which objects of a task are where, from the newest text that says so."""

import re
from collections.abc import Sequence

from lucca_llm.model import Message
from lucca_llm.rules.answers.worker_answers import line_asked_for
from lucca_llm.rules.prompts.prompt_reader import (
    calls_in,
    line_after,
    read_base,
    read_history,
    read_offered,
    read_task_name,
    sections,
    things,
)

_NONE = 'none'
_UNKNOWN = 'I do not know'
_TRIES = 2


def is_question(text: str) -> bool:
    """Whether a prompt asks for objects of a task."""
    return line_after(text, 'question') is not None and re.search(r'\bnames? of objects?\b', text) is not None


def answer_recall(messages: Sequence[Message]) -> str:
    """Names of objects, or a call that retrieves missing memory."""
    latest = messages[-1].content
    task = read_task_name(latest) or ''
    question = (line_after(latest, 'question') or '').rstrip(' ?')
    memory = next((body for heading, body in sections(latest) if 'declarative memory' in heading.lower()), None)
    if memory is not None and re.match(r'not retrieved', memory, re.IGNORECASE):
        retrieve = _retrieval(messages, task)
        if retrieve:
            return retrieve
        memory = None
    names = _in_memory(memory, question) if memory is not None else _in_dialogue(messages[:-1], task, question)
    if names is None:
        return _UNKNOWN
    return ', '.join(names) or _NONE


def _retrieval(messages: Sequence[Message], task: str) -> str:
    said = '\n'.join(message.content for message in messages if message.role != 'assistant')
    call = next((call for call in read_offered(said) if 'retrieve_declarative' in call.name), None)
    asked = 0
    for message in reversed(messages[:-1]):
        if message.role == 'user' and not is_question(message.content):
            break
        asked += message.role == 'assistant' and 'retrieve' in message.content
    return f'<{call.name}({task})>' if call is not None and asked < _TRIES else ''


def _in_memory(memory: str, question: str) -> list[str] | None:
    cue = line_asked_for(question)
    listed = line_after(memory, cue) if cue else None
    if listed is None:
        return [] if re.match(r'nothing has been done', memory, re.IGNORECASE) else None
    return [thing.name for thing in things(listed)]


def _in_dialogue(messages: Sequence[Message], task: str, question: str) -> list[str] | None:
    if 'pointed' in question.lower():
        return _pointed_at(messages, task)
    cue = line_asked_for(question)
    for message in reversed(messages):
        if cue and message.role == 'user' and (read_task_name(message.content) or '').lower() == task.lower():
            listed = line_after(message.content, cue)
            if listed is not None:
                return [thing.name for thing in things(listed)]
    return None


def _pointed_at(messages: Sequence[Message], task: str) -> list[str] | None:
    about = [
        message
        for message in messages
        if message.role == 'user' and (read_task_name(message.content) or '').lower() == task.lower()
    ]
    if not about:
        return None
    calls = {name for message in messages if message.role == 'assistant' for name, _ in calls_in(message.content)}
    offered = {call.name for call in read_base('\n'.join(item.content for item in messages[:1])).actions()}
    deeds = read_history(messages, calls | offered)
    return list(
        dict.fromkeys(
            deed.argument
            for deed in deeds
            if 'point' in deed.call and deed.code == 'done' and deed.task.lower() in ('', task.lower())
        )
    )
