"""Plan a survey: budgets, errors, numbers of users, and what a trusted curator would release."""
