"""Work in a team: the sync beside the interview, and the store's administration."""
