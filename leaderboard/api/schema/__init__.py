"""The JSON of the API, each shape defined once, for the responses and the OpenAPI document.

A struct `NameSchema` is the component `Name` of the document. Its docstring and the descriptions of its
fields are shown to readers of the API.
"""
