"""What memories keep of other people's dialogues within a budget (`lucca eval forgetting --dialogues`)."""
