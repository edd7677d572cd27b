"""Yardsticks of understanding: the effects of sentences that others wrote, on the whole stack without a robot.

`stack.py` is the stack on a symbolic table, `outcomes.py` the result of a sentence. Each other module is one yardstick:
`tidy*.py` TidyBot's scenarios, `talk.py` dialogues between people, `requests*.py` random requests,
`instruction_sets.py` public instruction sets, `self_questions.py` questions to the robot about itself, `changes.py`
changed minds. The generators share neither words nor code with the reader of instructions.
"""
