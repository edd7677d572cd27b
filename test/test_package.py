"""What is installed is what is here: every module and every file that the code reads beside itself."""

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import setuptools
import yaml

from lucca_cli.laboratory import COMMANDS_GROUP, LABORATORY_COMMANDS
from lucca_core.laboratory import INSTRUMENTS_GROUP
from lucca_core.nodes import MODULES

ROOT = Path(__file__).resolve().parent.parent


LABORATORY = ROOT / 'laboratory'


@pytest.fixture
def declared(monkeypatch):
    """What the setup.py of a distribution says."""

    def of(root):
        said = {}
        monkeypatch.chdir(root)
        monkeypatch.setattr(setuptools, 'setup', lambda **arguments: said.update(arguments))
        runpy.run_path('setup.py')
        return said

    return of


def _folders(root):
    """Every folder of a distribution that Python imports from."""
    roots = [path.parent for path in root.glob('*/__init__.py') if not path.parent.name.startswith('lucca_interfaces')]
    return sorted({file.parent.relative_to(root) for top in roots for file in top.rglob('*.py')})


@pytest.mark.parametrize('root', [ROOT, LABORATORY], ids=['lucca', 'lucca-lab'])
def test_every_package_is_installed(declared, root):
    assert len(_folders(root)) > 10
    assert sorted(declared(root)['packages']) == sorted('.'.join(folder.parts) for folder in _folders(root))


@pytest.mark.parametrize('root', [ROOT, LABORATORY], ids=['lucca', 'lucca-lab'])
def test_every_file_beside_the_code_is_installed(declared, root):
    taken = {
        file.relative_to(root)
        for package, patterns in declared(root)['package_data'].items()
        for pattern in patterns
        for file in (root / package.replace('.', '/')).glob(pattern)
    }
    beside = {
        file.relative_to(root)
        for folder in _folders(root)
        for file in (root / folder).iterdir()
        if file.is_file() and file.suffix not in ('.py', '.pyc')
    }
    assert beside
    assert beside == taken


def test_ros_is_an_extra_and_never_required(declared):
    """Beside a ROS 2 from apt, wheels would hide it."""
    said = declared(ROOT)
    assert len(said['install_requires']) > 10
    assert not [line for line in said['install_requires'] if line.startswith('ros-')]
    assert all(line.startswith('ros-') for line in said['extras_require']['ros-wheels'])


def _requirements(name):
    """Version specifiers by package, of requirements/NAME.txt."""
    lines = (ROOT / 'requirements' / f'{name}.txt').read_text(encoding='utf-8').splitlines()
    found = [re.fullmatch(r'([\w-]+)(.*)', line) for line in lines if line and not line.startswith('#')]
    return {match[1]: match[2] for match in found}


def _depends(tag):
    """What package.xml depends on, by elements of one tag or all."""
    document = ElementTree.parse(ROOT / 'package.xml')  # noqa: S314 - our own file
    return {element.text or '' for element in document.iter(tag)}


def test_beside_ros_from_apt_each_package_comes_from_apt_or_from_one_file():
    keys = _depends('exec_depend')
    assert not [key for key in keys if key.endswith('-pip')], (
        'apt serves no such key, and pip refuses it on Ubuntu 24.04'
    )
    names = {'pyyaml': 'yaml', 'opencv-python-headless': 'opencv'}
    from_apt = {name for name in _requirements('run') if f'python3-{names.get(name, name).lower()}' in keys}
    beside = _requirements('beside_apt')
    # NumPy comes from apt; the file only keeps pip from hiding it.
    assert beside.pop('numpy').endswith('<2')
    assert beside == {name: given for name, given in _requirements('run').items() if name not in from_apt}


def test_gazebo_is_no_dependency_of_a_robot():
    keys = _depends(None)
    assert not [key for key in keys if 'gz' in key]


def test_every_package_says_that_it_is_typed(declared):
    for root in (ROOT, LABORATORY):
        tops = {name for name in declared(root)['packages'] if '.' not in name}
        assert tops == {file.parent.name for file in root.glob('*/py.typed')}


def test_what_the_laboratory_adds_can_be_loaded_and_is_known_to_the_product(declared):
    points = declared(LABORATORY)['entry_points']
    named = [line.split(' = ') for line in [*points[COMMANDS_GROUP], *points[INSTRUMENTS_GROUP]]]
    for name, place in named:
        module, _, attribute = place.partition(':')
        source = ast.parse((LABORATORY / f'{module.replace(".", "/")}.py').read_text(encoding='utf-8'))
        assert attribute in _names_of(source), f'{name}: {place} is not there'
    assert tuple(line.split(' = ')[0] for line in points[COMMANDS_GROUP]) == tuple(LABORATORY_COMMANDS)


def _names_of(module):
    """What a module defines or imports at its top."""
    names = set()
    for node in module.body:
        match node:
            case ast.ClassDef() | ast.FunctionDef():
                names.add(node.name)
            case ast.Assign():
                names |= {ast.unparse(target) for target in node.targets}
            case ast.ImportFrom():
                names |= {alias.asname or alias.name for alias in node.names}
    return names


def test_every_kind_of_node_is_an_executable_and_make_setup_links_what_setup_installs(declared, tmp_path):
    executables = dict(line.split(' = ') for line in declared(ROOT)['entry_points']['console_scripts'])
    assert {name: f'{module}:main' for name, module in MODULES.items()} | {
        'lucca': 'lucca_cli.main:main'
    } == executables
    subprocess.run([sys.executable, str(ROOT / 'scripts' / 'link_package.py'), str(tmp_path)], check=True)
    assert {file.name for file in (tmp_path / 'lib' / 'lucca').iterdir()} == set(executables)


def test_a_sourced_workspace_finds_the_command(declared):
    """colcon installs programs where `ros2 run` looks for them, which is not on PATH."""
    (hook,) = yaml.safe_load((ROOT / 'colcon.pkg').read_text(encoding='utf-8'))['hooks']
    installed = {
        f'{folder}/{Path(name).name}': ROOT / name for folder, names in declared(ROOT)['data_files'] for name in names
    }
    scripts = re.search(r'install_scripts=\$base/(.*)', (ROOT / 'setup.cfg').read_text(encoding='utf-8'))
    assert installed[hook].read_text(encoding='utf-8') == f'prepend-non-duplicate;PATH;{scripts[1]}\n'


def test_every_executable_that_a_launch_file_starts_is_there():
    files = [*(ROOT / 'launch').glob('*.py'), ROOT / 'lucca_ros' / 'launching.py']
    text = '\n'.join(file.read_text(encoding='utf-8') for file in files)
    listed = re.search(r'STACK_NODES = (\(.*?\))', text).group(1)
    started = {*ast.literal_eval(listed), *re.findall(r"(?:lucca_node\(|SPEECH = )'(\w+)'", text)}
    assert started == set(MODULES)
