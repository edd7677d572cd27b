"""Task requests in conversation: start, resume, stop or describe a known task, or do something new."""

import re
from collections.abc import Sequence

from lucca_language.reading.description_parser import parse
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import Anything, Named, Noun, Quality, walk
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import verb_lemmas
from lucca_language.words.sentences import clean
from lucca_language.words.verbs import verb
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompt_reader import OfferedCall, PromptTask, call_text

WHAT_I_AM = (
    'I am the rule-based reasoner that is built into lucca. I am no language model: I understand a controlled '
    'English about '
    'objects on the table and nothing else.'
)
_WHO = re.compile(
    r'\b(?:what|who) are you\b|'
    r'\bare you (?:a|an|some)? ?(?:language model|llm|ai|human|robot|chatgpt|gpt|person|real)|\bwhich model\b|'
    r'\bare you an? (?:ai|llm)\b|\bwhat model\b',
    re.IGNORECASE,
)
_STOP = re.compile(
    r'\b(?:stop|halt|abort|cancel|pause|interrupt|quit|hold on|give up|freeze|enough|drop the)\b', re.IGNORECASE
)
_RESUME = re.compile(
    r'\b(?:go on|carry on|continue|resume|proceed|keep going|pick up|get back|go back|return to|finish|complete|'
    r'where you left)\b',
    re.IGNORECASE,
)
_ASK = re.compile(
    r'\bwhat (?:did|have|has|is|was|are) .*\b(?:do|done|doing|left|happened|state|status|progress)\b|'
    r'\bhow (?:far|is|was|did|are)\b|\bdescribe\b|\btell me (?:about|what)\b|\bstatus\b|\bprogress\b|\breport\b|'
    r'\bexplain\b|\bwhat (?:can|could) you do\b|\b(?:what|which) (?:tasks|jobs)\b',
    re.IGNORECASE,
)
_GREETING = re.compile(
    r'\W*(?:hello|hi|hey|good (?:morning|day|evening|night)|thanks?|thank you(?: very much)?|bye|'
    r'goodbye)\b[\w ]{0,20}\W*',
    re.IGNORECASE,
)
_THEN = re.compile(r'\b(?:then|afterwards|after that)\b', re.IGNORECASE)
_PARTS = re.compile(r'[,;.!?]|\b(?:and|then|next|afterwards|before|after)\b', re.IGNORECASE)
_AGAIN = re.compile(
    r'\b(?:again|from the (?:beginning|start)|anew|afresh|restart|start over|once more|new)\b', re.IGNORECASE
)


def is_conversation(offered: Sequence[OfferedCall]) -> bool:
    """Whether a prompt offers to start tasks and to recall memories."""
    names = {call.name for call in offered}
    return {'start_task', 'recall'} <= names


def wish_for(said: str, offered: Sequence[OfferedCall], tasks: Sequence[PromptTask]) -> str:
    """The offered call for a request, or for a question about tasks."""
    return _RequestRules(offered, tasks, said).answer()


def asks_what_it_is(said: str) -> bool:
    """Whether somebody asks who or what the robot is."""
    return _WHO.search(said) is not None


