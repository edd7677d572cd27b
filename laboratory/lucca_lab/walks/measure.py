"""Runs a stack with traced nodes on a table with one object, says the command, and finds both walks in the traces."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lucca_core.errors import StackError
from lucca_lab.walks import call_tracer
from lucca_lab.walks.call_tracer import COMMAND, CONVERSIONS, DETECTION, SETTINGS, WRITTEN, Followed, Form, TracedCall
from lucca_lab.walks.stops import Stop, stop_of, stops

FOLLOWED = Followed(words='sort the objects', task='sorting', action='move_to_box_1(apple)', label='apple')

SCENE = 'library: {library}\nobjects: [apple]\ncontainers:\n  box 1: [0.30, 0.115]\n  box 2: [0.30, -0.115]\n'

PUBLISHED, SERVICE, GOAL = 'Publisher.publish', 'Client.call_async', 'ActionClient.send_goal_async'

LEGS: dict[str, tuple[str, ...]] = {
    'typed': ('lucca_cli.main', f'say {FOLLOWED.words}'),
    'perception': ('perception_node.node',),
    'coordinator': ('coordinator_node.node',),
    'action': ('action_node.node',),
    'worker': ('worker_node.node',),
}
"""The traced processes, and what their command lines contain."""

ENDS: dict[str, tuple[tuple[str, Form], ...]] = {
    'typed': ((GOAL, Form.WORDS),),
    'perception': ((PUBLISHED, Form.OBJECT),),
    'coordinator': ((GOAL, Form.CALL),),
    'action': ((SERVICE, Form.OBJECT), (PUBLISHED, Form.PATH)),
    'worker': ((WRITTEN, Form.TEXT),),
}
"""With which handovers, and in which form, a followed value leaves each process."""

WALKS: dict[str, tuple[Form, tuple[tuple[str, str, Form], ...]]] = {
    'command': (
        COMMAND,
        (('typed', GOAL, Form.WORDS), ('coordinator', GOAL, Form.CALL), ('action', PUBLISHED, Form.PATH)),
    ),
    'detection': (
        DETECTION,
        (('perception', PUBLISHED, Form.OBJECT), ('action', SERVICE, Form.OBJECT), ('worker', WRITTEN, Form.TEXT)),
    ),
}
"""The forms of each walk, and its legs: process, handover at its end, and form."""

READY_S, DONE_S, END_S = 120.0, 300.0, 30.0

_START = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location('call_tracer', {tracer!r})
module = importlib.util.module_from_spec(spec)
sys.modules['call_tracer'] = module
spec.loader.exec_module(module)
module.trace_this_process()
"""
_COMMAND = (sys.executable, '-c', 'from lucca_cli.main import main; main()')


