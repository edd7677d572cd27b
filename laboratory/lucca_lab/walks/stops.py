"""The stops of a walk, found in the calls of one process, and the lengths of functions.

A stop is a function or method of this repository that is given the value and hands it on. It is given the value if one
of its arguments (not `self`) is the value in the form that it has by then, or contains it. It hands the value on if its
result is or contains it, or if the value leaves the process while it runs.

These rules follow from that:

- A function that looks at the value and hands nothing on is no stop: a check, a line of the log, a lookup in memory.
- Neither is a constructor, which only keeps the value. But a method that is under way while the value leaves is a stop
  even if it has the value only from `self`, because a reader has to pass through it.
- A function without the value among its arguments whose result is a new form of it is a stop: a model that is asked and
  names the action. The name of the task does not count as new, because many values hold it.
- If an object gives back what was given to it before, both calls are stops: a queue.
- The inside of a model, a detector and a planner is not recorded (`call_tracer.CUTS`): it works on the value, and does
  not pass it on.
- A function that is visited twice is one stop.
"""

import ast
import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lucca_lab.walks.call_tracer import Form, TracedCall

_NEW = Form.CALL | Form.PATH | Form.OBJECT | Form.TEXT


@dataclass(frozen=True, slots=True)
class Stop:
    """A function of a walk, as `module:qualname`, with the number of its lines.

    `entered`: it was called from another module, or from outside of this repository. Such stops are not changed by
    cutting a function into private parts, or by joining them.
    """

    function: str
    lines: int
    entered: bool


class ValueWay:
    """Finds the calls on the way of a value through one process."""

    def __init__(self, calls: Sequence[TracedCall], forms: Form) -> None:
        self._calls = {call.number: call for call in calls}
        self._forms = int(forms)
        self._children: dict[int, list[TracedCall]] = defaultdict(list)
        for call in sorted(calls, key=lambda call: call.number):
            self._children[call.parent].append(call)
        self._on_the_way: dict[int, TracedCall] = {}

    def to(self, end: TracedCall) -> list[TracedCall]:
        """The calls through which the value comes to a handover, in the order in which they were made."""
        self._on_the_way = {}
        self._take_chain(end)
        return [self._on_the_way[number] for number in sorted(self._on_the_way)]

    def _got(self, call: TracedCall) -> int:
        return call.got & self._forms

    def _gave(self, call: TracedCall) -> int:
        return call.gave & self._forms

    def _take_chain(self, end: TracedCall) -> None:
        """Takes the calls that are under way at `end`, from the first that was given the value, and what they call."""
        chain = [] if end.outside else [end]
        while (above := self._calls.get((chain[0] if chain else end).parent)) is not None:
            chain.insert(0, above)
        first = next((place for place, call in enumerate(chain) if self._got(call)), None)
        if first is None:
            return
        if first and (giver := self._giver_to(chain[first - 1], chain[first].number)) is not None:
            # A thread that takes the value out of an object: `put` in one thread, a loop in another.
            self._take(chain[first - 1])
            self._take_chain(giver)
        for call, following in zip(chain[first:], [*chain[first + 1 :], end], strict=True):
            if self._take(call):
                self._take_results(call, following.number)

    def _take(self, call: TracedCall) -> bool:
        new = call.number not in self._on_the_way and not call.outside
        if new:
            self._on_the_way[call.number] = call
        return new

    def _take_results(self, call: TracedCall, before: int | None = None) -> None:
        """Takes the calls made in `call` whose results are the value, up to the call with the number `before`."""
        for child in self._children[call.number]:
            if before is not None and child.number >= before:
                return
            got, gave = self._got(child), self._gave(child)
            new = gave & _NEW > self._got(call)
            giver = None if got or new or not gave else self._giver_to(child, child.number)
            if gave and (got or new or giver is not None) and self._take(child):
                self._take_results(child)
                if giver is not None:
                    self._take_chain(giver)

    def _giver_to(self, taker: TracedCall, before: int) -> TracedCall | None:
        """The last call that was given the value, before a number, for the object of `taker`."""
        given = (
            call
            for call in self._calls.values()
            if taker.owner == call.owner != 0 and call.number < before and self._got(call) and call is not taker
        )
        return max(given, key=lambda call: call.number, default=None)


def stops(calls: Sequence[TracedCall], forms: Form, handover: str, form: Form) -> list[TracedCall]:
    """The calls on the way to the first handover of the value in a form; empty if there is none."""
    end = min(
        (call for call in calls if call.outside and call.function == handover and call.got & form),
        key=lambda call: call.number,
        default=None,
    )
    return [] if end is None else ValueWay(calls, forms).to(end)


def stop_of(call: TracedCall, callers: Mapping[int, TracedCall]) -> Stop:
    """The function of a call; `callers` has the calls of its process. Its docstring is not counted among its lines."""
    caller = callers.get(call.parent)
    entered = caller is None or caller.function.partition(':')[0] != call.function.partition(':')[0]
    return Stop(call.function, _lengths(call.file).get(call.line, 0), entered)


@functools.cache
def _lengths(file: str) -> dict[int, int]:
    """The number of lines of each function of a file, by its first line, decorators included."""
    found = {}
    for node in ast.walk(ast.parse(Path(file).read_text(encoding='utf-8'))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            said = node.body[0] if ast.get_docstring(node) is not None else None
            docstring = 0 if said is None else (said.end_lineno or said.lineno) - said.lineno + 1
            found[first] = (node.end_lineno or node.lineno) - node.lineno + 1 - docstring
    return found
