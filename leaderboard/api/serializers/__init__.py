"""The JSON of the API: each shape once, for the responses, the forms and the OpenAPI document.

A serializer `NameSerializer` is the component `Name` of the document. Its docstring and the `help_text` of
its fields are shown to readers of the API.
"""
