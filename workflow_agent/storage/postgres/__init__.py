"""The stores on PostgreSQL: the same promises for several hosts."""
