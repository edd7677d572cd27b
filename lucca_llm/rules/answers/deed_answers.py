"""Rule-based answers about the robot's work: what it did, why, what is next, and the status of its tasks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lucca_core.english import and_list
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.prompts.prompt_reader import OfferedCall, PromptTask, call_text, say
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.utterances.quotation import content_words
from lucca_llm.rules.utterances.task_requests import SUSPENDED, TaskRequests

_DID = re.compile(
    r'\bwhat (?:did|have|has|had) (?:you|lucca|the robot)(?: just| already| so far)? (?:do|done|'
    r'been doing|been up to|finish|'
    r'move|put|accomplish)|\bwhat (?:was|were|is) (?:the last|your last|your latest) (?:thing|action|step|'
    r'move|deed|actions|'
    r'things)|\bwhat (?:just )?happened\b|\bwhat did you just\b|\btell me what you (?:did|have done)|'
    r'\bwhat have you (?:just )?(?:given|handed|put|moved|pointed)',
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r'\bhow many (?P<what>[a-z ]+?) (?:have|did|had) you (?:just |already )?(?:moved?|put|place[d]?|handled?|'
    r'given?|handed|hand|gave|stack(?:ed)?|take[n]?|do|done|carr(?:y|ied))\b(?P<rest>.*)$',
    re.IGNORECASE,
)
_WHY = re.compile(r'\b(?:why|what for|for what reason|how come)\b', re.IGNORECASE)
_BY_YOU = re.compile(
    r'\b(?:who|when|did you|have you|has anybody|did anybody|how often did you|how many (?:\w+ )?(?:did|have) you)\b',
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\bwhat(?:'s|'ll| is| will| are| do| comes?| should)? "
    r'(?:you (?!think|like|love|prefer|mean|know|say|believe|feel|recommend|suggest|'
    r'remember|recall|have)|left|next|still|there|your plan|'
    r'your next|remains|to be done|'
    r'your plans|planned)\b|\bwhat (?:is|remains) (?:still )?(?:left|to do)\b|\bwhat(?:\'s|'
    r' is) (?:your )?(?:next|the plan)\b|'
    r'\bwhat (?:are you going to|will you|do you (?:plan|still have|intend|have left))\b|'
    r'\bwhich objects are (?:still )?left\b',
    re.IGNORECASE,
)
_OPINION = re.compile(
    r'\b(?:do|would|did) you (?:like|love|enjoy|hate|prefer)\b|\bthe best\b|\bfavou?rite\b|\bwhat do you think\b',
    re.IGNORECASE,
)
_DOING = re.compile(
    r'\bwhat are you (?:doing|working on|up to|busy with)\b|\bare you (?:busy|working)\b', re.IGNORECASE
)
_LISTED = re.compile(
    r'\b(?:what|which|is|are|anything|any|something)\b.*\b(?P<status>suspended|interrupted|paused|running|'
    r'unfinished|finished|'
    r'done|complete|completed|waiting|open)\b',
    re.IGNORECASE,
)
_CAN = re.compile(
    r'\bwhat (?:can|could|are) you (?:do|able|pick up|grab|move|handle|reach|hand me|give me)\b|'
    r"\bwhat (?:can't|cannot|can) you (?:not )?do\b|"
    r"\bwhat you can(?:not|'t)? do\b|"
    r'\b(?:which|what) (?:tasks|'
    r'jobs|actions|skills)\b|\bwhat do you know how to do\b|\bwhat are your (?:skills|tasks|abilities)\b',
    re.IGNORECASE,
)
_DEED = re.compile(r'^(?:(?P<when>\d{4}-\d\d-\d\d \d\d:\d\d) )?\((?P<source>[^)]*)\): (?P<deed>.+)$')
_STATUSES = {
    'suspended': SUSPENDED,
    'interrupted': SUSPENDED,
    'paused': SUSPENDED,
    'unfinished': (*SUSPENDED, 'running'),
    'open': (*SUSPENDED, 'running'),
    'running': ('running',),
    'waiting': ('waiting', 'queued'),
}
_SHOWN = 6
_OF_TASKS = content_words(
    'task tasks job jobs action actions thing things object objects everything suspended interrupted paused running '
    'unfinished finished done complete completed waiting open still left next plan plans planned going currently '
    'remains remain intend work move moment lucca yet already then after here table come comes up turn step steps'
)
"""Words of questions about the robot's work. With another, such as "gym", a question is about something else."""


