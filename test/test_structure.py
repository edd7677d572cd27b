"""The layers, read from every file's imports: arrows run down only, and ROS stays at the edge."""

import ast
import importlib.util
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent

# Which of our packages each may import, besides itself. What is missing here is forbidden.
BELOW = {
    'lucca_core': set(),
    'lucca_robot': {'lucca_core'},
    'lucca_language': {'lucca_core'},
    'lucca_llm': {'lucca_core', 'lucca_language', 'lucca_memory'},
    'lucca_memory': {'lucca_core'},
    'lucca_sim': {'lucca_core', 'lucca_robot'},
    'perception_node': {'lucca_core', 'lucca_robot', 'lucca_memory'},
    'action_node': {'lucca_core', 'lucca_language', 'lucca_robot', 'lucca_memory'},
    'worker_node': {'lucca_core', 'lucca_memory', 'lucca_llm'},
    'coordinator_node': {'lucca_core', 'lucca_language', 'lucca_memory', 'lucca_llm'},
    'speech_node': {'lucca_core', 'lucca_memory', 'lucca_llm'},
    'lucca_view': {'lucca_core', 'lucca_memory', 'lucca_llm', 'lucca_robot'},
    'lucca_ros': {'lucca_core'},
}
NODES = {'perception_node', 'action_node', 'worker_node', 'coordinator_node', 'speech_node'}
PLAIN = set(BELOW) - {'lucca_ros'}
BELOW['lucca_cli'] = PLAIN
BELOW['lucca_lab'] = {*PLAIN, 'lucca_cli'}
OURS = set(BELOW)
PRODUCT = OURS - {'lucca_lab'}
LABORATORY = ROOT / 'laboratory'

EDGE_NAMES = {'node.py', 'conversions.py'}
EDGE_FILES = {
    'action_node/action_goals.py',
    'action_node/action_sender.py',
    'action_node/grasp_display.py',
    'action_node/moveit.py',
    'action_node/prohibition_service.py',
    'action_node/other_senders.py',
    'action_node/ros_interfaces.py',
    'action_node/running_controllers.py',
    'action_node/status_report.py',
    'action_node/stop_inputs.py',
    'coordinator_node/people/service_client.py',
    'coordinator_node/ros_interfaces.py',
    'lucca_cli/client.py',
    'lucca_cli/examined_stack.py',
    'lucca_cli/running_goal.py',
    'lucca_cli/stack_events.py',
    'lucca_cli/worker_requests.py',
    'lucca_lab/bench/round_trips.py',
    'lucca_lab/voice/stack_client.py',
    'perception_node/camera_frames.py',
    'perception_node/annotated_pictures.py',
    'perception_node/displays.py',
    'worker_node/people/services.py',
}
EDGE_FOLDERS = ('lucca_ros/', 'lucca_lab/attack/running/')
WITH_NODES = {*NODES, 'lucca_sim'}
ROS_PACKAGES = {'rclpy', 'rcl_interfaces', 'builtin_interfaces', 'lucca_interfaces', 'lucca_ros', 'ament_index_python'}
ROS_PACKAGES |= {'launch', 'launch_ros', 'tf2_ros', 'tf2_py', 'cv_bridge', 'rosidl_runtime_py', 'rosbag2_py'}
ROS_SUFFIXES = ('_msgs', '_srvs')

ROOMS_OF_RULES = ('prompts', 'space', 'kinds', 'plans', 'utterances', 'answers')

RCLPY_INTERNALS = 'lucca_ros/rclpy_internals.py'
PRIVATE_IN_RCLPY = {
    '_callback_type',
    '_callbacks',
    '_clock_sub',
    '_goal_handles',
    '_rclpy_pybind11',
    '_state_machine',
    '_time_source',
}
PRIVATE_IN_RCLPY |= {'_cancel_goal_async', '_execute_goal', '_get_result_async', '_is_feedback_ready'}
PRIVATE_IN_RCLPY |= {'_is_result_response_ready', 'rclpy_implementation', 'take_message'}
# The attacks look into the action node, which is ours.
INSIDE_THE_ACTION_NODE = 'lucca_lab/attack/running/'


def _folder(package: str) -> Path:
    return (ROOT if package in PRODUCT else LABORATORY) / package


PATHS = {
    path.relative_to(_folder(package).parent).as_posix(): path
    for package in sorted(OURS)
    for path in sorted(_folder(package).rglob('*.py'))
}
NAMES = list(PATHS)


