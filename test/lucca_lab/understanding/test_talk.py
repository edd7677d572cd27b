"""`lucca eval talk` on a dialogue written here."""

import json

from typer.testing import CliRunner

from lucca_lab.commands.groups import eval_app


def test_lines_of_talk_and_what_they_started_are_counted(tmp_path):
    lines = ['Hello there!', 'Put the apple in box 1.', 'I saw a film yesterday.']
    conversation = {
        'session_1_date_time': '1:56 pm on 8 May, 2023',
        'session_1': [{'dia_id': f'D1:{n}', 'speaker': 'Mia', 'text': text} for n, text in enumerate(lines, 1)],
    }
    (tmp_path / 'talk.json').write_text(json.dumps([{'sample_id': 'one', 'conversation': conversation, 'qa': []}]))
    out = tmp_path / 'started.txt'
    result = CliRunner().invoke(eval_app, ['talk', '--data', str(tmp_path), '--json', '--out', str(out)])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {'lines': 3, 'started': 1, 'motions': 1, 'asked': 0}
    assert out.read_text() == 'request-1: Put the apple in box 1.\n'
