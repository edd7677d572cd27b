"""Prints the share of the lines that tests ran, by package, from a JSON report of coverage.

scripts/coverage_table.py REPORT
"""

import json
import sys
from collections import defaultdict
from pathlib import Path


def main() -> None:
    files = json.loads(Path(sys.argv[1]).read_text())['files']
    lines: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, file in files.items():
        package = Path(name).parts[0] if len(Path(name).parts) > 1 else 'top level'
        for row in (package, 'all'):
            lines[row][0] += file['summary']['covered_lines']
            lines[row][1] += file['summary']['num_statements']
    rows = ['| package | statements | run by tests |', '| --- | --- | --- |']
    for package, (covered, statements) in sorted(lines.items(), key=lambda item: (item[0] == 'all', item[0])):
        if statements:
            rows.append(f'| {package} | {statements} | {100 * covered / statements:.1f} % |')
    sys.stdout.write('\n'.join(rows) + '\n')


if __name__ == '__main__':
    main()
