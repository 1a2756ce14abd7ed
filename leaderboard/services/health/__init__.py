"""How the service is: what waits, what failed, and figures for operators. None depends on a verdict."""
