"""Answers to the question which one is meant: `cup 2`, `the second one`, `either`, `the one next to the apple`."""

import re
from collections.abc import Sequence
from dataclasses import replace

from lucca_core.english import and_list
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.space.told_by_place import ROBOTS_VIEW, USERS_VIEW, name_in_text, with_places_named

_QUESTION = re.compile(
    r'(?:Which one do you mean by|I am not sure which) [“"](?P<text>[^“”"]+)[”"](?: is)?: (?P<names>[^?:]+)\?'
)
_BEFORE = re.compile(
    r"^(?:(?:oh|uh|um|well|please|just|take|i mean|i meant|i want|i'd like|i would like|that would be|it's|it is)\b"
    r'[ ,]*)+',
    re.IGNORECASE,
)
_BEHIND = re.compile(r'(?:,? (?:please|then|thanks|thank you|of course|will do|is fine))*[.! ]*$', re.IGNORECASE)
_ANY = re.compile(
    r'(?:either|any|whichever|whatever)(?: one)?(?: of (?:them|these|those|the two))?(?: you (?:like|want|prefer))?|'
    r"(?:it )?(?:does not|doesn't) matter|(?:you|your) (?:choose|pick|choice)|i (?:do not|don't) (?:care|mind)",
    re.IGNORECASE,
)
_ALL = re.compile(
    r'(?P<count>both|all(?: the)? (?:three|four|five))(?: of them)?|all(?: of (?:them|these|those))?', re.I
)
_COUNTS = {'both': 2, 'three': 3, 'four': 4, 'five': 5}
_ORDINAL = re.compile(r'(?:the )?(?P<which>first|second|third|fourth|last|former|latter)(?: one)?', re.IGNORECASE)
_ORDINALS = {'first': 0, 'former': 0, 'second': 1, 'third': 2, 'fourth': 3, 'last': -1, 'latter': -1}
_NO_REQUEST = re.compile(r'(?:the|one|on|left|right|middle|front|back|nearest|closest|furthest)\b', re.IGNORECASE)
"""The first word of a phrase that tells a thing by its place, and of no request."""
_SIDE = re.compile(r'the (?:left|right|front|back|middle|nearest|closest|furthest|farthest)(?:most)?', re.IGNORECASE)
_BY = re.compile(r'(?:on|at|in|next|beside|near|close|closest|nearest|between|behind|left|right) ', re.IGNORECASE)
"""How a phrase begins that only tells a place: `on my left`."""
_VIEW = re.compile(r' \([^()]*\)$')
_SEEN_FROM = r'(?:the one |that one )?(?:on |from )?'
_VIEWS = r'(?:side|view|perspective)'
_SEEN = (
    (re.compile(rf'{_SEEN_FROM}(?:my {_VIEWS}|where i (?:sit|stand))|mine|as i see it', re.IGNORECASE), USERS_VIEW),
    (re.compile(rf'{_SEEN_FROM}(?:your {_VIEWS}|where you (?:are|stand))|yours|as you see it', re.I), ROBOTS_VIEW),
)
_MOST_WORDS = 6
_ONE = re.compile(r'\bone\b', re.IGNORECASE)


def with_choice(turn: ConversationTurn, table: TableView) -> str | None:
    """The request before, with what was chosen now in place of what was not clear in it.

    None if the robot did not ask which one is meant, or if the answer chooses nothing that was named in the question.
    Of several questions, an answer may be to any, and `cup 2 and the red cube` to both.

    Raises:
        LookupError: the answer may choose one or another; the message asks again.
    """
    asked = turn.asked or (turn.answered if turn.answered.startswith('<cannot_do(') else '')
    questions = list(_QUESTION.finditer(asked))
    if not questions or not table.seen or not turn.before:
        return None
    request = turn.asked_of or _request_asked_about(turn, questions[-1]['text'], table)
    parts = re.split(r',? and |, ', turn.said)
    if len(questions) > 1 and len(parts) == len(questions):
        whole: str | None = request
        for question, said in reversed([*zip(questions, parts, strict=True)]):
            whole = None if whole is None else _with_answer(whole, question, said, table)
        if whole is not None:
            return whole
    fitting = [item for item in questions if _with_answer(request, item, turn.said, table) is not None]
    if len(fitting) > 1:
        raise LookupError(f'One after the other, please. {fitting[0].group()}')
    return _with_answer(request, fitting[0], turn.said, table) if fitting else None


