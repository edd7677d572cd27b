"""What is installed is what is here: every module and every file that the code reads beside itself."""

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import setuptools

from lucca_core.nodes import MODULES

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def declared(monkeypatch):
    """What setup.py says."""
    said = {}
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(setuptools, 'setup', lambda **arguments: said.update(arguments))
    runpy.run_path('setup.py')
    return said


def _folders():
    """Every folder of ours that Python imports from."""
    roots = [path.parent for path in ROOT.glob('*/__init__.py') if not path.parent.name.startswith('lucca_interfaces')]
    return sorted({file.parent.relative_to(ROOT) for root in roots for file in root.rglob('__init__.py')})


def test_every_package_is_installed(declared):
    assert len(_folders()) > 20
    assert sorted(declared['packages']) == sorted('.'.join(folder.parts) for folder in _folders())


def test_every_file_beside_the_code_is_installed(declared):
    taken = {
        file.relative_to(ROOT)
        for package, patterns in declared['package_data'].items()
        for pattern in patterns
        for file in (ROOT / package.replace('.', '/')).glob(pattern)
    }
    beside = {
        file.relative_to(ROOT)
        for folder in _folders()
        for file in (ROOT / folder).iterdir()
        if file.is_file() and file.suffix not in ('.py', '.pyc')
    }
    assert beside
    assert beside == taken


def test_every_kind_of_node_is_an_executable_and_make_setup_links_what_setup_installs(declared, tmp_path):
    executables = dict(line.split(' = ') for line in declared['entry_points']['console_scripts'])
    assert {name: f'{module}:main' for name, module in MODULES.items()} | {
        'lucca': 'lucca_cli.main:main'
    } == executables
    subprocess.run([sys.executable, str(ROOT / 'scripts' / 'link_package.py'), str(tmp_path)], check=True)
    assert {file.name for file in (tmp_path / 'lib' / 'lucca').iterdir()} == set(executables)


def test_every_executable_that_a_launch_file_starts_is_there():
    files = [*(ROOT / 'launch').glob('*.py'), ROOT / 'lucca_ros' / 'launching.py']
    text = '\n'.join(file.read_text(encoding='utf-8') for file in files)
    listed = re.search(r'STACK_NODES = (\(.*?\))', text).group(1)
    started = {*ast.literal_eval(listed), *re.findall(r"(?:lucca_node\(|SPEECH = )'(\w+)'", text)}
    assert started == set(MODULES)
