"""A strict parser for the answers of the coordinator's model: each has to be exactly one call."""

import re
from collections.abc import Sequence

from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionCall, ActionRequest
from lucca_core.protocol.retrieved import OpenIntent
from lucca_core.protocol.snapshots import Snapshot
from lucca_llm.answer_grammar import calls
from lucca_memory.procedural import RESERVED_CALLS

_WHOLE = re.compile(r'<([A-Za-z_][A-Za-z0-9_]*)\(([^<>\n]*)\)>')


def settling(task: str, intent: OpenIntent, allowed_actions: tuple[str, ...], snapshot: Snapshot) -> ActionRequest:
    """The request that has an open intent judged, with the present name of its object, which may have changed."""
    name = ActionCall.from_text(intent.action).name
    return ActionRequest(
        text=str(ActionCall(name, intent.object_name)) if intent.object_name else intent.action,
        task=task,
        allowed_actions=allowed_actions,
        snapshot=snapshot,
        settle_intent_id=intent.intent_id,
    )


class NotACall(ValueError):
    """The answer is not exactly one call. The message begins with the reason code and tells the model what is wrong."""

    def __init__(self, code: ReasonCode, message: str) -> None:
        self.code = code
        super().__init__(f'{code}: {message}')


def read_call(answer: str, max_chars: int) -> ActionCall:
    """The single call that the answer consists of; white space around it is ignored.

    Raises:
        NotACall: the answer is empty or too long, holds no call or several, or has other text around the call.
    """
    if len(answer) > max_chars:
        raise NotACall(
            ReasonCode.MALFORMED, f'it is {len(answer)} characters long; answer with one call and nothing else'
        )
    text = answer.strip()
    if not text:
        raise NotACall(ReasonCode.MALFORMED, 'it is empty; answer with one call, such as <name(argument)>')
    if match := _WHOLE.fullmatch(text):
        name, argument = match.group(1), match.group(2).strip()
        if not argument:
            raise NotACall(ReasonCode.MALFORMED, f'<{name}()> has no argument; write <{name}(argument)>')
        return ActionCall(name, argument)
    found = _WHOLE.findall(text)
    if len(found) > 1:
        raise NotACall(ReasonCode.SEVERAL_ACTIONS, f'it holds {len(found)} calls; answer with the first one only')
    if found:
        raise NotACall(ReasonCode.MALFORMED, 'there is text around the call; answer with the call and nothing else')
    raise NotACall(ReasonCode.MALFORMED, 'it holds no call; answer with one call, written as <name(argument)>')


def is_reserved(call: ActionCall) -> bool:
    """True for the calls that the coordinator answers itself; all others go to the action node."""
    return call.name in RESERVED_CALLS


def call_grammar(task: str, actions: Sequence[str], seen: Sequence[str], *, memory: bool) -> str:
    """The grammar (GBNF) of usable answers: an action of the task on an object in view, or a reserved call."""
    of_task = ['finish_task', *(['retrieve_declarative_memory', 'retrieve_working_memory'] if memory else [])]
    return calls({**dict.fromkeys(actions, seen), **{name: [task] for name in of_task}}, in_words=['cannot_do'])
