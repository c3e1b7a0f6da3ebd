"""What people see of an analysis: charts and plain text. Pure functions of the result."""
