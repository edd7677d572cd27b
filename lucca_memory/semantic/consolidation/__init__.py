"""What a batch of statements adds to the network, and which older statements it takes the place of."""
