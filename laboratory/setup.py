"""Setup of `lucca-lab`: experiments, benchmarks, attacks and training for lucca; a robot does not need it."""

from setuptools import find_packages, setup

setup(
    name='lucca-lab',
    version='0.1.0',
    description='The laboratory of lucca: experiments, benchmarks, attacks, the judge, and training.',
    author='The lucca authors',
    license='Apache-2.0',
    python_requires='>=3.11',
    packages=find_packages(include=['lucca_lab', 'lucca_lab.*']),
    package_data={
        'lucca_lab': ['py.typed'],
        'lucca_lab.chats': ['*.yaml'],
        'lucca_lab.claims': ['*.yaml', '*.json'],
        'lucca_lab.evolution': ['*.yaml'],
        'lucca_lab.forgetting': ['*.yaml'],
        'lucca_lab.judge': ['*.yaml'],
        'lucca_lab.study': ['*.yaml'],
        'lucca_lab.tasks': ['*.j2', '*.yaml'],
        'lucca_lab.training': ['*.yaml'],
        'lucca_lab.understanding': ['*.yaml'],
    },
    install_requires=['lucca'],
    extras_require={
        'figures': ['matplotlib>=3.9,<4'],
        'learn': ['gymnasium>=1,<2', 'stable-baselines3>=2.4,<3', 'torch>=2.4,<3'],
        'ray': ['ray>=2.40,<3'],
        'words': ['wonderwords>=2.2,<4'],
        'rival': ['lancedb>=0.20,<1'],
    },
    entry_points={
        'lucca.commands': [
            'eval = lucca_lab.commands.groups:eval_app',
            'bench = lucca_lab.commands.groups:bench_app',
            'attack = lucca_lab.commands.attack:app',
            'judge = lucca_lab.commands.judge:app',
        ],
        'lucca.laboratory': [
            'judge = lucca_lab.judge.table_judge:TableJudge',
            'spoken_demo = lucca_lab.voice.demo:run_voice_demo',
            'faulty_model = lucca_lab.faults.faulty_model:make_faulty_model',
            'recording_model = lucca_lab.recorded_calls:RecordingModel',
            'replay_model = lucca_lab.recorded_calls:ReplayModel',
            'plain_centrality = lucca_lab.forgetting.plain_centrality:plain_centrality',
            'forgetting_policy = lucca_lab.forgetting.policy:load_policy',
        ],
    },
)
