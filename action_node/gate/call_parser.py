"""The parser of a model's answer: exactly one action call, `<name(argument)>`, or a refusal with a reason code.

Prose around the call is tolerated as long as nothing in it could be another call. Parsing takes linear time, and texts
over a maximum length are refused.
"""

import re

from lucca_core.codes import ReasonCode
from lucca_core.errors import RefusalError
from lucca_core.protocol.actions import ActionCall

MAX_TEXT_CHARS = 8192
"""Longest text that is parsed; a model's answer is two orders of magnitude shorter."""

MAX_ARGUMENT_CHARS = 80

_GROUP = re.compile(r'<([^<>]*)>')
_NAME = re.compile(r'[a-z][a-z0-9_]{0,63}')
_BARE_CALL = re.compile(r'[A-Za-z0-9_]\(')
_BRACKETS = frozenset('<>()')


def parse_action(text: str) -> ActionCall:
    """Returns the only action call in `text`. `parse_action(str(call)) == call` if `check_call` accepts the call.

    Raises:
        RefusalError: `several_actions` if there may be more than one call, else `malformed`.
    """
    if len(text) > MAX_TEXT_CHARS:
        raise _malformed(f'the text has {len(text)} characters, at most {MAX_TEXT_CHARS} are read')
    groups = list(_GROUP.finditer(text))
    calls = [group for group in groups if '(' in group[1]]
    if len(calls) > 1:
        written = ', '.join(_shown(group[0]) for group in calls[:4])
        raise RefusalError(ReasonCode.SEVERAL_ACTIONS, f'one action at a time, got {len(calls)}: {written}')
    if not calls:
        raise _malformed(f'no call of the form <action(object)> in {_shown(text)}')
    start, end = calls[0].span()
    around = text[:start] + ' ' + text[end:]
    if '<' in around or '>' in around:
        raise _malformed(f'angle brackets besides the call {_shown(calls[0][0])} in {_shown(text)}')
    if _BARE_CALL.search(around):
        raise RefusalError(
            ReasonCode.SEVERAL_ACTIONS, f'something like a second call besides {_shown(calls[0][0])} in {_shown(text)}'
        )
    name, _, rest = calls[0][1].partition('(')
    if not rest.endswith(')'):
        raise _malformed(f'the call must end with ")>", got {_shown(calls[0][0])}')
    call = ActionCall(name, rest[:-1])
    check_call(call)
    return call


def check_call(call: ActionCall) -> None:
    """Checks that a call's text form can be parsed again.

    Raises:
        RefusalError: `malformed`, with the rule that the call breaks.
    """
    if not _NAME.fullmatch(call.name):
        raise _malformed(f'an action name is lower-case ASCII letters, digits and _, got {_shown(call.name)}')
    argument = call.argument
    if not argument or argument != argument.strip():
        raise _malformed(f'{call.name} needs the name of one object without spaces around it, got {_shown(argument)}')
    if len(argument) > MAX_ARGUMENT_CHARS:
        raise _malformed(f'an object name has at most {MAX_ARGUMENT_CHARS} characters, got {len(argument)}')
    if not argument.isprintable():
        raise _malformed(f'an object name has printable characters only, got {_shown(argument)}')
    if _BRACKETS & set(argument):
        raise _malformed(f'brackets inside the object name {_shown(argument)}')


def _malformed(reason: str) -> RefusalError:
    return RefusalError(ReasonCode.MALFORMED, reason)


def _shown(text: str) -> str:
    # ascii(): a look-alike or a lone surrogate must be visible in the message and must not break a ROS string.
    return ascii(text if len(text) <= 120 else text[:117] + '...')
