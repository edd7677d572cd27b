"""Rules that answer the coordinator's prompts without an LLM: the next call, from the task, memory and table."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from lucca_core.codes import ReasonCode
from lucca_core.english import and_list, at_place
from lucca_language.words.word_sets import any_of
from lucca_llm.model import Message
from lucca_llm.rules.answers.change_answers import RunningTask, change_said, restated_with_change
from lucca_llm.rules.answers.restatement_answers import asks_to_restate, restated
from lucca_llm.rules.answers.worker_answers import read_done
from lucca_llm.rules.plans.planning import make_plan
from lucca_llm.rules.prompts.action_matching import ActionText
from lucca_llm.rules.prompts.prompt_reader import (
    BasePrompt,
    OfferedCall,
    PromptTask,
    TriedCall,
    call_text,
    calls_in,
    correction_in,
    is_action,
    line_after,
    read_base,
    read_history,
    read_offered,
    read_prohibited,
    read_table,
    read_task_name,
    sections,
    things,
)  # fmt: skip
from lucca_llm.rules.prompts.task_plan import ReportedState, TaskPlan, out_of_sight
from lucca_llm.rules.utterances.descriptions import read_description, read_with_less

_UNREACHED_BEFORE = 'unreached_before'
"""In place of the code `unreachable`, after another action was done: the way may be free now."""
_SOFT = any_of(f'effect_not_seen grasp_failed timeout hardware_fault not_visible refused {_UNREACHED_BEFORE}')
"""Failures after which the same action may still work. `refused` stands for a refusal without a code.

Such a refusal does not come from the gate: memory had to be retrieved first, or was misread.
"""
_NO_FAULT = any_of('done busy cancelled stopped malformed several_actions unknown')
_TRIES = 2
_TO_DO = (
    r'(?:objects? )?(?:still |left |remaining )?(?:to handle|to do|to-do|still to (?:handle|do)|'
    r'left to (?:handle|do)|relevant objects|selected objects|objects to (?:handle|do)|next objects)(?:, in order)?|'
    r'objects (?:still )?to handle.*|objects that (?:still )?(?:matter|need).*|objects still to handle.*'
)


@dataclass(frozen=True)
class _Memory:
    declarative: str | None
    working: str | None

    @property
    def text(self) -> str:
        return '\n'.join(part for part in (self.declarative, self.working) if part)


def answer_coordinator(messages: Sequence[Message]) -> str:
    """The next call for the task that the last message is about."""
    system = '\n'.join(message.content for message in messages if message.role == 'system')
    base = (
        read_base(system)
        if system
        else read_base('\n'.join(message.content for message in messages if message.role == 'user'))
    )
    latest = _last_of(messages, 'user')
    task = _task(base, messages)
    if task is None:
        return _cannot(base, 'what the task asks for is not in what I was sent')
    if asks_to_restate(latest):
        done = line_after(latest, r'done so far') or ''
        told = _Memory(f'Done so far: {done}', None)
        rules = _StepRules(base, task, told, [*messages[:1], messages[-1]], latest)
        if said := change_said(latest):
            calls = tuple(call for call in calls_in(done) if call in rules.situation.done)
            running = RunningTask(task.description, base.background, rules.situation, rules.plan, calls)
            return restated_with_change(running, said)
        return restated(rules.reading, rules.plan, rules.situation)
    memory = _memory_in(messages)
    wanted = _retrieval(base, task, memory, messages)
    if wanted is not None:
        return wanted
    return _StepRules(base, task, memory, messages, latest).answer()


def _last_of(messages: Sequence[Message], role: str) -> str:
    return next((message.content for message in reversed(messages) if message.role == role), '')


def _task(base: BasePrompt, messages: Sequence[Message]) -> PromptTask | None:
    named = next(
        (
            name
            for message in reversed(messages)
            if message.role == 'user' and (name := read_task_name(message.content))
        ),
        None,
    )
    for task in base.tasks:
        if named is not None and task.name.lower() == named.lower():
            return task
    described = line_after(_last_of(messages, 'user'), r'description')
    if described:
        return PromptTask(named or 'task', described)
    return base.tasks[0] if len(base.tasks) == 1 and named is None else None


def _offered(base: BasePrompt, *words: str) -> OfferedCall | None:
    return next(
        (call for call in base.offered if not is_action(call) and any(word in call.name.lower() for word in words)),
        None,
    )


def _cannot(base: BasePrompt, reason: str) -> str:
    call = _offered(base, 'cannot', 'can_not', 'refuse', 'impossible')
    return call_text(call.name if call is not None else 'cannot_do', reason)


# -- memory -------------------------------------------------------------------------------------------------------


def _step_start(messages: Sequence[Message]) -> int:
    """Index of the first message of the current step: after the last answer that was not a retrieval."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == 'assistant' and not re.search(r'<\s*retrieve', messages[index].content):
            return index + 1
    return 0


