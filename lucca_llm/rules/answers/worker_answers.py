"""Answers to the worker's prompts: one line with the objects relevant to a task, or in a log's last entry."""

import re
from dataclasses import replace

from lucca_language.reading.program import Program
from lucca_llm.rules.plans.planning import make_plan
from lucca_llm.rules.prompts.action_matching import ActionText
from lucca_llm.rules.prompts.prompt_reader import (
    calls_in,
    code_in,
    is_action,
    line_after,
    read_base,
    read_offered,
    read_prohibited,
    read_table,
    split_list,
    things,
)
from lucca_llm.rules.prompts.task_plan import ReportedState, out_of_sight
from lucca_llm.rules.utterances.descriptions import read_description

_NONE = 'none'
_ENTRY = re.compile(r'^\s*(?:#+\s*)?(?:log )?entry\b.*$', re.IGNORECASE | re.MULTILINE)
_ONE_ACTION = re.compile(r'^Which objects\b.*<(\w+)\(object\)>\?', re.MULTILINE)
_LIST_QUESTION = re.compile(r'\b(?:list|extract|name|output|which)\b.*\bobjects?\b', re.IGNORECASE)


def answer_worker(text: str, background: str = '') -> str | None:
    """The answer to a prompt that asks for a list of objects, or None for other prompts."""
    if not re.search(
        r'separated by (?:a )?commas?|comma[- ]separated', text, re.IGNORECASE
    ) or not _LIST_QUESTION.search(text):
        return None
    if re.search(r'\blast (?:log )?entry\b|\blog entries\b', text, re.IGNORECASE):
        names = names_in_log(text)
    else:
        names = relevant(text, background)
    return ', '.join(names) or _NONE


def relevant(text: str, background: str) -> list[str]:
    """The objects on the table that the described task still needs, in order."""
    situation, description = read_situation(text)
    listed = (*situation.on_table, *situation.elsewhere)
    program = read_description(description, background, listed, situation.places).program
    if not situation.actions:
        situation = replace(situation, actions=_implied_actions(program))
    plan = make_plan(program, situation)
    asked = _ONE_ACTION.search(text)
    return list(dict.fromkeys(name for action, name in plan.to_do if asked is None or action == asked[1]))


def _implied_actions(program: Program) -> tuple[ActionText, ...]:
    """One action for each directive of the description, for prompts that name no actions."""
    wanted = {
        f'{directive.verb} an object {directive.target or ""}': None
        for directive in program.directives
        if directive.kind != 'dont'
    }
    return tuple(
        ActionText(f'action_{"abcdefghijklmnopqrstuvwxyz"[number % 26]}', text) for number, text in enumerate(wanted)
    )


def read_situation(text: str) -> tuple[ReportedState, str]:
    """The reported state and the description in a prompt."""
    description = _description(text)
    if description is None:
        named = re.search(r'^\s*\**[\w -]*\btask\b\**\s*:\s*(.+)$', text, re.IGNORECASE | re.MULTILINE)
        tasks = read_base(text).tasks
        description = tasks[0].description if tasks else named.group(1) if named else ''
    actions = tuple(ActionText(call.name, call.description) for call in read_offered(text) if is_action(call))
    allowed = line_after(text, r'(?:allowed )?actions of (?:this|the) task')
    if allowed is not None:
        actions = tuple(action for action in actions if action.name in split_list(allowed)) or actions
    table = read_table(text)
    listed = table.on_table
    if listed is None:
        from_following = re.search(r'\bfrom the following[^:]*:\s*([^\n]+)', text, re.IGNORECASE)
        listed = things(from_following.group(1)) if from_following else ()
    done = read_done(text, actions)
    return ReportedState(
        on_table=listed,
        elsewhere=(*table.elsewhere, *out_of_sight(done, (*listed, *table.elsewhere))),
        done=done,
        actions=actions,
        places=table.places,
        prohibited=read_prohibited(text),
    ), description


_LABEL = re.compile(
    r'\s*(?:the )?(?:actions?|done|in|inside|on|objects?|things|items|task|name|log|remaining|from|output|'
    r'what)\b[^\n]*:|\s*#|\s*<|\s*$',
    re.IGNORECASE,
)


def _description(text: str) -> str | None:
    """The text after `Description:`, over several lines if need be."""
    match = re.search(r'^\s*(?:task )?description[^\n:]*:[^\S\n]*(.*)$', text, re.IGNORECASE | re.MULTILINE)
    if match is None:
        return None
    lines = [match.group(1)]
    for line in text[match.end() :].split('\n')[1:]:
        if _LABEL.match(line) or calls_in(line):
            break
        lines.append(line)
    return '\n'.join(lines).strip()


def read_done(text: str, actions: tuple[ActionText, ...]) -> frozenset[tuple[str, str]]:
    """(action, object) pairs reported as done: as calls, or as lists after `Pointed at:` and the like."""
    names = {action.name for action in actions}
    found: set[tuple[str, str]] = set()
    for cue in (
        r'done so far',
        r'done(?! so)',
        r'(?:already |what was |what has been )?done',
        r'actions? (?:done|so far|taken)',
    ):
        listed = line_after(text, cue)
        for part in split_list(listed or ''):
            code = code_in(part[part.rfind(')') + 1 :])
            if code in (None, 'done'):
                found |= {call for call in calls_in(part) if call[0] in names}
    for action in actions:
        if 'point' in action.description.lower() or 'point' in action.name:
            listed = line_after(
                text, r'(?:already )?pointed at(?: so far)?|objects (?:already )?pointed at|pointing done'
            )
            found |= {(action.name, name) for name in split_list(listed or '')}
    return frozenset(found)


def names_in_log(text: str) -> list[str]:
    """The names on the line of the last entry that the question asks about."""
    question_start = max(
        (match.start() for match in re.finditer(r'^.*\blast (?:log )?entry\b.*$', text, re.IGNORECASE | re.MULTILINE)),
        default=len(text),
    )
    log, question = text[:question_start], text[question_start:]
    starts = [match.end() for match in _ENTRY.finditer(log)]
    entry = log[starts[-1] :] if starts else log
    cue = line_asked_for(question)
    listed = line_after(entry, cue) if cue else None
    return [re.sub(r'^(?:\d+[.)]\s*|[-*]\s*)', '', part).strip() for part in split_list(listed or '')]


def line_asked_for(question: str) -> str | None:
    """A pattern for the beginning of the line that a question asks about."""
    quoted = re.search(
        r'(?:after|behind|line|field|under)\s+(?:the (?:words|line|label)\s+)?["\u201c\']([^"\u201d\n]+?):?["\u201d\']',
        question,
    )
    if quoted:
        return re.escape(quoted.group(1).strip(' :'))
    lowered = question.lower()
    if 'pointed' in lowered:
        return r'(?:objects )?(?:already )?pointed at'
    if re.search(r'on the table|remaining', lowered):
        return r'(?:objects (?:left |still )?on the table|remaining objects|on the table|remaining)'
    inside = re.search(
        r'\b(?:in|inside|on|at) (?:the )?([\w\' ]+?)(?: (?:from|of|according)\b|[:.,\n]|$)',
        re.sub(r'from the last (?:log )?entry(?: of the log)?', '', lowered),
    )
    if inside:
        place = re.escape(inside.group(1).strip())
        return rf'(?:in |inside |on |at )?(?:the )?{place}'
    return None
