"""Algorithm 1 of the paper as estimators: networks trained so that errors do not depend on the inputs."""