@cache
def _imports(file: Path) -> set[str]:
    """Every module that a file imports, inside functions and under TYPE_CHECKING too."""
    modules = set()
    for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{file}: imports are written in full'
            modules |= {f'{node.module}.{alias.name}' for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ('importlib.import_module', '__import__'):
            modules |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    return modules


def _found(names: Iterable[str], wrong: Callable[[str], Collection[str]]) -> dict[str, list[str]]:
    """The files with something wrong, and what it is."""
    return {name: sorted(found) for name in names if (found := wrong(name))}


def _root(module: str) -> str:
    return module.split('.')[0]


def _is_edge(name: str) -> bool:
    package, _, rest = name.partition('/')
    return (
        name.startswith(EDGE_FOLDERS)
        or name in EDGE_FILES
        or (package in WITH_NODES and rest.split('/')[-1] in EDGE_NAMES)
    )


def _is_ros(module: str) -> bool:
    return _root(module) in ROS_PACKAGES or _root(module).endswith(ROS_SUFFIXES)


def test_there_is_something_to_read():
    assert len(PATHS) > 50


def test_arrows_run_down_only():
    def wrong(name):
        package = name.split('/')[0]
        allowed = BELOW[package] | {package} | ({'lucca_ros'} if _is_edge(name) else set())
        return {module for module in _imports(PATHS[name]) if _root(module) in OURS and _root(module) not in allowed}

    assert _found(NAMES, wrong) == {}, 'see BELOW for what may be imported'


def test_rooms_of_the_rules_import_only_those_before_them():
    def room(path):
        parts = path.removeprefix('lucca_llm/rules/').split('/')
        return ROOMS_OF_RULES.index(parts[0]) if parts[0] in ROOMS_OF_RULES else len(ROOMS_OF_RULES)

    def later(name):
        rules = {module.replace('.', '/') for module in _imports(PATHS[name]) if module.startswith('lucca_llm.rules.')}
        return {module for module in rules if room(module) > room(name)}

    names = [name for name in NAMES if name.startswith('lucca_llm/rules/')]
    assert {room(name) for name in names} == {*range(len(ROOMS_OF_RULES) + 1)}
    assert _found(names, later) == {}


def test_ros_stays_at_the_edge():
    inside = [name for name in NAMES if not _is_edge(name)]
    assert _found(inside, lambda name: {module for module in _imports(PATHS[name]) if _is_ros(module)}) == {}


def test_only_the_edge_and_the_command_line_import_the_edge():
    edge = [name.removesuffix('.py').replace('/', '.') for name in NAMES if _is_edge(name)]
    edge = [module for module in edge if _root(module) in WITH_NODES]
    inside = [name for name in NAMES if not _is_edge(name) and not name.startswith('lucca_cli/')]

    def wrong(name):
        return {
            module
            for module in _imports(PATHS[name])
            if any(module == other or module.startswith(f'{other}.') for other in edge)
        }

    assert _found(inside, wrong) == {}, 'these import ROS'


def _private_uses(source: str, *, only_listed: bool = False) -> set[str]:
    """The private parts of rclpy's objects in a source: listed ones, and underscore attributes except of `self`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            private = node.attr.startswith('_') and not node.attr.endswith('__')
            own = isinstance(node.value, ast.Name) and node.value.id in ('self', 'cls')
            if node.attr in PRIVATE_IN_RCLPY or (private and not own and not only_listed):
                found.add(node.attr)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in PRIVATE_IN_RCLPY:
            found.add(node.name)
        elif isinstance(node, ast.Constant) and node.value in PRIVATE_IN_RCLPY:
            found.add(str(node.value))
        elif isinstance(node, ast.ImportFrom) and (node.module or '').startswith(('rclpy.impl', 'rclpy._')):
            found.add(str(node.module))
    return found


def test_a_private_part_of_rclpy_is_found():
    assert _private_uses('node._callbacks[0]') == {'_callbacks'}
    assert _private_uses('self._node._parameters') == {'_parameters'}
    assert _private_uses("getattr(node, '_time_source')") == {'_time_source'}
    assert _private_uses('from rclpy.impl.implementation_singleton import rclpy_implementation')
    assert _private_uses('class Server(ActionServer):\n    async def _execute_goal(self): ...\n')
    assert not _private_uses('self._timer = self.create_timer(1.0, self._tick)')


def test_private_parts_of_rclpy_are_used_in_one_file():
    def used(name):
        return _private_uses(
            PATHS[name].read_text(encoding='utf-8'), only_listed=name.startswith(INSIDE_THE_ACTION_NODE)
        )

    elsewhere = [name for name in NAMES if _is_edge(name) and name != RCLPY_INTERNALS]
    assert _found(elsewhere, used) == {}, f'say in {RCLPY_INTERNALS} what rclpy lacks, and use it from there'


@pytest.mark.parametrize('package', sorted(NODES))
def test_no_node_package_imports_another(package):
    files = [path for name, path in PATHS.items() if name.split('/')[0] == package]
    others = {module for path in files for module in _imports(path) if _root(module) in NODES - {package}}
    assert not others


def test_the_product_knows_nothing_of_the_laboratory():
    """Neither by an import nor by a name in a string: it is found by its entry points."""
    product = [name for name in NAMES if name.split('/')[0] in PRODUCT]
    files = [*(PATHS[name] for name in product), *(ROOT / 'launch').rglob('*.py'), *(ROOT / 'scripts').rglob('*.py')]
    assert len(files) > 100
    assert not [path for path in files if 'lucca_lab' in ''.join(map(str, _imports(path)))]
    sources = {name: PATHS[name].read_text(encoding='utf-8') for name in product}
    named = [name for name, source in sources.items() if 'lucca_lab' in source]
    assert not [name for name in named if any('lucca_lab' in said for _, said in _code_lines(sources[name]))]


def test_the_expected_answers_are_named_only_where_they_are_judged():
    named = [name for name in NAMES if 'truth.yaml' in PATHS[name].read_text(encoding='utf-8')]
    assert named
    assert all(name.startswith('lucca_lab/') for name in named)


def test_no_node_of_the_stack_imports_the_simulator():
    for name in NAMES:
        if name.split('/')[0] in NODES:
            assert not [module for module in _imports(PATHS[name]) if _root(module) == 'lucca_sim'], name


def test_the_packages_import_in_no_circle():
    for package, below in BELOW.items():
        for other in below:
            assert package not in BELOW[other], f'{package} and {other} may import each other'


def test_the_modules_import_in_no_circle():
    """Not even under TYPE_CHECKING: two modules that know each other are one."""
    modules = {
        name.removesuffix('.py').removesuffix('/__init__').replace('/', '.'): path for name, path in PATHS.items()
    }

    def module_of(imported: str) -> str:
        return imported if imported in modules else imported.rpartition('.')[0]

    graph = {name: {module_of(each) for each in _imports(path)} & {*modules} for name, path in modules.items()}
    assert sum(map(len, graph.values())) > len(modules)
    TopologicalSorter(graph).prepare()


def _class_names(package: str) -> Counter[str]:
    return Counter(
        node.name
        for name in NAMES
        if name.split('/')[0] == package
        for node in ast.walk(ast.parse(PATHS[name].read_text(encoding='utf-8')))
        if isinstance(node, ast.ClassDef)
    )


@pytest.mark.parametrize('package', sorted(OURS))
def test_a_package_has_no_two_classes_of_one_name(package):
    assert not [name for name, count in _class_names(package).items() if count > 1]


@pytest.mark.parametrize('package', sorted(PRODUCT))
def test_no_class_has_the_name_of_one_that_its_package_may_import(package):
    own = {name for name in _class_names(package) if not name.startswith('_')}
    assert {other: shared for other in BELOW[package] if (shared := own & _class_names(other).keys())} == {}


def test_every_package_says_what_it_holds():
    for package in OURS:
        tree = ast.parse((_folder(package) / '__init__.py').read_text(encoding='utf-8'))
        assert ast.get_docstring(tree), f'{package}/__init__.py has no docstring'


def test_launch_files_and_tests_are_no_packages():
    assert not [*(ROOT / 'test').rglob('__init__.py'), *(ROOT / 'launch').rglob('__init__.py')]


# -- no rule from object to action or place, but in the model and in its judge ------------------------------------

# The kinds of things that the five tasks are about. A bowl is also a place; `can` would be found in every message.
THINGS = [
    'apple',
    'banana',
    'pear',
    'lemon',
    'orange',
    'fruit',
    'cup',
    'cans',
    'kitchenware',
    'baseball',
    'jello',
    'cube',
]
MODEL_AND_JUDGE = ('lucca_language/', 'lucca_llm/rules/', 'lucca_lab/')
# Scenes and prototypes say what stands on a table and looks like what; tasks.yaml is the prose that the model is given,
# and proposals.yaml has examples of what people say, with the same in plain words.
DESCRIPTIONS = (
    'config/scenes/', 'config/robots/', 'config/objects.yaml', 'config/tasks.yaml', 'config/prompts/proposals.yaml'
)  # fmt: skip
# Lines that name both without saying that one goes with the other.
HARMLESS = {
    'action_node/motion/config.py': ('Height above a tower at which a cube is let go',),
    'lucca_sim/shapes.py': ('OBJECT_SHAPES', 'CONTAINER_SHAPES'),
}
TEXTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / 'config').rglob('*')
    if path.suffix in ('.yaml', '.j2', '.xml')
)
SCRIPTS = {
    path.relative_to(ROOT).as_posix(): path
    for folder in ('launch', 'scripts', 'laboratory/scripts')
    for path in (ROOT / folder).rglob('*.py')
}


@cache
def _actions_and_places() -> tuple[str, ...]:
    actions = yaml.safe_load((ROOT / 'config' / 'actions.yaml').read_text(encoding='utf-8'))['actions']
    places = [entry['effect'].get('container', '') for entry in actions.values()]
    return tuple(sorted({*actions, *filter(None, places)}))


def _docstrings(tree: ast.AST) -> set[int]:
    """The lines of all strings that stand alone: docstrings, of modules, classes, functions and attributes."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def _code_lines(source: str) -> Iterator[tuple[int, str]]:
    """What names and strings say, line by line; without comments and docstrings."""
    said: dict[int, list[str]] = {}
    skipped = _docstrings(ast.parse(source))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.NAME, tokenize.STRING):
            for offset, text in enumerate(token.string.splitlines()):
                said.setdefault(token.start[0] + offset, []).append(text)
    yield from ((number, ' '.join(texts)) for number, texts in said.items() if number not in skipped)


