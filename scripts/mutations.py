"""Breaks one promise at a time in a copy of the source tree, and checks that the tests for it fail.

    make mutants                      all of them: a table of mutations and of the tests that failed
    scripts/mutations.py NAME ...     some
    scripts/mutations.py --check      only checks that each mutation still finds its target and its tests

A mutation finds its target by the name of a function in any module, and its tests by the ends of their paths, so both
may move; what cannot be found is reported. All tests named here are part of `make test`. Exits with 1 if a mutation
survives or finds no target.
"""

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_THE_PRODUCT = ('laboratory', 'test', 'scripts', 'build', 'install', 'log', 'out')
JUDGE = Path('laboratory/lucca_lab/judge')
"""The judge is broken, too: whoever judges all else must be judged by tests."""

TIMEOUT_S = 300
_SUMMARY = re.compile(r'\b(\d+) (passed|failed|errors?)\b')


class MovedError(Exception):
    """A mutation does not find its target or its tests."""


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """One broken promise.

    Attributes:
        name: what is broken.
        symbol: the function that changes, `name` or `Class.name`; exactly one in the product and the judge must have
            this name.
        old: text in that function, which must occur exactly once. If empty, the whole body is replaced.
        new: the replacement.
        tests: the test files that check the promise, by the end of their paths, in which `*` stands for anything.
    """

    name: str
    symbol: str
    old: str = ''
    new: str
    tests: tuple[str, ...]


MUTATIONS = (
    Mutation(
        name='the valve is always open',
        symbol='Valve.send',
        old='            if self._stopped:\n',
        new='            if False:\n',
        tests=('test_stop_law.py', 'test_motion_runner.py'),
    ),
    Mutation(
        name='an entry is not synced to the disk',
        symbol='TaskLog._write',
        old='os.fsync(descriptor)',
        new='pass',
        tests=('declarative/test_log.py', 'declarative/test_head.py'),
    ),
    Mutation(
        name='everybody owns every statement',
        symbol='is_told',
        old="told &= np.isin(network.column('owners')[rows], owners)",
        new='pass',
        tests=('semantic/test_memory.py',),
    ),
    Mutation(
        name='a general text may leave out names, numbers and denials of a sentence',
        symbol='_says_part',
        old=' and _in_order(said.bound, words)',
        new='',
        tests=('forgetting/test_faithfulness.py',),
    ),
    Mutation(
        name='a general text may say what nobody said',
        symbol='ConceptMemory.generalize',
        old='if reason := why_unfaithful(text, [node.text for node in members]):',
        new='if reason := "":',
        tests=('test_generalizer.py',),
    ),
    Mutation(
        name='every effect counts as seen',
        symbol='judge_lasting',
        new="return _seen(f'{target.name} is where it was to go')",
        tests=('test_effect_verification.py',),
    ),
    Mutation(
        name='the parser ignores what follows the call',
        symbol='parse_action',
        old="text[:start] + ' ' + text[end:]",
        new='text[:start]',
        tests=('action_node/gate/test_call_parser.py',),
    ),
    Mutation(
        name='nothing ever touches anything',
        symbol='CollisionChecker.first_touch',
        new='return None',
        tests=('test_collision.py',),
    ),
    Mutation(
        name='a cancel is not heard',
        symbol='CancelLatch.is_set',
        new='return False',
        tests=('test_interruptions.py', 'test_motion_runner.py'),
    ),
    Mutation(
        name='numbers of entries are not checked',
        symbol='_entry_of',
        old='if entry.entry_id != expected_id:',
        new='if False:',
        tests=('declarative/test_log.py', 'declarative/test_head.py'),
    ),
    Mutation(
        name='every action counts as confirmed',
        symbol='Gate.check',
        old='if spec.confirm is not Confirm.NEVER and not situation.confirmed_by.strip():',
        new='if False:',
        tests=('action_node/gate/test_gate.py',),
    ),
    Mutation(
        name='nothing counts as prohibited',
        symbol='check_prohibitions',
        new='return None',
        tests=('action_node/gate/test_gate.py', 'action_node/gate/test_prohibitions.py'),
    ),
    Mutation(
        name='a stop is not written to the disk',
        symbol='StopMarker.set',
        new='return None',
        tests=('test_stop_marker.py',),
    ),
    Mutation(
        name='a conversion drops a field',
        symbol='snapshot_to_msg',
        old='        vocabulary=list(value.vocabulary),\n',
        new='',
        tests=('lucca_ros/conversions/test_completeness.py', 'lucca_ros/conversions/test_snapshots.py'),
    ),
    Mutation(
        name='a conversion drops a field of an object',
        symbol='mirrored',
        old='for name, own, convert, _ in steps})',
        new="for name, own, convert, _ in steps if name != 'inferred'})",
        tests=('lucca_ros/conversions/test_completeness.py', 'lucca_ros/conversions/test_snapshots.py'),
    ),
    Mutation(
        name='the judge takes a finger that points past an object as pointing at it',
        symbol='_hit',
        old='best, best_miss_m = None, MAX_MISS_M',
        new='best, best_miss_m = None, 10 * MAX_MISS_M',
        tests=('judge/test_order_and_pointing.py',),
    ),
    Mutation(
        name='the judge takes any hand as pointing',
        symbol='_points',
        new='return True',
        tests=('judge/test_order_and_pointing.py',),
    ),
    Mutation(
        name='the judge calls every task complete',
        symbol='_judge',
        old="complete = not wrong & {'place', 'pointing', 'bystander', 'time', 'vanishing'}",
        new='complete = True',
        tests=('judge/test_order_and_pointing.py', 'judge/test_places.py'),
    ),
    Mutation(
        name='the judge finds nothing too early',
        symbol='ExpectedOutcome.too_early',
        new='return ()',
        tests=('judge/test_order_and_pointing.py', 'judge/test_places.py'),
    ),
    Mutation(
        name='the judge counts no repeats',
        symbol='_judge',
        old='first = tuple(dict.fromkeys(done))',
        new='first = done = tuple(dict.fromkeys(done))',
        tests=('judge/test_order_and_pointing.py',),
    ),
)


