"""The pages of the desk about results that were published elsewhere."""
