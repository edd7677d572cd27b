"""What people say in conversation at a table, and whether anything is begun."""

import pytest
from conversation import ask

from lucca_llm.rules.utterances.teaching import taught

TABLE = (
    'Objects on the table: cup (blue), red cube, blue cube, baseball (white)\n'
    'In box 1: apple (red), pear (green)\nIn box 2: none\nIn bowl: none\nIn tower: yellow cube'
)
WORDS_ONLY = ('<say(', '<search_facts(', '<last_actions(', '<task_history(', '<recall(')


@pytest.mark.parametrize(
    'text',
    [
        "don't build a tower",
        'is the tower done?',
        'when did you build the tower?',
        'Bob put the cup in box 2',
        'is the sorting suspended?',
        'what is in the tower?',
        'who built the tower?',
        'what did you just do?',
        'why did you put the apple there?',
        'what will you do next?',
        'where is the apple?',
        'how many cubes are there?',
        'I am hungry',
        'Yes, I used to live in Toronto.',
        'Yeah, my sister put her book in the box.',
        'I moved to Oslo',
        'actually Lena moved to Vienna',
        'No wait, my favourite fruit is the banana',
        'Thank you',
        'If I had a tower, I would be happy.',
        'She said "build a tower".',
        'You built a tower yesterday.',
        'Can I get the recipe for that cake?',
        "Let's help those in need.",
        'Show me when you can!',
    ],
)
@pytest.mark.parametrize('status', ['new', 'suspended', 'finished'])
def test_talk_is_answered_in_words_and_begins_nothing(text, status):
    answer = ask(text, table=TABLE, tower=status, sorting=status)
    assert answer.startswith((*WORDS_ONLY, '<cannot_do(')), answer
    assert not answer.startswith('<cannot_do(') or text.startswith(('Can I get', "Let's", 'Show me'))


@pytest.mark.parametrize(
    ('text', 'answer'),
    [
        ('where is the apple?', 'The apple is in box 1, as I see it now.'),
        ('Where did you put the pear?', 'The pear is in box 1, as I see it now.'),
        ('what is in the tower?', 'On the tower I see: yellow cube.'),
        ("what's in box 2?", 'There is nothing in box 2, as I see it now.'),
        ('Is the bowl empty?', 'Bowl is empty, as I see it now.'),
        (
            'how many cubes are there?',
            'I see 3: red cube (on the table), blue cube (on the table), yellow cube (on the tower).',
        ),
        ('how many cubes are on the table?', 'I see 2 on the table: red cube, blue cube.'),
        ('How many fruits are in box 1?', 'I see 2 in box 1: apple, pear.'),
        ('is the apple in box 1?', 'Yes, as I see it now: the apple is in box 1.'),
        ('is the apple in box 2?', 'No, as I see it now: the apple is in box 1.'),
        ('Is there a banana on the table?', 'No, I see no banana.'),
        ('what colour is the cup?', 'The cup is blue, as I see it.'),
    ],
)
def test_questions_about_the_table_are_answered_from_what_is_seen(text, answer):
    assert ask(text, table=TABLE) == f'<say({answer})>'


LOG = [
    '2026-11-22 09:20 (tower, entry 3): put on tower: yellow cube',
    '2026-11-22 09:10 (sorting, entry 3): move to box 1: apple',
]


@pytest.mark.parametrize(
    ('text', 'told'),
    [
        ('what did you just do?', 'The last thing that I did: put on tower: yellow cube (tower, entry 3,'),
        (
            'What have you done so far?',
            'Newest first: put on tower: yellow cube (tower, entry 3, 2026-11-22 09:20); move',
        ),
        ('why did you put the apple in box 1?', 'I did that for sorting, which says: “Tidy up into two boxes.'),
        ('What did you just do and why?', 'I did that for tower, which says: “Build a tower.'),
        ('did you move the apple?', 'I did, by the log: move to box 1: apple (sorting, entry 3, 2026-11-22 09:10).'),
        ('did you move the cup?', 'The log holds no such action of mine'),
    ],
)
def test_questions_about_its_work_are_answered_from_the_log(text, told):
    assert ask(text, table=TABLE) == '<last_actions()>'
    assert ask(text, table=TABLE, results=[('<last_actions()>', LOG)]).startswith(f'<say({told}')


