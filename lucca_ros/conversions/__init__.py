"""Messages and the values of `lucca_core.protocol`: one conversion a message, both ways, used by nodes and command alike.

`from_msg` refuses a message that cannot be used by raising ValueError.
"""