def _text_lines(name: str, text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        # In a prompt `#` is a heading; in YAML, what comes after it is a comment.
        yield number, line if name.endswith('.j2') else re.sub(r'(^|\s)#.*', '', line)


@cache
def _thing_and_deed() -> tuple[re.Pattern[str], re.Pattern[str]]:
    thing = re.compile(rf'(?<![a-z])(?:{"|".join(THINGS)})s?(?![a-z])', re.IGNORECASE)
    deeds = '|'.join(re.sub('[ _]', '[ _]', re.escape(name).replace('\\ ', ' ')) for name in _actions_and_places())
    return thing, re.compile(rf'(?<![a-z])(?:{deeds})(?![a-z0-9])', re.IGNORECASE)


def _rules(lines: Iterator[tuple[int, str]]) -> list[str]:
    """The lines that name a thing together with an action or a place."""
    thing, deed = _thing_and_deed()
    return [f'{number}: {line.strip()}' for number, line in lines if thing.search(line) and deed.search(line)]


def test_the_scan_for_rules_finds_one_and_leaves_docstrings_alone():
    rule = 'PLACES = {"apple": "box 1"}\n'
    assert _rules(_code_lines(rule))
    assert _rules(_code_lines('if item.label == "banana": move_to_box_1(item)\n'))
    assert _rules(_text_lines('x.j2', 'Cubes belong on the tower.'))
    assert not _rules(_code_lines('"""As `move_to_box_1(pear)`."""\nx = 1  # apple in box 1\n'))
    assert not _rules(_code_lines('NOUNS = ["apple", "cup"]\n'))


def test_no_code_but_the_model_says_what_becomes_of_which_object():
    paths = PATHS | SCRIPTS

    def rules(name):
        source = paths[name].read_text(encoding='utf-8')
        # Most files name no thing at all, and need not be taken apart.
        found = _rules(_code_lines(source)) if _thing_and_deed()[0].search(source) else []
        return [line for line in found if not any(known in line for known in HARMLESS.get(name, ()))]

    assert _found([name for name in [*NAMES, *SCRIPTS] if not name.startswith(MODEL_AND_JUDGE)], rules) == {}


def test_no_prompt_and_no_setting_says_what_becomes_of_which_object():
    def rules(name):
        return _rules(_text_lines(name, (ROOT / name).read_text(encoding='utf-8')))

    assert _found([name for name in TEXTS if not name.startswith(DESCRIPTIONS)], rules) == {}


def test_every_mutation_finds_what_it_changes_and_the_tests_that_should_fail() -> None:
    """`make mutants` runs them; whoever renames a target is told here."""
    spec = importlib.util.spec_from_file_location('mutations', ROOT / 'scripts' / 'mutations.py')
    assert spec is not None
    assert spec.loader is not None
    mutations = importlib.util.module_from_spec(spec)
    sys.modules['mutations'] = mutations
    spec.loader.exec_module(mutations)
    assert len(mutations.MUTATIONS) == 20
    for mutation in mutations.MUTATIONS:
        path, changed = mutations.target(mutation, ROOT)
        assert changed != path.read_text(encoding='utf-8')
        ast.parse(changed)
        assert mutations.tests_of(mutation, ROOT)
