"""The life of a submission, from upload to evaluation."""
