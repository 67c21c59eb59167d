"""Turn a bank file into a checked :class:`~odm_tui.banks.bank.Bank`, and report all errors in one run."""
