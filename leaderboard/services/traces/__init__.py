"""The stored traces of submissions, and who reads them."""
