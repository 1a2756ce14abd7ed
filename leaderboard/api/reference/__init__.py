"""What the OpenAPI document shows beside the shapes: examples, and a page for people."""
