"""One turn of a conversation, answered by the rules, with the prompts of the coordinator."""

import functools
from itertools import zip_longest

import jinja2
import yaml

from lucca_core.paths import config_dir
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.rules.rule_based_model import RuleBasedModel

TASKS = yaml.safe_load((config_dir() / 'tasks.yaml').read_text())['tasks']


PERSONA = {'name': 'Pim', 'about': 'You help.', 'style': [], 'languages': ['en'], 'most_sentences': 3}


CALLS = {
    'recall': ['query'],
    'task_history': ['name'],
    'last_actions': [],
    'search_facts': ['query'],
    'remember': ['text'],
    'forget': ['ids'],
    'teach_task': ['name', 'description'],
    'introduce': ['name'],
    **{name: ['name'] for name in ('start_task', 'resume_task', 'stop_task')},
    **{name: ['text'] for name in ('do', 'cannot_do', 'say')},
}


@functools.cache
def template(name: str) -> jinja2.Template:
    folder = jinja2.FileSystemLoader(config_dir() / 'prompts')
    return jinja2.Environment(loader=folder, autoescape=False, trim_blocks=True).get_template(name)  # noqa: S701


def ask(
    text: str,
    *,
    person: str = 'Ada',
    table=None,
    memories=(),
    opening=(),
    results=(),
    before=(),
    answers=(),
    asked='',
    asked_of='',
    by: ChatModel | None = None,
    **status: str,
) -> str:
    """The answer to `text` behind the texts `before`, which were answered with `answers`, or else with a yes.

    `asked` is the question with which the last task ended, `asked_of` the text that it was about."""
    tools = [
        {'name': name, 'parameters': [(item, '') for item in items], 'description': 'x'}
        for name, items in CALLS.items()
    ]
    base = template('conversation_base.j2').render(persona=PERSONA, tools=tools, native=False)
    tasks = [{'name': name, 'status': status.get(name, 'not started'), **spec} for name, spec in TASKS.items()]
    turn = template('conversation_turn.j2').render(
        tasks=tasks,
        table=table,
        person=person,
        remembered=True,
        opening=opening,
        memories=memories,
        now='Sunday, 2026-11-22 09:30 UTC',
        asked=asked,
        asked_of=asked_of,
        text=text,
        native=False,
    )
    messages = [Message('system', base)]
    for said, answered in zip_longest(before, answers, fillvalue='<say(Yes.)>'):
        messages += [Message('user', f'Ada said: {said}'), Message('assistant', answered)]
    messages.append(Message('user', turn))
    for call, lines in results:
        shown = template('conversation_result.j2').render(call=call, correction='', lines=lines, native=False)
        messages += [Message('assistant', call), Message('user', shown)]
    return (by or RuleBasedModel()).chat(messages, ChatOptions()).text
