"""Restatements: what a model says it understood of a task, as data, before anything moves, and what is left of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from coordinator_node.call_parser import read_call
from lucca_core.json_text import parse_json
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import Snapshot
from lucca_language.turns import is_in_turn
from lucca_llm.answer_grammar import literal
from lucca_memory.procedural import ActionSpec

MOST_ITEMS = 100
"""Most calls or words of one restatement; a table holds fewer objects."""
FORM = (
    'what you will do, in one sentence',
    'words of the task that you do not understand',
    'what a person has to answer first, or nothing',
)
"""What stands in the form of the prompt in place of an answer. Small models copy it."""
_TEXT_RULES = r'''text ::= "\"" [^"\\<>\x00-\x1f\x7f-\x9f]{0,300} "\""
texts ::= "[" (text (", " text){0,9})? "]"'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Restatement:
    """What the model understood: in words, as the calls still needed, the words not understood, and a question.

    `description`: the new description of the task, after a person changed it. `steps`: the number of the step of each
    call, where calls of one step may come in any order; empty if the model did not say. `not_seen`: kinds that the task
    asks for besides other things and of which nothing is here, as `tools`; empty if the model did not say.
    """

    understood: str = ''
    not_understood: tuple[str, ...] = ()
    question: str = ''
    calls: tuple[ActionCall, ...] = ()
    description: str = ''
    steps: tuple[int, ...] = ()
    not_seen: tuple[str, ...] = ()

    def note(self) -> str:
        """The note for the log."""
        return f'I understood: {self.understood}' if self.understood else ''

    def next_of(self, names: Sequence[str], done: Collection[str], description: str) -> tuple[str, ...]:
        """Those of these objects, in order, of which any may come next.

        If the model did not say, the words of the description tell whether there is an order. Of an object for which no
        call was restated, nothing is known, so then only the first may come next.
        """
        if not self.steps:
            return tuple(names[:1] if is_in_turn(description) else names)
        steps: dict[str, int] = {}
        for call, step in zip(self.calls, self.steps, strict=True):
            if str(call) not in done:
                steps[call.argument] = min(step, steps.get(call.argument, step))
        if not steps.keys() >= set(names):
            return tuple(names[:1])
        return tuple(name for name in names if steps[name] == min(steps[other] for other in names))

    def unfinished(
        self,
        actions: Mapping[str, ActionSpec],
        snapshot: Snapshot,
        done: Collection[str],
        failed: Collection[ActionCall] = (),
    ) -> str:
        """The first restated call whose effect is missing, as a sentence; empty if there is none.

        Effects that do not last, and objects out of sight, are judged by the log (`done`). For a call in `failed`, the
        same action on an object that was not restated counts instead.
        """
        restated = {str(call) for call in self.calls}
        instead = [ActionCall.from_text(action).name for action in done if action not in restated]
        for call in self.calls:
            if call in failed and call.name in instead:
                instead.remove(call.name)
                continue
            container = actions[call.name].effect.container
            item = snapshot.object_named(call.argument)
            if container and item is not None:
                if item.container != container:
                    return f'{call.argument} is not in {container}, as you said that it should be'
            elif str(call) not in done:
                return f'{call} was not done, as you said that it should be'
        return ''


def restatement_grammar(actions: Sequence[str], names: Sequence[str], *, described: bool) -> str:
    """The grammar (GBNF) of a restatement in the form of the prompt, with calls of these actions on these objects only.

    `described`: include the description, which a change of the task needs.
    """
    rules = [_TEXT_RULES]
    if actions and names:
        each = ' | '.join(literal(name.replace('\\', ' ').replace('"', ' ')) for name in names)
        action = ' | '.join(map(literal, actions))
        rules += [f'action ::= {action}', f'name ::= {each}', r'call ::= "\"" action "(" name ")\""']
        calls = f'"[" (call (", " call){{0,{MOST_ITEMS - 1}}})? "]"'
    else:
        calls = literal('[]')
    parts = ['"{\\"understood\\": " text', '", \\"not_understood\\": " texts', '", \\"question\\": " text']
    parts += ['", \\"description\\": " text'] if described else []
    parts += [f'", \\"calls\\": " {calls} "}}"']
    return '\n'.join([f'root ::= {" ".join(parts)}', *rules])


def read_restatement(answer: str, allowed: Collection[str], names: Collection[str]) -> Restatement:
    """The restatement in an answer: one JSON object.

    Raises:
        ValueError: the answer is anything else, or names an action that the task does not allow or an object that is
            not listed; the message tells the model what would be right.
    """
    try:
        data = parse_json(answer[answer.index('{') : answer.rindex('}') + 1])
    except ValueError as error:
        raise ValueError(f'answer with one JSON object and nothing else ({error})') from None
    words, calls, not_seen = data.get('not_understood', []), data.get('calls', []), data.get('not_seen', [])
    understood, question, steps = data.get('understood', ''), data.get('question', ''), data.get('steps', [])
    description = data.get('description', '')
    if not all(isinstance(item, str) for item in (understood, question, description)):
        raise ValueError('"understood", "question" and "description" are texts')
    for name, value in (('not_understood', words), ('calls', calls), ('not_seen', not_seen)):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f'"{name}" is a list of texts')
        if len(value) > MOST_ITEMS:
            raise ValueError(f'"{name}" has {len(value)} items; at most {MOST_ITEMS} are read')
    if not isinstance(steps, list) or any(type(step) is not int for step in steps) or len(steps) not in (0, len(calls)):
        raise ValueError('"steps" has one whole number for each call')
    if copied := [text for text in (understood, *words, question) if text.strip() in FORM]:
        raise ValueError(f'"{copied[0]}" is copied from the form: write what is so for this task')
    for text in (understood, question, description, *words, *calls, *not_seen):
        text.encode()  # raises a ValueError for a lone surrogate, which no log or message can hold
    found = tuple(read_call(f'<{item.strip().strip("<>")}>', len(answer)) for item in calls)
    for call in found:
        if call.name not in allowed:
            raise ValueError(f'{call} is no action of the task; its actions are {", ".join(allowed)}')
        if call.argument not in names:
            raise ValueError(f'{call} names no object that is listed')
    return Restatement(
        understood=understood,
        not_understood=tuple(words),
        question=question,
        calls=found,
        description=description,
        steps=tuple(steps),
        not_seen=tuple(not_seen),
    )