def _with_answer(request: str, question: re.Match[str], said: str, table: TableView) -> str | None:
    """A request with what an answer chooses in place of what a question was about; None if it chooses nothing.

    Raises:
        LookupError: the answer may choose one or another, or what it is about was said more than once.
    """
    text = question['text']
    found = list(re.finditer(rf'(?<!\w){re.escape(text)}(?!\w)', request, re.IGNORECASE))
    name = _answered(said, text, question['names'], table) if found else ''
    if not name:
        return None
    if len(found) > 1:
        raise LookupError(f'You said “{text}” more than once. Please say it all again with their names')
    return f'{request[: found[0].start()]}{name}{request[found[0].end() :]}'


def _request_asked_about(turn: ConversationTurn, text: str, table: TableView) -> str:
    """The request that the last question was about, with what was chosen in it since."""
    last = len(turn.before) - 1
    earlier = replace(turn, said=turn.before[last], before=turn.before[:last], answers=turn.answers[:last], asked='')
    try:
        if (chosen := with_choice(replace(earlier, asked_of=''), table)) is not None:
            return chosen
    except LookupError:
        pass  # that answer was not clear, so the question was asked again
    # A short text before is itself an answer, whose question was asked again.
    is_again = not turn.asked and last > 0 and len(turn.before[-1].split()) <= _MOST_WORDS
    return turn.before[-2 if is_again and text.lower() not in turn.before[-1].lower() else -1]


def _answered(said: str, text: str, offered: str, table: TableView) -> str:
    """The words that stand for what an answer chooses of the things that were `offered`; empty if nothing is chosen.

    Raises:
        LookupError: the answer may choose one or another; the message asks again.
    """
    each = re.split(r', (?:or )?| or ', offered)
    names = [_VIEW.sub('', name) for name in each]
    said = _BEHIND.sub('', _BEFORE.sub('', said.strip()))
    if said.lower() in (USERS_VIEW.lower(), ROBOTS_VIEW.lower()):
        # In whose mouth these are the words is open.
        raise LookupError(f'I am not sure which “{text}” is: {" or ".join(names)}? Please tell me its name')
    said = next(
        (said.removesuffix(f' {view}') for view in (USERS_VIEW, ROBOTS_VIEW) if said.endswith(f' {view}')), said
    )
    seen = next((view for form, view in _SEEN if form.fullmatch(said)), '')
    side = next((name for name, whole in zip(names, each, strict=True) if seen and whole.endswith(f'({seen})')), '')
    return name_in_text(side, table) if side else _chosen(said, text, names, table)


def _chosen(said: str, text: str, names: Sequence[str], table: TableView) -> str:
    """The words that stand for the chosen one of several things; empty if nothing is chosen."""
    told = {name_in_text(name, table): name for name in names}
    with_noun = _ONE.sub(text.split()[-1], said).lower()
    for spoken, name in told.items():
        if with_noun in (spoken.lower(), spoken.removeprefix('the ').lower()):
            return spoken
        if said.lower() in (name.lower(), f'the {name}'.lower(), spoken.lower(), spoken.removeprefix('the ').lower()):
            return spoken
    if _ANY.fullmatch(said):
        return next(iter(told))
    every = _ALL.fullmatch(said)
    if every is not None and len(names) == _COUNTS.get((every['count'] or '').lower().split(' ')[-1], len(names)):
        return and_list([*told])
    if (ordinal := _ORDINAL.fullmatch(said)) is not None:
        return _at([*told], _ORDINALS[ordinal['which'].lower()])
    noun = text.split()[-1]
    phrase = _ONE.sub(noun, said if said.lower().startswith('the ') else f'the {said}')
    if _SIDE.fullmatch(phrase):
        phrase = f'{phrase} {noun}'
    elif _BY.match(said):
        phrase = f'the {noun} {said}'
    try:
        named = with_places_named(phrase, table)
    except LookupError as error:
        if not _NO_REQUEST.match(said):
            return ''
        raise LookupError(str(error).replace(f'“{phrase}”', f'“{text}”')) from error
    return phrase if named is not None and named.text in told else ''


def _at(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else ''