@dataclass(frozen=True)
class Deed:
    """A completed action as a lookup shows it: `put on tower: red cube`."""

    what: str
    task: str
    source: str
    when: str

    def told(self) -> str:
        """The action with its source and time."""
        time = f', {self.when}' if self.when else ''
        return f'{self.what} ({self.source}{time})'


class DeedAnswers:
    """Answers from the tasks of the prompt and from lookups of the log."""

    def __init__(
        self, turn: ConversationTurn, offered: Sequence[OfferedCall], requests: TaskRequests, table: TableView
    ) -> None:
        self._turn = turn
        self._offered = {call.name for call in offered}
        self._requests = requests
        self._table = table

    def answer(self, asked: str) -> str | None:
        """The call that answers a question about the robot's work, or looks up what that needs; None for others."""
        task = self._requests.named(asked)
        of_tasks = task is not None or self._mentions(asked) or not content_words(asked) - _OF_TASKS
        if (match := _LISTED.search(asked)) and match['status'].lower() in _STATUSES and task is None and of_tasks:
            return self._with_status(match['status'].lower(), asked)
        if _CAN.search(asked):
            return say(self._abilities())
        if _WHY.search(asked) and (task is not None or self._mentions(asked) or re.search(r'\byou\b', asked)):
            return self._from_log(asked, self._why)
        if _HOW_MANY.search(asked):
            return self._from_log(asked, self._number)
        if _DID.search(asked) and task is None:
            return self._from_log(asked, self._last)
        if _DOING.search(asked):
            return say(self._doing())
        if _NEXT.search(asked) and of_tasks and not re.search(r'\b(?:my|our|his|her|their)\b', asked, re.IGNORECASE):
            return self._next(task)
        if task is not None and not _OPINION.search(asked):
            return self._about(task)
        if _BY_YOU.search(asked) and self._mentions(asked) and re.search(r'\byou\b|^who\b', asked, re.IGNORECASE):
            return self._from_log(asked, self._done_with)
        if of_tasks and (match := _LISTED.search(asked)):
            return self._with_status(match['status'].lower(), asked)
        return None

    # -- from the prompt ----------------------------------------------------------------------------------------

    def _abilities(self) -> str:
        names = [task.name for task in self._turn.tasks if not re.fullmatch(r'request-\d+', task.name)]
        places = ', '.join(self._table.places) or 'boxes'
        return (
            f'I can put things that stand on the table into one of these places: {places}; hand them to you, and '
            f'point at '
            f'them. I know the tasks {", ".join(names) or "that you teach me"}. I cannot throw, open, cut, wash '
            f'or pour.'
        )

    def _doing(self) -> str:
        running = [task.name for task in self._turn.tasks if 'running' in task.status]
        return f'I am doing {and_list(running)}.' if running else 'Nothing at the moment: no task is running.'

    def _with_status(self, status: str, asked: str) -> str | None:
        if not re.search(r'\btasks?\b|\banything\b|\bwhat\b|\byou\b|\bsomething\b', asked, re.IGNORECASE):
            return None
        wanted = _STATUSES.get(status, ('finished',))
        names = [_called(task) for task in self._turn.tasks if any(word in task.status for word in wanted)]
        shown = 'finished' if wanted == ('finished',) else status
        return say(
            f'The log says that {and_list(names)} {"is" if len(names) == 1 else "are"} {shown}.'
            if names
            else f'By the log, nothing is {shown}.'
        )

    # -- from the log -------------------------------------------------------------------------------------------

    def _about(self, task: PromptTask) -> str:
        if 'task_history' not in self._offered:
            return say(f'{task.name} is {task.status or "known"}: {task.description}')
        step = next(
            (item for item in reversed(self._turn.steps) if item.call == 'task_history' and item.argument == task.name),
            None,
        )
        if step is None:
            return call_text('task_history', task.name)
        lines = [line for line in step.lines if not re.match(r'm\d+ \(|.* is \w+: ', line)]
        began = 'I have not begun it' if task.status == 'new' else f'it is {task.status}'
        return say(f'The log of {task.name} says that {began}. {". ".join(lines)}.')

    def _next(self, task: PromptTask | None) -> str:
        open_ones = [item for item in self._turn.tasks if any(word in item.status for word in ('running', *SUSPENDED))]
        chosen = task or next((item for item in open_ones if 'running' in item.status), None)
        chosen = chosen or (open_ones[-1] if open_ones else None)
        if chosen is None:
            return say('Nothing: by the log, no task is running or suspended.')
        return self._about(chosen)

    def _from_log(self, asked: str, told: Callable[[str, Sequence[Deed]], str]) -> str:
        if 'last_actions' not in self._offered:
            return say(_NO_LOG)
        step = self._turn.step('last_actions')
        if step is None:
            return call_text('last_actions', '')
        deeds = [
            Deed(match['deed'], match['source'].partition(',')[0], match['source'], match['when'] or '')
            for line in step.lines
            if (match := _DEED.match(line))
        ]
        return say(told(asked, deeds))

    def _last(self, asked: str, deeds: Sequence[Deed]) -> str:
        if not deeds:
            return 'Nothing yet: the log holds no action.'
        if re.search(r'\bjust\b|\blast\b', asked, re.IGNORECASE):
            return f'The last thing that I did: {deeds[0].told()}.'
        return f'Newest first: {"; ".join(deed.told() for deed in deeds[:_SHOWN])}.'

    def _number(self, asked: str, deeds: Sequence[Deed]) -> str:
        """How many things were moved, or handed over, by the log."""
        match = _HOW_MANY.search(asked)
        what, rest = (match['what'].lower(), match['rest']) if match is not None else ('things', '')
        place = self._table.place_in(rest)
        if 'given' in asked or 'give' in asked or 'hand' in asked:
            place = place or 'give'
        fitting = {item.name.lower() for item in self._table.fitting(what)}
        names = dict.fromkeys(
            name
            for action, _, name in (deed.what.rpartition(': ') for deed in reversed(deeds))
            if name.lower() in fitting and (place.lower() in action.lower() if place else 'point' not in action)
        )
        told = f'{len(names)}: {", ".join(names)}' if names else 'none'
        return f'By the log, as far back as I can look: {told}.'

    def _why(self, asked: str, deeds: Sequence[Deed]) -> str:
        deed = next(iter(self._concerning(asked, deeds)), None)
        if deed is None:
            names = [item.name for item in self._table.named(asked)]
            what = f' with {and_list(names)}' if names else ''
            return f'The log holds nothing that I did{what}.'
        task = next((item for item in self._turn.tasks if item.name == deed.task), None)
        said = f', which says: “{task.description.rstrip(".")}”' if task is not None else ''
        return f'I did that for {_called(task) if task is not None else deed.task}{said}: {deed.told()}.'

    def _done_with(self, asked: str, deeds: Sequence[Deed]) -> str:
        found = self._concerning(asked, deeds)
        if not found:
            return 'The log holds no such action of mine; nobody told me either.'
        return f'I did, by the log: {"; ".join(deed.told() for deed in found[:_SHOWN])}.'

    def _concerning(self, asked: str, deeds: Sequence[Deed]) -> list[Deed]:
        """The deeds with an object or task that the question names.

        The last deed if it names none and has a pronoun, or also asks what was done: `What did you just do and why?`.
        """
        words = f' {" ".join(re.findall(r"[a-z0-9]+", asked.lower()))} '
        named = [deed for deed in deeds if f' {deed.what.rpartition(": ")[2].lower()} ' in words]
        named = named or [deed for deed in deeds if f' {deed.task} ' in words]
        if (
            not named
            and (_DID.search(asked) or re.search(r'\b(?:it|that|this|so|there)\b', asked, re.IGNORECASE))
            and not self._table.named(asked)
        ):
            return list(deeds[:1])
        return named

    def _mentions(self, asked: str) -> bool:
        return bool(self._table.named(asked) or self._table.place_in(asked))


_NO_LOG = 'I cannot look into my log here.'


def _called(task: PromptTask) -> str:
    return f'“{task.description.rstrip(".")}”' if re.fullmatch(r'request-\d+', task.name) else task.name