def test_what_is_next_is_answered_from_the_open_task():
    assert ask('what will you do next?', table=TABLE) == '<say(Nothing: by the log, no task is running or suspended.)>'
    assert ask('what will you do next?', table=TABLE, recipe='suspended') == '<task_history(recipe)>'
    log = ['recipe is suspended: Help with a dessert.', 'Done so far: give(jello)', 'Left: banana']
    results = [('<task_history(recipe)>', log)]
    assert 'Left: banana' in ask('what will you do next?', table=TABLE, recipe='suspended', results=results)


def test_a_can_is_an_object():
    table = 'Objects on the table: can (red), cup (blue)\nIn box 1: none'
    assert ask('Where is the can?', table=table) == '<say(The can is on the table, as I see it now.)>'


def test_which_tasks_are_suspended_is_told():
    told = ask('what is suspended?', table=TABLE, recipe='suspended', tower='suspended')
    assert told == '<say(The log says that recipe and tower are suspended.)>'


@pytest.mark.parametrize(
    ('text', 'call'),
    [
        ('Could you put the cup in box 2?', '<do(put the cup in box 2)>'),
        ('I would like you to point at the red cube.', '<do(point at the red cube.)>'),
        ('carry on', '<resume_task(recipe)>'),
        ('It would be nice if you could build a tower.', '<start_task(tower)>'),
    ],
)
def test_requests_in_other_moods_begin_what_they_ask_for(text, call):
    assert ask(text, table=TABLE, recipe='suspended') == call


def test_carry_on_says_so_where_nothing_is_suspended():
    assert ask('carry on', table=TABLE) == '<say(Nothing is suspended that I could go on with.)>'


def test_what_no_action_does_is_refused_with_the_reason():
    assert ask('wash the cup', table=TABLE) == '<cannot_do(I have no action for “wash the cup”)>'


@pytest.mark.parametrize('text', ['set the table', 'lay the table for two', 'tidy up this mess!', 'clear the table'])
def test_work_that_leaves_open_what_goes_where_is_asked_about(text):
    assert ask(text, table=TABLE).endswith('What shall I put where?)>')


def test_a_task_with_a_word_that_belongs_to_nothing_is_asked_about():
    answer = ask('do the sorting gladly', table=TABLE)
    assert answer.startswith('<cannot_do(I did not understand all of')
    assert answer.endswith('Shall I do it: “do sorting”?)>')


def test_a_prohibition_stops_the_task_that_runs():
    assert ask("don't build a tower", tower='running') == '<stop_task(tower)>'


def test_a_prohibition_of_what_is_here_changes_the_task_that_runs_and_any_other_stops_it():
    assert ask("don't touch the cup", table=TABLE, tower='running') == "<change_task(tower, don't touch the cup)>"
    assert ask("don't touch the vase", table=TABLE, tower='running') == '<stop_task(tower)>'


@pytest.mark.parametrize(
    'text',
    [
        'stop what you are doing',
        'Stop everything you are doing!',
        'stop this nonsense',
        'please stop building',
        'could you stop messing around?',
        'stop moving the cup',
        'Stop putting the cup in the bowl.',
        'freeze right there',
        'stop it right now',
        "Stop, don't touch the cup!",
        'halt all operations',
        'abort mission',
        "that's enough",
        'Stop. Put the cup in box 1.',
        'stop the sorting and build a tower',
    ],
)
def test_a_stop_stops_the_task_that_runs_whatever_else_it_says(text):
    assert ask(text, table=TABLE, tower='running', sorting='suspended') == '<stop_task(tower)>'


@pytest.mark.parametrize('text', ['stop what you are doing', 'stop moving the cup', 'freeze right there'])
def test_a_stop_of_nothing_begins_nothing(text):
    assert ask(text, table=TABLE) == '<say(Nothing is running that I could stop.)>'


