# Sourced by the fault scripts: a scratch folder that goes away, and words for what is expected.
set -u
BUILD=${BUILD:-build}
V=$BUILD/voussoir
TMP=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; chmod -R u+w "$TMP" 2>/dev/null; rm -rf "$TMP"' EXIT
WALL="inputs/masonry_wall.xml --quiet --set output_every=0"

fail() {
  echo "FAILED: $*"
  exit 1
}

# expect CODE COMMAND...: runs it, keeps its output in $TMP/out, fails on another exit code
expect() {
  wanted=$1
  shift
  "$@" >"$TMP/out" 2>&1
  code=$?
  [ "$code" -eq "$wanted" ] || { cat "$TMP/out"; fail "exit code $code, expected $wanted: $*"; }
}

# says TEXT: the last output holds it
says() { grep -qF -- "$1" "$TMP/out" || { cat "$TMP/out"; fail "the output does not say: $1"; }; }

hash_of() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }

# wait_for COMMAND...: until it succeeds; fails when nothing has come of it in a time no machine needs [s]
wait_for() {
  for _ in $(seq 1 6000); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.02
  done
  fail "never: $*"
}

# has_rows FILE N: a history with so many rows behind its two lines
has_rows() { [ -f "$1" ] && [ "$(wc -l <"$1")" -ge $(($2 + 2)) ]; }
