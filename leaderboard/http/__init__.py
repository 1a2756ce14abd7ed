"""HTTP that the pages and the API share: uploads and conditional requests."""