@pytest.mark.parametrize(
    ('text', 'rest'),
    [
        ('Stop. Put the cup in box 1.', 'Put the cup in box 1.'),
        ('Stop! Never move the cup.', 'Never move the cup.'),
        ('Cancel that. Give me the cup.', 'Give me the cup.'),
    ],
)
def test_what_is_said_behind_a_stop_has_to_be_said_again(text, rest):
    assert ask(text, table=TABLE) == f'<say(Nothing is running that I could stop. Please say the rest again: “{rest}”)>'
    assert ask(text, table=TABLE, tower='running') == '<stop_task(tower)>'


def test_to_go_on_and_something_else_is_more_than_one_thing():
    assert ask('Go on. Give me the cup.', table=TABLE, tower='suspended').startswith('<cannot_do(that is more than one')


def test_who_says_not_to_stop_stops_nothing():
    assert ask("don't stop", table=TABLE, tower='running') == '<say(All right, I go on with tower.)>'
    assert ask('why did you stop?', table=TABLE, tower='running').startswith(WORDS_ONLY)


@pytest.mark.parametrize(
    'text',
    [
        'Can you really put the cup in the bowl?',
        'Can you actually put the cup in the bowl?',
        'Could you even put the cup in the bowl?',
        'Would you ever put the cup in the bowl?',
        'Can you put the cup in the bowl, really?',
        'Do you really think you can put the cup in the bowl?',
        'I wonder if you could really put the cup in the bowl.',
    ],
)
def test_a_doubt_whether_the_robot_can_do_something_is_no_request(text):
    assert ask(text, table=TABLE).startswith((*WORDS_ONLY, '<cannot_do(I am not sure that you asked')), text


@pytest.mark.parametrize('text', ['Could you please put the cup in the bowl?', 'Can you put the cup in the bowl?'])
def test_a_polite_question_is_a_request(text):
    assert ask(text, table=TABLE).startswith('<do(')
    assert ask('Could you actually please put the cup in the bowl?', table=TABLE).startswith('<do(')


def test_a_question_with_the_name_of_a_task_begins_nothing():
    assert ask('tower') == '<start_task(tower)>'
    assert ask('tower?').startswith('<cannot_do(I am not sure that you asked for it. Will you say “do tower”')


@pytest.mark.parametrize(
    'text',
    ['Swap positions of the cup and the cube.', 'swap positions', 'Switch places with me.', 'Exchange positions.'],
)
def test_what_no_action_does_is_refused_and_not_taken_for_talk(text):
    assert ask(text, table=TABLE).startswith('<cannot_do(')


def test_what_cannot_be_kept_is_not_promised_for_later():
    answer = ask("don't do that", table=TABLE)
    assert answer.startswith('<say(All right, I do nothing now. I keep no prohibition of this for later')


def test_thanks_are_no_farewell():
    assert ask('Thank you') == '<say(You are welcome, Ada.)>'
    assert ask('Thanks, bye') == '<say(Goodbye, Ada.)>'


def test_a_greeting_takes_up_what_was_told_and_never_what_was_asked():
    opening = ['Ada, 2026-11-20 18:05: When does the ferry leave?']
    assert ask('hello', opening=opening) == '<say(Hello Ada. What can I do for you?)>'


WORDINGS = (
    'a new task called snack time: {}',
    'Learn a new task called snack time: {}',
    'learn a new task: when I say snack time, {}',
    'When I say snack time, {}',
    'Whenever I say "snack time", please {}.',
    'if I say snack time, then {}',
    'every time I say snack time, you should {}',
    'The next time I say snack time, {}',
    'from now on, when I say snack time, {}',
    'snack time means {}',
    'By snack time I mean: {}',
    '"Snack time" means: {}',
    'From now on, snack time means that you {}',
    'let me teach you snack time: {}',
    "I'll teach you a new task, snack time: {}",
    'Remember this as snack time: {}',
    'call this snack time: {}',
    'Here is a new task named snack time: {}',
    'learn how to snack time: {}',
    'Define snack time as {}',
    'Add a task snack time: {}',
    'The task snack time is to {}',
    'Your new task is snack time: {}',
    'let us call it snack time when you {}',
)


