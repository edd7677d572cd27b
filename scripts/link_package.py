"""Links that make the editable install visible to ament and `ros2 launch`; it skips setup.py's data_files itself."""

import sys
from importlib.metadata import distribution
from pathlib import Path


def link(target: Path, source: Path) -> None:
    """Makes a symbolic link at `target` to `source`, and replaces whatever was there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    target.symlink_to(source)


def main() -> None:
    """Links markers, package.xml, launch files, config and executables below the prefix given on the command line."""
    prefix, root = Path(sys.argv[1]).absolute(), Path(__file__).resolve().parent.parent
    link(prefix / 'share/ament_index/resource_index/packages/lucca', root / 'resource/lucca')
    link(prefix / 'share/lucca/package.xml', root / 'package.xml')
    for folder in ('launch', 'config'):
        for path in (root / folder).rglob('*'):
            if path.is_file() and '__pycache__' not in path.parts:
                link(prefix / 'share/lucca' / path.relative_to(root), path)
    bringup = root / 'lucca_bringup'
    link(prefix / 'share/ament_index/resource_index/packages/lucca_bringup', root / 'resource/lucca')
    for path in (bringup / 'package.xml', *(bringup / 'launch').iterdir(), *(bringup / 'config').iterdir()):
        if path.is_file():
            link(prefix / 'share/lucca_bringup' / path.relative_to(bringup), path)
    # The executables go where setup.py would install them.
    for executable in distribution('lucca').entry_points.select(group='console_scripts'):
        link(prefix / 'lib/lucca' / executable.name, prefix / 'bin' / executable.name)


main()
