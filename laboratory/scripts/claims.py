"""`make claims`: lists what README and docs claim, and the command of each. ARGS=--check runs the small forms."""

import argparse
import sys
from pathlib import Path

from lucca_lab.claims.claims import load_claims, load_results, standing, tried

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Lists or checks the claims. Returns 0, or 1 if a claim does not hold."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument('--check', action='store_true', help='compare with the last results, and run the small forms')
    options.add_argument('names', nargs='*', help='only these claims')
    asked = options.parse_args()
    claims = [claim for claim in load_claims() if not asked.names or claim.name in asked.names]
    results, wrong = load_results(), 0
    for claim in claims:
        sys.stdout.write(f'{claim.name}: {claim.says} ({claim.page}: {claim.figure})\n    {claim.command}\n')
        if not asked.check:
            continue
        fault = standing(claim, ROOT, results)
        if not fault and claim.small:
            fault = tried(claim, results[claim.name])
        wrong += bool(fault)
        sys.stdout.write(f'    {fault or ("holds" if claim.small else "stands there; it has no small form")}\n')
    if asked.check:
        sys.stdout.write(f'{len(claims)} claims, {wrong} do not hold\n')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
