"""Fails when a test was skipped for a reason that is not on the known list: CI must not pass because nothing ran."""

import re
import sys
from pathlib import Path

SKIP = re.compile(r'^SKIPPED \[\d+\] (?P<place>\S+?)(?::\d+)?: (?P<reason>.*)$')


def main() -> int:
    """Compares the skips in a pytest report with the list of known reasons. Returns the exit code."""
    report, known_file = (Path(name) for name in sys.argv[1:3])
    lines = known_file.read_text().splitlines()
    known = [line for line in lines if line and not line.startswith('#')]
    skips = [match for line in report.read_text(errors='replace').splitlines() if (match := SKIP.match(line))]
    unknown = [match for match in skips if not any(reason in match['reason'] for reason in known)]
    sys.stdout.write(f'{len(skips)} kinds of skip, {len(unknown)} of them not on the known list\n')
    for match in skips:
        mark = 'UNKNOWN' if match in unknown else 'known'
        sys.stdout.write(f'  {mark}: {match["place"]}: {match["reason"]}\n')
    return 1 if unknown else 0


sys.exit(main())
