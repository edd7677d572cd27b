"""What memories keep of other people's dialogues within a budget of bytes (`lucca eval forgetting --dialogues`)."""
