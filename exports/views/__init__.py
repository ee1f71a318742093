"""What people look at: trees, tables and pages."""