def measure(root: Path, folder: Path) -> list[dict[str, Any]]:
    """Both walks through the code of a checkout.

    Args:
        root: the checkout; it may be another one than that of this file, if its messages are the same.
        folder: for traces, logs and memory.

    Raises:
        StackError: the stack did not start, the command was not carried out, or a walk did not come to its end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    environment = _environment(root, folder)
    scene = folder / 'one_object.yaml'
    scene.write_text(SCENE.format(library=root / 'config' / 'scenes' / 'library' / 'objects.yaml'), encoding='utf-8')
    up = [*_COMMAND, 'up', '--scene', str(scene), '--engine', 'kinematic', '--data-dir', str(folder / 'memory')]
    log = folder / 'up.log'
    with log.open('wb') as out:
        stack = subprocess.Popen(up, cwd=root, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        _wait_until_ready(stack, log)
        said = subprocess.run(
            [*_COMMAND, 'say', FOLLOWED.words, '--json'],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DONE_S,
            check=False,
        )
    finally:
        stack.send_signal(signal.SIGINT)
        stack.wait(END_S)
    if said.returncode != 0:
        raise StackError(f'"{FOLLOWED.words}" was not carried out: {said.stdout[-1000:]}{said.stderr[-1000:]}')
    return walks_in(folder)


def walks_in(folder: Path) -> list[dict[str, Any]]:
    """The walks in the traces of a folder.

    Raises:
        StackError: a walk did not come to its end in one of the processes.
    """
    traces = {leg: [json.loads(file.read_text()) for file in sorted(folder.glob(f'{leg}-*.json'))] for leg in LEGS}
    conversions = [item for found in traces.values() for trace in found for item in trace['conversions']]
    snapshots = conversions_by_snapshot(conversions)
    return [_walk(name, traces, snapshots) for name in WALKS]


def conversions_by_snapshot(conversions: Sequence[tuple[str, float]]) -> dict[float, Counter[str]]:
    """How often each function converted the snapshot of a time. Only snapshots that were decoded are listed: the others
    are frames that nobody used."""
    found: dict[float, Counter[str]] = {}
    for name, stamp_s in conversions:
        found.setdefault(round(stamp_s, 6), Counter())[name] += 1
    return {stamp_s: counts for stamp_s, counts in sorted(found.items()) if stamp_s and counts['snapshot_from_msg']}


def count(snapshots: dict[float, Counter[str]], *, encoding: bool) -> int:
    """How often one snapshot was encoded, or decoded, at most."""
    names = [name for name, encodes in CONVERSIONS.items() if encodes is encoding]
    return max((sum(counts[name] for name in names) for counts in snapshots.values()), default=0)


def _walk(name: str, traces: dict[str, list[Any]], snapshots: dict[float, Counter[str]]) -> dict[str, Any]:
    forms, legs = WALKS[name]
    found: dict[str, Stop] = {}
    receivers: set[str] = set()
    for leg, handover, form in legs:
        candidates = [[TracedCall(**call) for call in trace['calls']] for trace in traces[leg]]
        ways = ((calls, stops(calls, forms, handover, form)) for calls in candidates)
        recorded, on_the_way = next(filter(lambda way: way[1], ways), ([], []))
        if not on_the_way:
            raise StackError(f'the {name} did not leave the process {leg} by {handover}')
        callers = {call.number: call for call in recorded}
        for call in on_the_way:
            found.setdefault(call.function, stop_of(call, callers))
        receivers |= {call.function for call in recorded if call.got & forms and not call.outside}
    listed = list(found.values())
    return {
        'walk': name,
        'stops': [asdict(stop) for stop in listed],
        'count': len(listed),
        'entered': sum(stop.entered for stop in listed),
        'receivers': len(receivers),
        'encodings': count(snapshots, encoding=True),
        'decodings': count(snapshots, encoding=False),
        'longest_function_lines': max(stop.lines for stop in listed),
    }


def _environment(root: Path, folder: Path) -> dict[str, str]:
    start, settings = folder / 'start', folder / 'settings.json'
    start.mkdir(exist_ok=True)
    (start / 'sitecustomize.py').write_text(_START.format(tracer=call_tracer.__file__), encoding='utf-8')
    legs = [
        {'name': name, 'command': command, 'ends': [(handover, int(form)) for handover, form in ENDS[name]]}
        for name, command in LEGS.items()
    ]
    content = {'root': str(root), 'folder': str(folder), 'followed': asdict(FOLLOWED), 'legs': legs}
    settings.write_text(json.dumps(content), encoding='utf-8')
    path = os.pathsep.join(map(str, (start, root, root / 'laboratory')))
    # A stop of the user's own robot must not hold this one.
    own = {'LUCCA_STATE_DIR': str(folder / 'state'), 'LUCCA_CONFIG_DIR': str(root / 'config')}
    return os.environ | own | {'PYTHONPATH': path, SETTINGS: str(settings)}


def _wait_until_ready(stack: 'subprocess.Popen[bytes]', log: Path) -> None:
    deadline_s = time.monotonic() + READY_S
    while 'ready.' not in (text := log.read_text(encoding='utf-8', errors='replace')):
        if stack.poll() is not None or time.monotonic() > deadline_s:
            raise StackError(f'the traced stack did not become ready: {text[-1000:]}')
        time.sleep(0.2)
