"""`make claims`: lists what README and docs claim, and the command of each. with --check, runs the small forms."""

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from lucca_lab.claims.claims import (
    Claim,
    CommandError,
    Result,
    counts,
    load_claims,
    load_results,
    run_counts,
    save_result,
    standing,
    tried,
)

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Lists, checks or records the claims. Returns 0, or 1 if a claim does not hold."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument('--check', action='store_true', help='compare with the last results, and run the small forms')
    options.add_argument('--record', action='store_true', help='run the whole commands and keep what they print')
    options.add_argument('--printed', type=Path, help='with --record and one name: JSON that its command printed')
    options.add_argument(
        '--figure', help='with --record and one name: the figure that its command printed, if it prints no counts'
    )
    options.add_argument(
        '--from-page', action='store_true', help='with --record and names: the figure as it stands, its output was lost'
    )
    options.add_argument('--commit', help='with --printed or --figure: the commit at which it ran; by default this one')
    options.add_argument('--date', help='with --printed or --figure: the day on which it ran; by default today')
    options.add_argument('names', nargs='*', help='only these claims')
    asked = options.parse_args()
    claims = load_claims()
    if unknown := set(asked.names) - {claim.name for claim in claims}:
        options.error(f'there is no claim {", ".join(sorted(unknown))}')
    by_hand = asked.printed or asked.figure
    if by_hand and not asked.record:
        options.error('--printed and --figure belong to --record')
    if (asked.commit or asked.date) and not by_hand:
        options.error('--commit and --date belong to --printed or --figure')
    if asked.from_page and not (asked.record and asked.names):
        options.error('--from-page belongs to --record and needs names')
    claims = [claim for claim in claims if not asked.names or claim.name in asked.names]
    if asked.record:
        return _record(claims, asked)
    results, wrong = load_results(), 0
    for claim in claims:
        sys.stdout.write(f'{claim.name}: {claim.says} ({claim.page}: {claim.figure})\n    {claim.command}\n')
        if not asked.check:
            continue
        fault = standing(claim, ROOT, results)
        if not fault and claim.small:
            fault = tried(claim, results[claim.name])
        wrong += bool(fault)
        sys.stdout.write(f'    {fault or ("holds" if claim.small else _not_run(claim, results))}\n')
    if asked.check:
        small = sum(bool(claim.small) for claim in claims)
        sys.stdout.write(f'{len(claims)} claims, {small} run in a small form, {wrong} do not hold\n')
    return 1 if wrong else 0


def _not_run(claim: Claim, results: dict[str, Result]) -> str:
    lost = ', what it printed was not kept' if results[claim.name].from_page else ''
    return f'stands there{lost}; not run: {claim.no_small}'


def _written(claim: Claim) -> tuple[str, str]:
    """The commit that wrote a claim's figure into its page, and its day."""
    found = ('', '')
    log = subprocess.check_output(['git', 'log', '--format=%h %cs', '--', claim.page], cwd=ROOT, text=True)
    for line in log.splitlines():
        commit, day = line.split()
        page = subprocess.run(
            ['git', 'show', f'{commit}:{claim.page}'], cwd=ROOT, text=True, capture_output=True, check=False
        )
        if claim.figure not in ' '.join(page.stdout.split()):
            break
        found = commit, day
    if not found[0]:
        raise ValueError(f'{claim.page} does not say {claim.figure!r} in any commit')
    return found


def _counted(found: tuple[int, int]) -> dict[str, int]:
    return {'done': found[0], 'tasks': found[1]}


def _record(claims: list[Claim], asked: argparse.Namespace) -> int:
    printed: Path | None = asked.printed
    if (printed or asked.figure) and len(claims) != 1:
        raise SystemExit('--printed and --figure need the name of one claim')
    at = (
        asked.commit
        or subprocess.check_output(
            ['git', 'describe', '--always', '--dirty', '--exclude', '*'], cwd=ROOT, text=True
        ).strip()
    )
    wrong = 0
    for claim in claims:
        try:
            if asked.from_page:
                before = load_results().get(claim.name)
                if claim.small or (before is not None and not before.from_page):
                    raise ValueError('has a result that was printed, or a small form')
                commit, day = _written(claim)
                result = Result(figure=claim.figure, command=claim.command, commit=commit, date=day, from_page=True)
                save_result(claim.name, result)
                sys.stdout.write(f'{claim.name}: as {commit} wrote it\n')
                continue
            if asked.figure:
                result = Result(figure=asked.figure)
            elif printed is not None:
                result = Result(**_counted(counts(json.loads(printed.read_text(encoding='utf-8')), claim.rows)))
            elif claim.small:
                with tempfile.TemporaryDirectory(prefix='lucca-claim-') as folder:
                    result = Result(**_counted(run_counts(claim.command, claim.rows, Path(folder))))
            else:
                sys.stdout.write(f'{claim.name}: not counted ({claim.no_small})\n')
                continue
        except (CommandError, OSError, ValueError, KeyError) as error:
            sys.stdout.write(f'{claim.name}: {error!r}\n')
            wrong += 1
            continue
        day = asked.date or datetime.datetime.now(tz=datetime.UTC).date().isoformat()
        save_result(claim.name, replace(result, command=claim.command, commit=at, date=day))
        sys.stdout.write(f'{claim.name}: {result.figure or f"{result.done} of {result.tasks}"}\n')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
