#!/bin/bash
# The benchmark tables of `make bench`.
exec "${PYTHON:-/usr/bin/python3}" tests/bench/bench.py "$@"
