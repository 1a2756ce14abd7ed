"""What requests ask for in their query: parameters, filters, waiting."""
