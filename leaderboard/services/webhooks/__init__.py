"""Webhooks of teams: who adds them, which events they hear of, and the calls that tell them.

As with emails, an event never waits for a call: `collect` looks at what was committed, and writes a row for
each call, which `send` sends later.
"""