def applied(mutation: Mutation, source: str) -> str | None:
    """The source of a module with the mutation applied; None if the module does not have its target.

    Raises:
        MovedError: several functions have this name, or the text does not occur exactly once.
    """
    found = [function for name, function in _functions(ast.parse(source)) if name == mutation.symbol]
    if not found:
        return None
    if len(found) > 1:
        raise MovedError(f'{mutation.name}: {len(found)} functions are named {mutation.symbol}')
    function = found[0]
    lines = source.splitlines(keepends=True)
    first, last = function.lineno - 1, function.end_lineno
    if mutation.old:
        text = ''.join(lines[first:last])
        if text.count(mutation.old) != 1:
            raise MovedError(
                f'{mutation.name}: {mutation.symbol} has {text.count(mutation.old)} times {mutation.old!r}'
            )
        text = text.replace(mutation.old, mutation.new)
    else:
        body = function.body[0]
        text = ''.join(lines[first : body.lineno - 1]) + ' ' * body.col_offset + mutation.new + '\n'
    return ''.join(lines[:first]) + text + ''.join(lines[last:])


def target(mutation: Mutation, root: Path) -> tuple[Path, str]:
    """The only file of the product or the judge that changes, and its new text.

    Raises:
        MovedError: there is no such file, or more than one.
    """
    changed = []
    folders = [item for item in root.iterdir() if item.is_dir() and not item.name.startswith('.')]
    packages = [*(item for item in folders if item.name not in NOT_THE_PRODUCT), root / JUDGE]
    for path in sorted(path for item in packages for path in item.rglob('*.py')):
        source = path.read_text(encoding='utf-8')
        if mutation.symbol.rpartition('.')[2] in source and (new := applied(mutation, source)) is not None:
            changed.append((path, new))
    if len(changed) != 1:
        names = ', '.join(path.relative_to(root).as_posix() for path, _ in changed) or 'no file'
        raise MovedError(f'{mutation.name}: one file should hold {mutation.symbol}, found in {names}')
    return changed[0]


