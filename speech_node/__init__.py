"""The speech node: hears commands and the stop word, and speaks the robot's answers.

`hearing` goes from sound to text, `speaking` from text to sound. Only `node.py` uses ROS. The rest imports lucca_core,
lucca_llm (to call speech servers) and lucca_memory (for the names of tasks and actions).
"""
