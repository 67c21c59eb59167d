"""What interviews with a bank are like: hold many with known answers, and count."""
