"""What proposals are made of, without the table: frames, requirements of a call, budgets, the state they are in."""
