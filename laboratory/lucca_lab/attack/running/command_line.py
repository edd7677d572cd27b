"""Attack on the `lucca` command: random arguments must end in one message, without a traceback or a running node.

The commands run one after another in a child process that finds no running stack and starts none.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import lucca_cli
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial

CODES = {0: 'done', 1: 'failed', 2: 'wrong usage', 3: 'cannot'}
TRIAL_S = 20

# Options that always get an invalid value here, so that no node may start.
_WRONG = {
    'up': ('--scene', '--engine', '--llm', '--worker-llm', '--params-file', '--speed', '--seed'),
    'demo': ('--engine', '--llm', '--worker-llm', '--seed'),
    'run': ('--scene', '--objects', '--engine', '--llm', '--worker-llm', '--seed'),
}
_OTHERS = {
    'say': ('--person', '--json'),
    'chat': ('--person', '--data', '--llm', '--worker-llm', '--embedding'),
    'status': ('--json',),
    'tasks': ('--json',),
    'tasks forget': ('--force', '--data-dir'),
    'log': ('--data-dir', '--json'),
    'objects': ('--json',),
    'reset': (),
    'stop': (),
    'memory people': ('--data-dir', '--json'),
    'memory show': ('--last', '--data-dir', '--json'),
    'memory search': ('--limit', '--embedding', '--data-dir'),
    'memory export': ('--out', '--data-dir'),
    'memory import': ('--data-dir',),
    'memory forget': ('--item', '--yes', '--data-dir'),
    'memory forgotten': ('--data-dir', '--json'),
    'memory restore': ('--data-dir',),
    'memory graph': ('--out', '--data-dir', '--json'),
    'memory why': ('--data-dir', '--json'),
    'memory pin': ('--data-dir',),
    'backup': ('--data-dir',),
    'restore': ('--replace', '--data-dir'),
    'feedback': ('--person', '--data-dir'),
    'dance': (),
}
_FLAGS = frozenset({'--json', '--force', '--yes', '--replace'})
_NEVER = (
    'nonsense',
    '/no/such/file',
    'elephant,,unicorn',
    'openai:',
    'ollama:m@ftp://x',
    '/dev/null/x',
    '-17',
    'nan\x07',
)
_ANY = (
    *_NEVER,
    '',
    ' ',
    '0',
    '1e999',
    'nan',
    '../..',
    '.',
    '/dev/null',
    '💥',
    'x' * 300,
    'node:1',
    'said:9',
    '[bold]',
    '--',
)

_CHILD = """
import io, json, signal, sys
from lucca_cli import client
from lucca_core.errors import StackError

class Nobody(client.StackClient):
    def is_up(self, timeout_s): return False
    def stack_holder(self): return ''
    def stop(self, timeout_s=5.0): raise StackError('nobody is there')
    def reset(self, timeout_s=60.0): raise StackError('nobody is there')
    def __init__(self, namespace=None): pass
    def __enter__(self): return self
    def __exit__(self, *_): pass
    _here = lambda self: 'here'

client.StackClient = Nobody
from lucca_cli import main, supervisor
from typer.testing import CliRunner

started = []
def start(self):
    started.append(True)
    raise StackError('no node is started here')
supervisor.Supervisor.start = start

class Late(BaseException): pass
def late(number, frame): raise Late
signal.signal(signal.SIGALRM, late)
answers = sys.stdout
for line in sys.stdin:
    words = json.loads(line)
    started.clear()
    signal.alarm(int(sys.argv[1]))
    result = CliRunner().invoke(main.app, words)
    signal.alarm(0)
    bug = result.exception
    told = dict(code=result.exit_code, started=bool(started), output=result.output[-2000:],
                bug='' if bug is None or isinstance(bug, SystemExit) else repr(bug))
    answers.write(json.dumps(told) + '\\n')
    answers.flush()
"""


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    environment = {name: value for name, value in os.environ.items() if not name.endswith('_API_KEY')}
    environment.update(LUCCA_DATA_DIR=str(folder / 'data'), LUCCA_STATE_DIR=str(folder / 'state'), TERM='dumb')
    # The child must find the same package as this process, whatever its working directory is.
    package_root = str(Path(lucca_cli.__file__).resolve().parents[1])
    environment['PYTHONPATH'] = os.pathsep.join(filter(None, (package_root, environment.get('PYTHONPATH', ''))))
    work = folder / 'work'
    work.mkdir()
    child = subprocess.Popen(
        [sys.executable, '-c', _CHILD, str(TRIAL_S)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=work,
        env=environment,
    )

    def trial(chance: Random) -> Counts:
        words, must_not_start = _drawn(chance)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(words) + '\n')
        child.stdin.flush()
        answer = child.stdout.readline()
        if not answer:
            raise Broken(f'{words} ended the process with {child.wait()}')
        return _checked(words, json.loads(answer), must_not_start=must_not_start)

    try:
        yield trial
    finally:
        child.kill()
        # Reads the remaining output and closes the pipes.
        child.communicate()


def _drawn(chance: Random) -> tuple[list[str], bool]:
    """A random command, and whether one of its words can never be valid."""
    name = chance.choice((*_WRONG, *_WRONG, *_OTHERS))
    words = name.split()
    arguments = (
        [chance.choice(_ANY) for _ in range(chance.choice((0, 1, 1, 1, 2)))] if name not in ('up', 'demo') else []
    )
    if name == 'run':
        arguments = ['sorting']
    wrong = name in _WRONG
    options = _WRONG.get(name) or _OTHERS[name]
    for option in chance.sample(options, min(len(options), chance.randint(1, 2))):
        words += [option] if option in _FLAGS else [option, chance.choice(_NEVER if wrong else _ANY)]
    return words + arguments, wrong


def _checked(words: list[str], told: dict[str, Any], *, must_not_start: bool) -> Counts:
    code, output = int(told['code']), str(told['output'])
    if told['bug'] or 'Traceback' in output:
        raise Broken(f'{words}: {told["bug"] or output}'[:800])
    if code not in CODES:
        raise Broken(f'{words} ended with {code}: {output[-300:]}')
    if code and not output.strip():
        raise Broken(f'{words} ended with {code} and said nothing')
    if output.count('lucca: ') > 1:
        raise Broken(f'{words} said it more than once: {output[-300:]}')
    if must_not_start and (told['started'] or not code):
        raise Broken(f'{words} started nodes, or ended with {code}')
    return {CODES[code]: 1}


PART = Attack(
    name='command-line',
    promise='Wrong arguments end in a message and exit code 1, 2 or 3, without a traceback and without a node.',
    open=_open,
    sample=30,
    count=2_000,
)
