"""Measures around faithfulness; one module a family, one class a metric."""
