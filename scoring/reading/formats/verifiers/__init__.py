"""Results and traces of verifiers, whose environments medmarks and others use."""
