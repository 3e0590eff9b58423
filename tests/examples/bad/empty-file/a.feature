# Nothing but a comment
