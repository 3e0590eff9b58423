"""From goals and run records to a verdict."""