def _memory_in(messages: Sequence[Message]) -> _Memory:
    found: dict[str, str] = {}
    for message in messages[_step_start(messages) :]:
        if message.role != 'user':
            continue
        for heading, body in sections(message.content):
            for kind in ('declarative', 'working'):
                filled = body and not re.match(r'\(?not (?:yet )?retrieved', body, re.IGNORECASE)
                if re.match(rf'(?:the )?{kind} memory', heading, re.IGNORECASE) and filled:
                    found[kind] = body
        for kind in ('declarative', 'working'):
            match = re.search(
                rf'^\s*(?:the )?{kind} memory[^:\n#]*:\s*(.+?)(?=\n\s*\n|\Z)',
                message.content,
                re.IGNORECASE | re.MULTILINE | re.DOTALL,
            )
            if match and kind not in found and 'not retrieved' not in match.group(1):
                found[kind] = match.group(1)
    return _Memory(found.get('declarative'), found.get('working'))


def _retrieval(base: BasePrompt, task: PromptTask, memory: _Memory, messages: Sequence[Message]) -> str | None:
    asked = [
        call
        for message in messages[_step_start(messages) :]
        if message.role == 'assistant'
        for call, _ in calls_in(message.content)
    ]
    for kind, text in (('declarative', memory.declarative), ('working', memory.working)):
        call = _offered(base, f'retrieve_{kind}', f'{kind}_memory')
        # An unanswered retrieval is repeated once; then the step goes on without it.
        if call is not None and text is None and asked.count(call.name) < _TRIES:
            return call_text(call.name, task.name)
    return None


# -- the next action ----------------------------------------------------------------------------------------------


class _StepRules:
    def __init__(
        self, base: BasePrompt, task: PromptTask, memory: _Memory, messages: Sequence[Message], latest: str
    ) -> None:
        self.base = base
        self.task = task
        self.memory = memory
        self.latest = latest
        described = {action.name: action for action in base.actions()}
        for offered in read_offered(latest):
            if is_action(offered):
                described.setdefault(offered.name, ActionText(offered.name, offered.description))
        names = task.actions or tuple(described)
        self.actions = tuple(described.get(name, ActionText(name)) for name in names)
        self.history = [
            deed
            for deed in read_history(messages, [*described, *names, *self._finish_names()])
            if deed.task.lower() in ('', task.name.lower())
        ]
        deeds = [deed for deed in self.history if deed.call not in self._finish_names()]
        self.failed = _failed(deeds)
        self.withdrawn = any(deed.code == 'prohibited' for deed in deeds)
        """whether an object was prohibited while the arm was on its way to it, so that the task was begun"""
        self.listed: list[str] = []
        table = next(
            (
                table
                for message in reversed(messages)
                if message.role == 'user' and (table := read_table(message.content)).on_table is not None
            ),
            None,
        )
        on_table = table.on_table if table is not None and table.on_table is not None else ()
        done = {(deed.call, deed.argument) for deed in deeds if deed.code in ('done', 'unknown')} | read_done(
            memory.text, self.actions
        )
        elsewhere = list(table.elsewhere) if table is not None else []
        elsewhere += out_of_sight(done, (*on_table, *elsewhere))
        self.situation = ReportedState(
            on_table=on_table,
            elsewhere=tuple(elsewhere),
            done=frozenset(done),
            actions=self.actions,
            places=table.places if table is not None else (),
            prohibited=read_prohibited(latest),
            unnamed=_unnamed(memory, {*(name for _, name in done), *(thing.name for thing in elsewhere)}),
        )
        avoid = frozenset(self.failed)
        here = (*on_table, *elsewhere)
        self.reading = read_description(task.description, base.background, here, self.situation.places)
        self.first_choice = make_plan(self.reading.program, self.situation)
        if not (self.first_choice.begun or (self.reading.is_understood and _reason(self.first_choice) is None)):
            for less in read_with_less(task.description, base.background, here, self.situation.places):
                if (plan := make_plan(less.program, self.situation)).to_do and _reason(plan) is None:
                    self.reading, self.first_choice = less, plan
                    break
        program = self.reading.program
        self.plan = make_plan(program, self.situation, avoid=avoid) if avoid else self.first_choice
        self.plan = replace(self.plan, begun=self.plan.begun or self.withdrawn)
        self.reading = self.reading.knowing(self.plan.by_meaning)

    def _finish_names(self) -> tuple[str, ...]:
        call = _offered(self.base, 'finish', 'complete', 'done')
        return (call.name,) if call is not None else ('finish_task',)

    def answer(self) -> str:
        if self.reading.not_understood and not self.plan.begun:
            # A task that was begun had been understood; by now an object that was handed over may be unknown.
            return _cannot(self.base, f'I did not understand: {", ".join(self.reading.not_understood)}')
        if not self.plan.begun and (reason := _reason(self.plan)) is not None:
            # A task that cannot be done in full is not begun. If it was begun, the rest is done before saying so.
            return _cannot(self.base, reason)
        candidates = self._candidates()
        now = {*candidates[:1], *self.plan.now, *self.first_choice.now}
        usable = [call for call in candidates if call in now and self._may_try(call)]
        if candidates and not usable:
            # The remembered objects do not work; an equivalent one may.
            usable = [call for call in self.plan.now if self._may_try(call)]
        if usable:
            return call_text(*min(usable, key=lambda call: self.failed.get(call, (0, ''))[0]))
        if candidates:
            name = candidates[0][1]
            return _cannot(self.base, f'{name}: {self._why(candidates[0])}')
        if self.listed:
            return _cannot(
                self.base, f'memory still lists {", ".join(self.listed)}, for which no action follows from the task'
            )
        return self._end()

    def _may_try(self, call: tuple[str, str]) -> bool:
        times, code = self.failed.get(call, (0, ''))
        return times == 0 or (code in _SOFT and times < _TRIES)

    def _why(self, call: tuple[str, str]) -> str:
        code = self.failed.get(call, (0, 'it does not work'))[1]
        words = {'grasp_failed': 'it cannot be grasped'}
        words |= dict.fromkeys((ReasonCode.UNREACHABLE, _UNREACHED_BEFORE), 'it cannot be reached')
        return words.get(code, code.replace('_', ' '))

    def _candidates(self) -> list[tuple[str, str]]:
        listed = line_after(self.memory.working or '', _TO_DO)
        if listed is None:
            return list(self.plan.to_do)
        by_name = {thing.name.lower(): thing.name for thing in self.situation.on_table}
        names = [by_name.get(thing.name.lower()) for thing in things(listed)]
        if not names:
            names = [thing.name for thing in self.situation.on_table if thing.name.lower() in self._refused_finish()]
        found = []
        for name in names:
            if name is None:
                continue
            action = self.plan.action_for(name) or self.first_choice.action_for(name)
            if action is None and len(self.actions) == 1:
                action = self.actions[0].name
            if action is not None:
                found.append((action, name))
        self.listed = [name for name in names if name is not None]
        return found

    def _refused_finish(self) -> set[str]:
        """Names of the objects that a refusal of finish_task mentions."""
        correction = correction_in(self.latest) or ''
        if not self.history or self.history[-1].call not in self._finish_names():
            return set()
        text = f' {" ".join(re.findall(r"[a-z0-9]+", correction.lower()))} '
        return {thing.name.lower() for thing in self.situation.on_table if f' {thing.name.lower()} ' in text}

    def _end(self) -> str:
        plan = self.plan
        if not plan.understood:
            return _cannot(self.base, f'the description of {self.task.name} does not say what to do with which objects')
        if len(plan.missing) <= self.situation.unnamed and correction_in(self.latest) is None:
            # An object that was handed over is no longer listed; the log knows whether it was, and is asked.
            plan = replace(plan, missing=())
        reason = _reason(plan)
        if reason is not None:
            return _cannot(self.base, reason)
        if plan.unsure:
            names = and_list([f'the {name}' for name in plan.unsure])
            return _cannot(self.base, f'Where {"do" if len(plan.unsure) > 1 else "does"} {names} belong?')
        return call_text(self._finish_names()[0], self.task.name)


