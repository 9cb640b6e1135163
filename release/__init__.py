"""What a release is made of: licences, a bill of materials, and two builds with one hash."""
