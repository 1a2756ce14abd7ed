"""The JSON of the API, each shape defined once: responses are built from it, and the OpenAPI document too.

A struct `NameSchema` is the component `Name` of the document. Its docstring and the descriptions of its
fields are shown to readers of the API.
"""
