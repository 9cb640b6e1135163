"""Write what a certificate is about as text, and search for certificates. Untrusted."""
