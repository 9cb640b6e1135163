"""What a trusted curator releases."""