def tests_of(mutation: Mutation, root: Path) -> list[Path]:
    """The test files that should fail.

    Raises:
        MovedError: one of them does not exist.
    """
    files = []
    for name in mutation.tests:
        found = sorted((root / 'test').rglob(name))
        if not found:
            raise MovedError(f'{mutation.name}: there is no test file {name}')
        files += found
    return files


def _functions(tree: ast.Module) -> list[tuple[str, ast.FunctionDef]]:
    """The functions and methods of a module, each with its name."""
    named = [(node.name, node) for node in tree.body if isinstance(node, ast.FunctionDef)]
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef):
            named += [(f'{owner.name}.{node.name}', node) for node in owner.body if isinstance(node, ast.FunctionDef)]
    return named


def _copy(root: Path) -> None:
    """Copies all files that git tracks or would add, as they are in the working tree."""
    listing = ['git', '-C', str(ROOT), 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
    names = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split('\0')
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes((ROOT / name).read_bytes())


def _run(tests: Sequence[Path], root: Path) -> tuple[dict[str, int], str]:
    """Runs tests in the copy. Returns how many passed and failed, and pytest's output."""
    # The copy must come first on the path, since the editable install refers to the original.
    packages = os.pathsep.join([str(root), str(root / 'laboratory')])
    environment = {**os.environ, 'PYTHONPATH': packages, 'CI': 'true', 'PYTHONDONTWRITEBYTECODE': '1'}
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-n', '2', '--timeout', str(TIMEOUT_S)]
    command += sorted({str(path.relative_to(root)) for path in tests})
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    counts = {'passed': 0, 'failed': 0, 'error': 0}
    for number, kind in _SUMMARY.findall(done.stdout.strip().rpartition('\n')[2]):
        counts[kind.removesuffix('s')] += int(number)
    return counts, done.stdout + done.stderr


def _try_all(mutations: Sequence[Mutation], root: Path) -> int:
    say = sys.stdout.write
    counts, output = _run([path for mutation in mutations for path in tests_of(mutation, root)], root)
    if counts['failed'] or counts['error'] or not counts['passed']:
        say(f'the tests do not pass without any mutation:\n{output}\n')
        return 1
    say(
        f'without any mutation: {counts["passed"]} tests pass\n\n| mutation | in | tests failed |\n| --- | --- | --- '
        '|\n'
    )
    survived = 0
    for mutation in mutations:
        path, new = target(mutation, root)
        old = path.read_text(encoding='utf-8')
        path.write_text(new, encoding='utf-8')
        counts, output = _run(tests_of(mutation, root), root)
        path.write_text(old, encoding='utf-8')
        where = f'{path.relative_to(root)}, `{mutation.symbol}`'
        total = sum(counts.values())
        if counts['error'] or not total:
            say(f'\n{mutation.name}: the tests did not run:\n{output}\n')
        failed = counts['failed'] if total and not counts['error'] else 0
        survived += not failed
        say(f'| {mutation.name} | {where} | {f"{failed} of {total}" if failed else "none: it SURVIVES"} |\n')
        sys.stdout.flush()
    say(f'\n{len(mutations)} mutations, {survived} survived\n')
    return int(survived > 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the mutations and returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').splitlines()[0])
    parser.add_argument('name', nargs='*', help='part of the name of a mutation; all unless given')
    parser.add_argument('--check', action='store_true', help='only look for the targets and the tests')
    chosen = parser.parse_args(arguments)
    mutations = [item for item in MUTATIONS if not chosen.name or any(name in item.name for name in chosen.name)]
    try:
        for mutation in mutations:
            target(mutation, ROOT)
            tests_of(mutation, ROOT)
        if chosen.check:
            return 0
        with tempfile.TemporaryDirectory(prefix='lucca-mutations-') as folder:
            _copy(Path(folder))
            return _try_all(mutations, Path(folder))
    except MovedError as moved:
        sys.stderr.write(f'{moved}\n')
        return 1


if __name__ == '__main__':
    sys.exit(main())
