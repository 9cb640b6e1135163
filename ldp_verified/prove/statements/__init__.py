"""What a certificate is about, written as text, and the search for certificates. Untrusted."""