class _RequestRules:
    def __init__(self, offered: Sequence[OfferedCall], tasks: Sequence[PromptTask], said: str) -> None:
        self.offered = offered
        self.tasks = tasks
        self.said = said
        self.words = set(re.findall(r'[a-z]+', clean(said))) | set(re.findall(r'[a-z]+', said.lower()))

    def answer(self) -> str:
        if _WHO.search(self.said):
            return self._call(('say',), WHAT_I_AM)
        named = self._named()
        items = self._items()
        several = self._beside() if items else self._several()
        if len(several) > 1:
            return self._cannot(
                f'that is more than one thing at a time, {" and ".join(several)}; ask for one after the other'
            )
        if _ASK.search(self.said) and not items:
            return self._about(named)
        if _STOP.search(self.said) and not items:
            task = (
                named
                or self._with_status('running', 'active', 'current')
                or self._with_status('waiting', 'queued', 'suspended')
            )
            return (
                self._call(('stop',), task.name)
                if task is not None
                else self._call(('say',), 'Nothing is running that I could stop.')
            )
        if _RESUME.search(self.said) and not items:
            task = named or self._with_status('suspended', 'interrupted', 'paused', 'waiting', 'stopped', 'running')
            if task is not None:
                return self._call(('resume',), task.name)
        if items and not (
            named is not None and re.search(rf'\b{re.escape(named.name.lower())}\b(?: task| job)', self.said.lower())
        ):
            return self._call(('do', 'new', 'describe_goal'), self.said)
        if named is None and not self.said.rstrip().endswith('?'):
            named = self._described()
        if named is not None:
            return self._begin(named)
        if self._asks_for_action():
            return self._call(('do', 'new'), self.said)
        if _GREETING.fullmatch(self.said):
            return self._call(('say',), 'Hello. Name a task, or say what to do with which object.')
        return self._cannot('I did not understand that. Name a task, or say what to do with which object.')

    def _begin(self, task: PromptTask) -> str:
        suspended = any(word in task.status for word in ('suspended', 'interrupted', 'paused', 'stopped'))
        if suspended and not _AGAIN.search(self.said):
            return self._call(('resume', 'start'), task.name)
        return self._call(('start', 'begin', 'run'), task.name)

    def _about(self, task: PromptTask | None) -> str:
        task = task or self._with_status('running') or self._with_status('suspended')
        if task is not None and any('describe' in call.name for call in self.offered):
            return self._call(('describe',), task.name)
        told = [task] if task is not None else list(self.tasks)
        return self._call(
            ('say',),
            '. '.join(f'{item.name} is {item.status or "known"}: {item.description}' for item in told)
            or 'I know no task.',
        )

    def _cannot(self, reason: str) -> str:
        return self._call(('cannot', 'say'), reason)

    def _call(self, prefixes: Sequence[str], argument: str) -> str:
        for prefix in prefixes:
            for call in self.offered:
                if call.name == prefix or call.name.startswith(f'{prefix}_'):
                    return call_text(call.name, argument)
        return call_text(prefixes[0], argument)

    def _with_status(self, *statuses: str) -> PromptTask | None:
        return next((task for status in statuses for task in self.tasks if status in task.status), None)

    def _named(self) -> PromptTask | None:
        """The task whose name, or the verb in its name, was said."""
        lowered = f' {" ".join(re.findall(r"[a-z0-9]+", self.said.lower()))} '
        for task in sorted(self.tasks, key=lambda task: -len(task.name)):
            if f' {" ".join(re.findall(r"[a-z0-9]+", task.name.lower()))} ' in lowered:
                return task
        stems = {_stem(word) for word in self.words if word not in FUNCTION_WORDS}
        fitting = [task for task in self.tasks if _stem(task.name.lower()) in stems]
        return fitting[0] if len(fitting) == 1 else None

    def _several(self) -> list[str]:
        """The names of all tasks mentioned, as in `sort, then build`."""
        named = (self._part(part)._named() for part in _PARTS.split(self.said))
        return list(dict.fromkeys(task.name for task in named if task is not None))

    def _beside(self) -> list[str]:
        """Tasks mentioned beside something to do with objects, as in `sort, then give me the cup`."""
        found = []
        for part in map(self._part, _THEN.split(self.said)):
            task = part._named()
            if task is not None and not part._items():
                found.append(task.name)
        return [*found, 'what to do with the objects'] if found else []

    def _part(self, said: str) -> '_RequestRules':
        return _RequestRules(self.offered, self.tasks, said)

    def _described(self) -> PromptTask | None:
        """The task whose description shares most words with what was said."""
        said = {_stem(word) for word in self.words if word not in FUNCTION_WORDS and len(word) > 2} - _IDLE
        scores = [
            (len(said & {_stem(word) for word in re.findall(r'[a-z]+', task.description.lower())}), task)
            for task in self.tasks
        ]
        best = max((score for score, _ in scores), default=0)
        fitting = [task for score, task in scores if score == best]
        return fitting[0] if best > 0 and len(fitting) == 1 else None

    def _items(self) -> list[NounPhrase]:
        """Noun phrases for objects in what was said."""
        names = {task.name.lower() for task in self.tasks}
        return [
            item
            for directive in parse(self.said).directives
            if directive.senses & {'point', 'give', 'place', 'stack', 'use', 'keep'} or directive.target is not None
            for item in directive.items
            if not item.vague and any(_is_thing(part, names) for part in walk(item.selector))
        ]

    def _asks_for_action(self) -> bool:
        return any(directive.kind == 'do' and directive.verb for directive in parse(self.said).directives)


_IDLE = any_of('the please task want now object thing tabl can could would robot help put make mak')


def _is_thing(part: object, names: set[str]) -> bool:
    if isinstance(part, Noun):
        return part.word not in names and (lexicon().knows(part.word) or verb(part.word) is None)
    return isinstance(part, Quality | Named | Anything)


def _stem(word: str) -> str:
    for ending in ('ement', 'ment', 'ing', 'ed', 'es', 's', 'e'):
        if word.endswith(ending) and len(word) - len(ending) >= 4 - (ending in ('ing',)):
            return word[: -len(ending)]
    return verb_lemmas(word)[0]
