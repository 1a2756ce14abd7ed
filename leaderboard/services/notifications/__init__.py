"""Emails to people about what concerns them: events of their team, and boards that they organise.

The audit log and the log of each board already hold what happened. So an event never waits for an email:
`collect` looks at what was committed, and writes a row for each email, which `send` sends later.
"""
