"""Task requests in conversation: start, resume or stop a known task, or do something new with objects.

Only sentences that are requests get here (see `requests.py`). Each is answered with one of the offered calls, or with a
sentence that says why not.
"""

import re
from collections.abc import Sequence

from lucca_core.english import and_list
from lucca_core.stop_command import asks_more, begins_with_stop, has_stop_word
from lucca_language.reading.description_parser import parse
from lucca_language.reading.program import Directive
from lucca_language.reading.selectors import Anything, Coloured, Named, Noun, Quality, Rest, walk
from lucca_language.reading.sorting_notes import read_note
from lucca_language.words.function_words import FUNCTION_WORDS, RESTRICTIONS, TIMES_AND_DEGREES
from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import verb_lemmas
from lucca_language.words.verbs import HANDLING, verb
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.plans.left_out import without_locators
from lucca_llm.rules.plans.place_rules import is_housework
from lucca_llm.rules.prompts.prompt_reader import OfferedCall, PromptTask, call_text
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.utterances.requests import is_exclamation, is_remark
from lucca_llm.rules.utterances.said_sentence import Mood, SaidSentence

NOT_UNDERSTOOD = 'I did not understand that. Name a task, or say what to do with which object.'
NO_ACTION = 'I have no action for'
NOT_SEEN = 'I do not see here what'
NOT_RUNNING = 'Nothing is running that I could stop.'
FORBIDDEN = (
    'All right, I do nothing now. I keep no prohibition of this for later; I can keep one of things that must not be '
    'moved, or put somewhere.'
)
"""The answer to a prohibition that is not kept. A promise that the next task breaks would be worse than none."""
SUSPENDED = ('suspended', 'interrupted', 'paused', 'stopped')
_STOP = re.compile(
    r"^(?:stop|halt|abort|cancel|pause|interrupt|quit|hold on|give up|freeze|that's enough|that is enough|enough|"
    r'drop the|'
    r'stop (?:it|that|doing|working))\b(?P<rest>.*)$',
    re.IGNORECASE | re.DOTALL,
)
_RESUME = re.compile(
    r'^(?:go on|carry on|continue|resume|proceed|keep going|pick up|get back|go back|return|finish|complete|get on)\b'
    r'(?P<rest>.*)$',
    re.IGNORECASE | re.DOTALL,
)
_WHERE_LEFT = re.compile(
    r'^\W*(?:(?:with|to|doing|at|the|your|it|that|this|task|tasks|work|job|please|now|then|from|again|up|whatever|what|'
    r'you|were|was|are|re|doing|where|left|off|had|stopped|interrupted|suspended)\W*)*$',
    re.IGNORECASE,
)
_OF_NO_TASK = RESTRICTIONS | TIMES_AND_DEGREES | any_of('it them that those these one if in by for')
"""Words in a request that no task has, so that a task is not offered in its place."""
_EVERYTHING = re.compile(r'^\W*(?:all of|all|everything)\b', re.IGNORECASE)
_THEN = re.compile(r'\b(?:then|afterwards|after that)\b', re.IGNORECASE)
_PARTS = re.compile(r'[,;.!?]|\b(?:and|then|next|afterwards|before|after)\b', re.IGNORECASE)
_CLAUSES = re.compile(r'[,;]|\b(?:and|then|but)\b', re.IGNORECASE)
_BY_THE_WAY = re.compile(r'\bnow that\b.*$', re.IGNORECASE | re.DOTALL)
_AGAIN = re.compile(
    r'\b(?:again|from the (?:beginning|start)|anew|afresh|restart|start over|once more|new)\b', re.IGNORECASE
)
_GENERIC = any_of(
    'start begin run do make perform execute go carry help task job work chore again anew afresh beginning start new '
    'once more over table thing object please now robot lucca me us for with kindly up out the this your bit'
)
_RESTRICTS = any_of(
    'except but not without only last second third half some two three four five it them that this these those other '
    'another none no if unless until before after any'
)
"""Words that make a request differ from a task that is described with the same objects."""
_COUNTS = any_of('two three four five six seven eight nine ten twice both several many')
"""Words that do so behind any verb: `make two towers`."""
_WHAT_WHERE = 'I do not know what belongs where. Name a task, or tell me. What shall I put where?'


