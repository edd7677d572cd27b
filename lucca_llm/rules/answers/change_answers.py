"""Answers to prompts that ask how a changed task is understood: what is left, as data and in words."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lucca_language.reading.reading import Reading, read, words_of
from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.answers.restatement_answers import NOTHING_TO_DO, in_words
from lucca_llm.rules.plans.planning import make_plan
from lucca_llm.rules.prompts.action_matching import ActionText, lasts
from lucca_llm.rules.prompts.task_plan import ReportedState, TaskPlan
from lucca_llm.rules.utterances.change_forms import ChangeForm, ChangeKind, change_in

Calls = tuple[tuple[str, str], ...]
_SAID = re.compile(r'^Said in the middle of the task by [^:\n]*: (?P<said>.+)$', re.MULTILINE)
_POINTER = ActionText('point_at', 'Points at an object.')


def change_said(prompt: str) -> str:
    """What somebody said during the task; empty if the prompt reports nothing."""
    match = _SAID.search(prompt)
    return match['said'].strip() if match else ''


class _Unclear(Exception):
    """The change cannot be taken in. `words` were not understood."""

    def __init__(self, question: str, words: Sequence[str] = ()) -> None:
        super().__init__(question)
        self.words = tuple(words)


@dataclass(frozen=True)
class RunningTask:
    """A running task: its description, what is seen, and the calls that are done (oldest first) or left."""

    description: str
    background: str
    situation: ReportedState
    plan: TaskPlan
    done: Calls

    @property
    def names(self) -> frozenset[str]:
        """The words for the objects in the scene."""
        handled = (ListedObject(name) for _, name in self.done)
        return words_of((*self.situation.on_table, *self.situation.elsewhere, *handled))


def restated_with_change(task: RunningTask, said: str) -> str:
    """The understanding of the changed task as one JSON object; it holds a question if the change is not clear."""
    try:
        return _Changing(task, said).answer()
    except _Unclear as unclear:
        return json.dumps(
            {'understood': '', 'not_understood': list(unclear.words), 'question': str(unclear), 'calls': []}
        )


class _Changing:
    def __init__(self, task: RunningTask, said: str) -> None:
        self.task = task
        self.said = said
        self.left: list[tuple[str, str]] = list(task.plan.to_do)
        self.wording = dict(task.plan.wording)
        self.added = ''
        """A sentence to append to the description so that it includes the change, if there is one."""
        self.remark = ''

    def answer(self) -> str:
        form = change_in(self.said)
        if form is None:
            raise _Unclear(f'I did not understand “{self.said}”. What shall I do now?')
        {
            ChangeKind.ADD: self._add,
            ChangeKind.REVISE: self._revise,
            ChangeKind.RETRACT: self._retract,
            ChangeKind.REPLACE: self._replace,
            ChangeKind.CORRECT: self._correct,
        }[form.kind](form)
        description = self._description()
        words = in_words(replace(self.task.plan, to_do=tuple(self.left), wording=self.wording)) or NOTHING_TO_DO
        return json.dumps(
            {
                'understood': f'{words} ({self.remark})' if self.remark else words,
                'not_understood': [],
                'question': '',
                'calls': [f'{action}({name})' for action, name in self.left],
                'description': description,
            }
        )

    # -- what a change does to the calls ------------------------------------------------------------------------------

    def _add(self, form: ChangeForm) -> None:
        if form.is_sentence:
            self._revise(form)
            return
        action = self._one_action(form.what)
        for name in self._meant(form.what):
            if (action, name) in self.task.done:
                self.remark = self._already(name)
            elif (action, name) not in self.left:
                self._drop(name, action)
                self.left.append((action, name))
        template = self.wording.get(action, '')
        self.added = template.format(form.what) if template else ''

    def _revise(self, form: ChangeForm) -> None:
        reading = self._understood(form.what)
        plan = make_plan(reading.program, self.task.situation)
        if plan.ambiguous:
            text, names = plan.ambiguous[0]
            raise _Unclear(f'Which one do you mean by “{text}”: {" or ".join(names)}?')
        if plan.kept and not plan.to_do:
            self.remark = '; '.join(self._already(name) for name, _ in plan.kept)
            return
        handled = [name for _, name in self.task.done if f' {name.lower()} ' in f' {form.what.lower()} ']
        if plan.missing and handled and not plan.to_do:
            self.remark = '; '.join(map(self._already, handled))
            return
        if plan.prohibited:
            raise _Unclear(f'I cannot do that: {"; ".join(plan.prohibited)}')
        if plan.missing or plan.impossible or not plan.understood:
            what = ', '.join((*plan.missing, *plan.impossible)) or form.what
            raise _Unclear(f'I cannot do that: {what}. Shall I go on as before?')
        self.wording = {**plan.wording, **self.wording}
        for action, name in plan.to_do:
            self._put(action, name)
        self.added = form.what

    def _retract(self, form: ChangeForm) -> None:
        left = {name for _, name in self.left}
        names = self._meant(form.what, among=left, strict=False) or self._meant(form.what)
        gone = [name for name in names if name in left]
        for name in gone:
            self.left = [call for call in self.left if call[1] != name]
        handled = {name for _, name in self.task.done}
        if not gone:
            self.remark = '; '.join(self._already(name) for name in names if name in handled)
        self.added = f'leave {form.what}'

    def _replace(self, form: ChangeForm) -> None:
        left = {name for _, name in self.left}
        names = self._meant(form.what, among=left, strict=False)
        instead = self._meant(form.instead)
        if len(names) != 1 or len(instead) != 1:
            handled = [name for _, name in self.task.done if name in self._meant(form.what)]
            if handled and len(instead) == 1:
                self.remark = self._already(handled[-1])
                action = next(action for action, name in reversed(self.task.done) if name == handled[-1])
                self._put(action, instead[0])
                return
            raise _Unclear(f'I did not understand “{self.said}”: which object instead of which?')
        self.left = [(action, instead[0] if name == names[0] else name) for action, name in self.left]

    def _correct(self, form: ChangeForm) -> None:
        if not self.task.done:
            raise _Unclear('Nothing has been done yet. Which one do you not mean?')
        action, name = self.task.done[-1]
        self.remark = self._already(name)
        if not form.instead:
            raise _Unclear(f'{self.remark[0].upper()}{self.remark[1:]}. Which one do you mean instead?')
        for other in self._meant(form.instead):
            self._put(action, other)

    def _put(self, action: str, name: str) -> None:
        """Makes this the action for an object that has no action yet, or another one that would move it."""
        if (action, name) in (*self.left, *self.task.done):
            return
        at = next((number for number, call in enumerate(self.left) if call[1] == name), None)
        if at is None:
            self.left.append((action, name))
        else:
            self.left[at] = (action, name)

    def _drop(self, name: str, action: str) -> None:
        moves = {item.name for item in self.task.situation.actions if lasts(item)}
        if action in moves:
            self.left = [call for call in self.left if call[1] != name or call[0] not in moves]

    def _one_action(self, what: str) -> str:
        actions = list(dict.fromkeys(action for action, _ in (*self.task.done, *self.left)))
        if len(actions) != 1:
            raise _Unclear(f'What shall I do with {what}?')
        self.wording.setdefault(actions[0], '')
        return actions[0]

    def _already(self, name: str) -> str:
        action = next((action for action, done in reversed(self.task.done) if done == name), '')
        place = next((item.place for item in self.task.situation.elsewhere if item.name == name), '')
        if place and not place.startswith('after '):
            return f'the {name} is in {place} already, and I cannot take it out'
        return f'{action.replace("_", " ")} of the {name} is done already'

    # -- reading ------------------------------------------------------------------------------------------------------

    def _understood(self, text: str) -> Reading:
        reading = read(text, self.task.background, self.task.names)
        if reading.not_understood:
            words = ', '.join(f'“{word}”' for word in reading.not_understood)
            raise _Unclear(f'I did not understand {words}. What shall I do now?', reading.not_understood)
        return reading

    def _meant(self, what: str, among: set[str] | None = None, *, strict: bool = True) -> list[str]:
        """The names of the objects that a noun phrase means, among all listed objects or those in `among`."""
        reading = self._understood(f'point at {what}')
        listed: tuple[ListedObject, ...] = (*self.task.situation.on_table, *self.task.situation.elsewhere)
        if among is not None:
            listed = tuple(thing for thing in listed if thing.name in among)
        listed = tuple(replace(thing, place='table') for thing in listed)
        plan = make_plan(reading.program, ReportedState(on_table=listed, actions=(_POINTER,)))
        if plan.ambiguous:
            text, names = plan.ambiguous[0]
            raise _Unclear(f'Which one do you mean by “{text}”: {" or ".join(names)}?')
        if strict and not plan.to_do:
            raise _Unclear(f'I see no such object here: {what}. Shall I go on as before?')
        return [name for _, name in plan.to_do]

    # -- the description from now on ----------------------------------------------------------------------------------

    def _description(self) -> str:
        """A description for the calls that are left: the old one, the old one with another sentence, or a new one.

        Raises:
            _Unclear: no such description exists.
        """
        old = self.task.description.rstrip(' .')
        own = in_words(replace(self.task.plan, to_do=tuple(self.left), wording=self.wording))
        done = in_words(replace(self.task.plan, to_do=self.task.done, wording=self.wording))
        for text in (old, f'{old}. {self.added}' if self.added else '', own, done):
            if text and self._asks_for_what_is_left(text):
                return text[0].upper() + text[1:] + '.'
        raise _Unclear('Please say all that I shall do now.' if self.left else 'Then nothing is left. Shall I stop?')

    def _asks_for_what_is_left(self, text: str) -> bool:
        reading = read(f'{text}.', self.task.background, self.task.names)
        plan = make_plan(reading.program, self.task.situation)
        return not reading.not_understood and plan.to_do == tuple(self.left) and not plan.ambiguous