@pytest.mark.parametrize('wording', WORDINGS)
def test_a_task_is_taught_in_any_wording_and_not_done(wording):
    name, what = taught(wording.format('hand me the pear'))
    assert (name.lower(), what.rstrip('.')) == ('snack time', 'hand me the pear')
    assert ask(wording.format('hand me the pear'), table=TABLE).lower().startswith('<teach_task(snack time, hand me')


@pytest.mark.parametrize('wording', ['{}. Call that snack time.', '{} - that is called snack time'])
def test_the_name_of_a_task_may_come_last(wording):
    assert taught(wording.format('hand me the pear')) == ('snack time', 'hand me the pear')


@pytest.mark.parametrize('text', ['Your support means a lot.', 'Family time means a lot to me.', 'It means nothing.'])
def test_what_something_means_to_somebody_is_no_lesson(text):
    assert taught(text) is None


def test_what_to_do_with_an_object_is_no_name_of_a_task_whose_words_it_shares():
    table = 'Objects on the table: beginning (blue)\nIn bowl: none'
    answer = ask('Make sure to put the beginning in the bowl.', table=table)
    assert not answer.startswith('<start_task(')


def test_being_sorry_in_talk_takes_nothing_back():
    said = 'Wow, Caroline! Sorry that happened to you. Takes a lot of courage and maturity! What do you think of this?'
    assert not ask(said, table=TABLE).startswith(('<do(', '<start_task('))
    answer = ask('Put the cup in box 2. No, the baseball.', table=TABLE)
    assert answer.endswith('Shall I do it: “put the baseball in box 2”?)>')


@pytest.mark.parametrize(
    'text',
    [
        'There is dirt on the floor, but on the tower I need you to put a cube',
        'Today we looked at all of it. My cube is missing from the tower, and you can see it.',
    ],
)
def test_a_request_that_was_not_found_in_a_statement_is_asked_for(text):
    answer = ask(text, table=TABLE)
    assert answer == '<cannot_do(I am not sure that you asked for something. What shall I do with which object?)>'


@pytest.mark.parametrize(
    ('text', 'call'),
    [
        ('hello please put the cup on the tower', '<do(put the cup on the tower)>'),
        ('hi bot can you give me the cup', '<do(give me the cup)>'),
        (
            'If there is a cup, give me the cup. Otherwise, put the red cube in box 1.',
            '<do(If there is a cup, give me the cup. Otherwise, put the red cube in box 1.)>',
        ),
        ('Would you mind first putting the cup in box 1?', '<do(first put the cup in box 1)>'),
        ('Great! Now I want you to put the cup in box 1.', '<do(put the cup in box 1.)>'),
        ("I'm asking you to put the cup in box 1.", '<do(put the cup in box 1.)>'),
        ('pick up the cup and then place it on the tower', '<do(pick up the cup and then place it on the tower)>'),
        ('Get a cube from the table.', '<do(Get a cube from the table.)>'),
    ],
)
def test_openings_do_not_hide_a_request(text, call):
    assert ask(text, table=TABLE) == call


@pytest.mark.parametrize('text', ['Get a grip.', 'Take a break.', 'Get some rest, my friend.', 'Please go in box 1.'])
def test_idioms_are_no_requests(text):
    assert not ask(text, table=TABLE).startswith(('<do(', '<start_task('))


@pytest.mark.parametrize(
    'text',
    [
        'Hey never please put the cup in box 1.',
        'Hey not please give me the cup.',
        'hi dont please put the cup in box 1',
        'Hey nothing, please put the cup in box 1.',
        'hello cups please go in box 1',
    ],
)
def test_no_word_that_matters_is_taken_for_a_name(text):
    answer = ask(text, table=TABLE)
    assert not answer.startswith('<do(') or text.split()[1].strip(',') in answer


@pytest.mark.parametrize('asked', ['What do you think of modern art?', 'What do you like about the sea?'])
def test_an_opinion_is_no_question_about_what_comes_next(asked):
    assert 'no task is running' not in ask(asked, table=TABLE)