def _unnamed(memory: _Memory, named: Collection[str]) -> int:
    """The number of actions that memory counts as done, beyond those whose objects it or the table names."""
    counted = re.search(r'Done so far: (\d+) action', memory.declarative or '')
    return max(0, int(counted.group(1)) - len(named)) if counted else 0


def _reason(plan: TaskPlan) -> str | None:
    if plan.prohibited:
        return '; '.join(plan.prohibited)
    if plan.ambiguous and not plan.begun:
        return '; '.join(f'"{text}" may be {" or ".join(names)}' for text, names in plan.ambiguous)
    if plan.missing:
        return f'there is no such object here: {", ".join(plan.missing)}'
    if plan.kept:
        return '; '.join(f'{name} is {_in(place)}' for name, place in plan.kept)
    if plan.impossible:
        return f'no action does this: {"; ".join(plan.impossible)}'
    return None


def _in(place: str) -> str:
    if place.endswith('side'):
        return f'at the {place} already, I cannot take things from there'
    return f'{at_place(place)}, I cannot take things out of it'


def _failed(deeds: Sequence[TriedCall]) -> dict[tuple[str, str], tuple[int, str]]:
    """Failures of each call since it last worked: how many, and the last code."""
    failed: dict[tuple[str, str], tuple[int, str]] = {}
    for deed in deeds:
        call = (deed.call, deed.argument)
        if deed.code == 'done':
            failed.pop(call, None)
            for other, (times, code) in failed.items():
                failed[other] = (times, _UNREACHED_BEFORE if code == ReasonCode.UNREACHABLE else code)
        elif deed.code not in _NO_FAULT:
            failed[call] = (failed.get(call, (0, ''))[0] + 1, deed.code)
    return failed
