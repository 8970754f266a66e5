"""What an operator needs: the home, the doctor, audit, retention and explanations."""
