"""The paper's experiments, and the evaluation of logged interviews."""