class TaskRequests:
    """The meaning of requests, given the tasks and the table of the prompt."""

    def __init__(self, offered: Sequence[OfferedCall], tasks: Sequence[PromptTask], table: TableView) -> None:
        self._offered = offered
        self._tasks = tasks
        self._table = table

    def answer(self, said: Sequence[SaidSentence]) -> str:
        """The call for an utterance with at least one request; a refusal if none of its requests can be understood."""
        asking = [sentence for sentence in said if sentence.mood in (Mood.REQUEST, Mood.RULE)]
        text = ' '.join(_as_order(sentence) for sentence in said if not self._is_remark(sentence))
        if controlled := self._control(asking[0].asked):
            further = [*asking[1:], *(sentence for sentence in said if sentence.mood is Mood.FORBID)]
            return self._alone(
                controlled, [item.text for item in further if asks_more(item.text) and not self._control(item.asked)]
            )
        if stopped := self._stopped_beside(asking):
            return stopped
        if len(several := self._several(text, asking)) > 1:
            if _STOP.match(asking[0].asked) and (running := self._with_status('running')) is not None:
                return self._call(('stop',), running.name)  # before anything else
            return self._cannot(
                f'that is more than one thing at a time, {and_list(several)}; ask for one after the other'
            )
        if self._handles(asking):
            try:
                return self.new_task(self._table.with_empty_places(text))
            except LookupError as error:
                return self._cannot(str(error))
        for sentence in asking:
            if (task := self.task_meant(sentence.asked)) is not None:
                return self._begin(task, sentence.asked)
        return self._stopped(asking[0].asked) or self._refusal(asking[0].asked)

    def new_task(self, description: str) -> str:
        """The call for a task that is described here for the first time."""
        return self._call(('do', 'new', 'describe_goal'), description)

    def begin_named(self, name: str, *, is_asked: bool = False) -> str:
        """The call for an utterance that is just the name of a task; a question if it `is_asked`, as in `snack?`"""
        task = self.named(name)
        if task is not None and is_asked:
            return self._cannot(f'I am not sure that you asked for it. Will you say “do {task.name}” if I shall do it?')
        return self._begin(task, name) if task is not None else self._cannot(NOT_UNDERSTOOD)

    def forbidden(self, text: str) -> str:
        """The answer to a prohibition. A running task is stopped, as it might do what is forbidden."""
        task = self.named(text)
        if task is None or 'running' not in task.status:
            task = self._with_status('running')
        if task is not None and has_stop_word(text):
            return self._call(('say',), f'All right, I go on with {task.name}.')
        if task is not None:
            return self._call(('stop',), task.name)
        return self._call(('say',), FORBIDDEN)

    def task_meant(self, asked: str) -> PromptTask | None:
        """The task that a request means as a whole: each word belongs to the task, or to requests in general."""
        words = re.findall(r"[a-z0-9']+", asked.lower())
        first = verb(words[0]) if words else None
        task = self.named(asked)
        if task is None and any(directive.target is not None for directive in parse(asked).directives):
            return None  # a phrase about an object is not the name of a task, whatever words they share
        task = task or self._described(asked)
        begins = not words or words[0] in _GENERIC
        restricts = _COUNTS if begins else _RESTRICTS
        if task is None or (not restricts.isdisjoint(words) and not _is_description(asked, task)):
            return None
        name, own = _stems(task.name), _stems(task.description)
        content = [word for word in words if not {word, _stem(word)} & (FUNCTION_WORDS | _GENERIC)]
        # Giving or showing a recipe is not doing the task of that name, unless the task is described that way.
        told = {_stem(word) for word in content if word != words[0]} & own - name
        if first is not None and first.senses & {'give', 'point'} and not told:
            return None
        if first is None and not begins and self.named(asked) is None and not _begins_order(words):
            return None  # `box up the fruit`, `down with the cubes`: no known verb, whatever words they share
        return task if _is_about(task, content) else None

    # -- running tasks ------------------------------------------------------------------------------------------

    def _control(self, asked: str) -> str:
        asked = asked.rstrip(' .!')
        if (match := _STOP.match(asked)) and not self._speaks_of_objects(asked):
            task = self.named(match['rest'])
            if task is None and not _WHERE_LEFT.match(_EVERYTHING.sub('', match['rest'])):
                return ''
            task = task or self._with_status('running', 'active', 'current')
            task = task or self._with_status('waiting', 'queued', 'suspended')
            if task is None:
                return self._call(('say',), NOT_RUNNING)
            return '' if self._asks_for_more(match['rest'], task) else self._call(('stop',), task.name)
        if (match := _RESUME.match(asked)) and not self._speaks_of_objects(asked):
            rest = _BY_THE_WAY.sub('', match['rest'])
            task = self.named(rest)
            if task is None and not _WHERE_LEFT.match(rest):
                return ''
            said = [word for word in re.findall(r"[a-z0-9']+", rest.lower()) if not _WHERE_LEFT.match(word)]
            if task is not None and not _is_about(task, said):
                return ''  # `pick up the mug and put that on the tower` does not continue with the tower
            task = task or self._with_status(*SUSPENDED, 'waiting', 'running')
            if task is None:
                return self._call(('say',), 'Nothing is suspended that I could go on with.')
            return '' if self._asks_for_more(rest, task) else self._call(('resume',), task.name)
        return ''

    def _alone(self, controlled: str, more: Sequence[str]) -> str:
        """The answer to a text that stops or resumes a task and asks for `more`, which is not done."""
        if not more or controlled.startswith('<stop_task'):
            return controlled  # what was said behind a stop is told by the coordinator
        if NOT_RUNNING in controlled:
            return self._call(('say',), f'{NOT_RUNNING} Please say the rest again: “{" ".join(more)}”')
        return self._cannot(f'that is more than one thing at a time; please say this later: “{" ".join(more)}”')

    def _stopped(self, asked: str) -> str:
        """The answer to `stop this nonsense` and others of which only the stop is understood; empty for other texts."""
        task = self._with_status('running')
        if task is not None and _STOP.match(asked):
            return self._call(('stop',), task.name)
        return self._call(('say',), NOT_RUNNING) if task is None and begins_with_stop(asked) else ''

    def _stopped_beside(self, asking: Sequence[SaidSentence]) -> str:
        """The answer to `give me the pear and cancel the tower`: a running task is stopped first; empty for others.

        The pear is not given: the dispatcher tells what was said beside a stop.
        """
        clauses = [clause.strip() for item in asking for clause in _CLAUSES.split(item.asked) if clause.strip()]
        stops = [match for clause in clauses if (match := _STOP.match(clause)) and match['rest'].strip()]
        task = next((task for match in stops if (task := self.named(match['rest'])) is not None), None)
        others = [clause for clause in clauses if not _STOP.match(clause)]
        if task is None or not any(map(self._speaks_of_objects, others)):
            return ''
        if 'running' in task.status:
            return self._call(('stop',), task.name)
        parts = ' and '.join(f'“{clause.rstrip(" .!")}”' for clause in clauses)
        return self._cannot(f'that is more than one thing at a time, {parts}; ask for one after the other')

    def _asks_for_more(self, rest: str, task: PromptTask) -> bool:
        return any(named != task.name for named in self._tasks_in(rest))

    def _begin(self, task: PromptTask, asked: str) -> str:
        suspended = any(word in task.status for word in SUSPENDED)
        if suspended and not _AGAIN.search(asked):
            return self._call(('resume', 'start'), task.name)
        return self._call(('start', 'begin', 'run'), task.name)

    def _with_status(self, *statuses: str) -> PromptTask | None:
        return next((task for status in statuses for task in self._tasks if status in task.status), None)

    # -- something new with objects -----------------------------------------------------------------------------

    def _handles(self, asking: Sequence[SaidSentence]) -> bool:
        """Whether a sentence asks for something that arms can do, with something that may be here."""
        places = [place.lower() for place in self._table.places]
        if read_note(' . '.join(_as_order(sentence) for sentence in asking), places) is not None:
            return True
        for sentence in asking:
            task = self.named(sentence.asked)
            if task is not None and re.search(
                rf'\b{re.escape(task.name.lower())}\b(?: task| job)', sentence.asked.lower()
            ):
                continue
            if sentence.mood is Mood.RULE and not self._places(sentence.asked):
                continue
            rest = without_locators(sentence.asked, self._table.objects, places) if self._table.seen else ''
            with_place = (item for item in parse(rest).directives if item.target is not None)
            if self._speaks_of_objects(sentence.asked) or any(map(self._can_be_meant, with_place)):
                return True
        return False

    def _can_be_meant(self, directive: Directive) -> bool:
        if directive.kind not in ('do', 'only') or not (directive.senses & HANDLING or directive.target is not None):
            return False
        names = {task.name.lower() for task in self._tasks}
        items = [
            item
            for item in directive.items
            if not item.vague and any(_is_thing(part, names) for part in walk(item.selector))
        ]
        if not items:
            return False
        target = directive.target
        if target is not None and not target.is_recipient and not target.is_table:
            return self._places(' '.join(target.words))
        return any(self._table.knows(item.called) or not self._table.seen for item in items)

    def _places(self, text: str) -> bool:
        return not self._table.seen or bool(self._table.place_in(text))

    def _is_remark(self, sentence: SaidSentence) -> bool:
        """Whether a sentence is an exclamation, or only gives a reason for a request and is about nothing here."""
        said = sentence.asked
        if is_exclamation(sentence.text):
            return True
        return sentence.mood is Mood.STATEMENT and is_remark(said) and not self._table.named(said)

    def _speaks_of_objects(self, asked: str) -> bool:
        return any(self._can_be_meant(directive) for directive in parse(asked).directives)

    def _refusal(self, asked: str) -> str:
        """Why a request is not done that means no task and nothing that the arms can do."""
        asked = asked.rstrip(' .!?')
        first = asked.split()[0].lower() if asked.split() else ''
        here = self._table.named(asked) if self._table.seen else []
        known = verb(first)
        if here and (known is None or not known.senses & HANDLING):
            return self._cannot(f'{NO_ACTION} “{asked}”')
        directives = [item for item in parse(asked).directives if item.kind == 'do' and item.items]
        if self._table.seen and any(item.senses & {'give', 'point', 'place'} for item in directives):
            named = [thing.text for item in directives for thing in item.items]
            what = and_list([text for text in named if not self._table.fitting(text)])
            if not what:
                return self._cannot(f'{NO_ACTION} “{asked}”')
            return self._cannot(f'{NOT_SEEN} “{asked}” speaks of: {what}')
        if is_housework(asked):
            return self._cannot(_WHAT_WHERE)
        task = self.named(asked)
        if task is not None and _OF_NO_TASK.isdisjoint(re.findall(r'[a-z]+', asked.lower())):
            return self._cannot(f'I did not understand all of “{asked}”. Shall I do it: “do {task.name}”?')
        if not self._table.seen and any(item.verb and item.senses & HANDLING for item in directives):
            return self._call(('do', 'new'), asked)
        return self._cannot(NOT_UNDERSTOOD)

    # -- names of tasks -----------------------------------------------------------------------------------------

    def named(self, text: str) -> PromptTask | None:
        """The task whose name, or the verb in its name, occurs in a text."""
        lowered = f' {" ".join(re.findall(r"[a-z0-9]+", text.lower()))} '
        for task in sorted(self._tasks, key=lambda task: -len(task.name)):
            for name in (task.name, task.description):
                if f' {" ".join(re.findall(r"[a-z0-9]+", name.lower()))} ' in lowered:
                    return task
        stems = {_stem(word) for word in re.findall(r'[a-z]+', text.lower()) if word not in FUNCTION_WORDS}
        fitting = [task for task in self._tasks if _stem(task.name.lower()) in stems]
        return fitting[0] if len(fitting) == 1 else None

    def _described(self, asked: str) -> PromptTask | None:
        """The task whose description shares most words with a request."""
        said = {_stem(word) for word in re.findall(r'[a-z]+', asked.lower()) if word not in FUNCTION_WORDS | _GENERIC}
        # `need` does not distinguish tasks; the verb that begins the request may.
        said = {word for word in said if len(word) > 2 and (verb(word) is None or asked.lower().startswith(word))}
        # Tasks share places: `go in box 1` means none of them.
        said -= {_stem(word) for place in self._table.places for word in place.lower().split()}
        scores = [
            (len(said & {_stem(word) for word in re.findall(r'[a-z]+', task.description.lower())}), task)
            for task in self._tasks
        ]
        best = max((score for score, _ in scores), default=0)
        fitting = [task for score, task in scores if score == best]
        return fitting[0] if best > 0 and len(fitting) == 1 else None

    def _tasks_in(self, text: str) -> list[str]:
        """The names of all tasks in the parts of a text."""
        named = (self.named(part) for part in _PARTS.split(text))
        return list(dict.fromkeys(task.name for task in named if task is not None))

    def _several(self, text: str, asking: Sequence[SaidSentence]) -> list[str]:
        """Everything asked for at once: several tasks (`sort, then build`), or a task and something with objects."""
        if not self._handles(asking):
            return self._tasks_in(' . '.join(sentence.asked for sentence in asking))
        found = []
        for part in _THEN.split(text):
            task = self.named(part)
            if task is not None and not self._speaks_of_objects(part) and not _puts_on(task, part):
                found.append(task.name)
        return [*found, 'what to do with the objects'] if found else []

    def _cannot(self, reason: str) -> str:
        return self._call(('cannot', 'say'), reason)

    def _call(self, prefixes: Sequence[str], argument: str) -> str:
        for prefix in prefixes:
            for call in self._offered:
                if call.name == prefix or call.name.startswith(f'{prefix}_'):
                    return call_text(call.name, argument)
        return call_text(prefixes[0], argument)


