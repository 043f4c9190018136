"""What requests on a dataset must keep: the policy file, and the rules of it that a request breaks. Pure."""
