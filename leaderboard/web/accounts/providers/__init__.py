"""Sign-in with an account elsewhere, at GitHub or a provider of OpenID Connect.

allauth speaks OAuth. What is here decides whom an address of a provider may sign in, and makes an answer that
cannot be read an error of the provider.
"""