def _puts_on(task: PromptTask, text: str) -> bool:
    """Whether a text speaks of a place with the name of a task: `place it on the tower`."""
    name = re.escape(task.name.lower())
    return (
        re.search(rf'\b(?:it|them|that|those|one) (?:on|onto|to|in|into)(?: the)? {name}\b', text.lower()) is not None
    )


def _as_order(sentence: SaidSentence) -> str:
    """What a sentence asks for, without a question mark."""
    return sentence.asked.rstrip(' ?') if sentence.mood is Mood.REQUEST else sentence.asked


def _begins_order(words: Sequence[str]) -> bool:
    """Whether words begin with what may be an unknown verb: not `cube`, `down with the cubes` or `box up the fruit`."""
    first, *rest = words
    known = first in FUNCTION_WORDS or lexicon().knows(lexicon().singular(first))
    return not known and FUNCTION_WORDS.isdisjoint(rest[:1])


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in re.findall(r'[a-z0-9]+', text.lower())}


def _is_about(task: PromptTask, words: Sequence[str]) -> bool:
    """Whether each of these words belongs to a task, or to requests in general."""
    own = _stems(task.name) | _stems(task.description) | FUNCTION_WORDS | _GENERIC
    return all(word in own or _stem(word) in own for word in words)


def _is_description(asked: str, task: PromptTask) -> bool:
    said, own = (re.findall(r'[a-z0-9]+', text.lower()) for text in (asked, task.description))
    return said == own


def _is_thing(part: object, names: set[str]) -> bool:
    if isinstance(part, Noun):
        return part.word not in names and (lexicon().knows(part.word) or verb(part.word) is None)
    return isinstance(part, Quality | Named | Anything | Coloured | Rest)


def _stem(word: str) -> str:
    for ending in ('ement', 'ment', 'ing', 'ed', 'es', 's', 'e'):
        if word.endswith(ending) and len(word) - len(ending) >= 4 - (ending in ('ing',)):
            return word[: -len(ending)]
    return verb_lemmas(word)[0]
