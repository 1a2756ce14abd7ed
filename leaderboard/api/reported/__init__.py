"""The results that were published elsewhere: read by everyone, changed with a token of the operator."""
