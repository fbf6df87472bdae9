"""Which promise implies which: the twelve arrows between four notions, and their witnesses."""
