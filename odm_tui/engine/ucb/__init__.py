"""BayesUCB: bounds on theta, and gains computed from them."""
