"""What follows for a survey: budgets, errors, numbers of users, and the trusted curator."""
