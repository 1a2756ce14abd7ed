"""The stored traces of submissions: who reads them, and what becomes public of them."""
