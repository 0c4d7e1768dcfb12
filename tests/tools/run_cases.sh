#!/bin/sh
# run_cases.sh [--long] [--bless REASON] [NAME...]: runs whole cases against stored references.
#
# A case is a folder tests/cases/NAME that `voussoir compare` takes as reference. It runs
# inputs/NAME.xml, or the arguments in the file tests/cases/NAME/arguments (for example
# "inputs/wall.xml --set end=0.1"). A case with a file `long`, which says why, runs with --long only.
# Several cases run at a time with one thread each: results do not depend on the number of threads.
#
# One line for each case: "pass NAME SECONDS", "fail NAME SECONDS" or "skip NAME REASON"; what
# failed is above it. Exit 1 if any failed. BUILD: folder of the program (default build).
set -u
export BUILD=${BUILD:-build}

run_one() {
  name=$1
  reference=tests/cases/$name
  folder=$BUILD/cases/$name
  log=$BUILD/cases/$name.log
  arguments=inputs/$name.xml
  [ -f "$reference/arguments" ] && arguments=$(cat "$reference/arguments")
  start=$(date +%s%N)
  # shellcheck disable=SC2086 # arguments are words
  "$BUILD/voussoir" run $arguments -o "$folder" --force --quiet --threads 1 >"$log" 2>&1
  code=$?
  if [ "$code" -eq 0 ] || [ "$code" -eq 5 ]; then # 5: missed tolerances are in what is compared
    if [ -n "$REASON" ]; then
      "$BUILD/voussoir" compare "$folder" "$reference" --bless --reason "$REASON" >>"$log" 2>&1
    else
      "$BUILD/voussoir" compare "$folder" "$reference" >>"$log" 2>&1
    fi
    code=$?
  else
    echo "voussoir run $arguments: exit code $code" >>"$log"
  fi
  seconds=$((($(date +%s%N) - start) / 1000000))
  seconds=$((seconds / 1000)).$(printf %03d $((seconds % 1000)))
  if [ "$code" -eq 0 ]; then
    echo "pass $name $seconds"
  else
    printf '%s\nfail %s %s\n' "$(sed 's/^/    /' "$log")" "$name" "$seconds"
    return 1
  fi
}

if [ "${1:-}" = --one ]; then
  run_one "$2"
  exit
fi
export REASON=
long=0
while :; do
  case ${1:-} in
    --long) long=1; shift ;;
    --bless) REASON=${2:?--bless wants a reason}; shift 2 ;;
    *) break ;;
  esac
done

names=$*
if [ -z "$names" ]; then
  for folder in tests/cases/*/; do
    [ -d "$folder" ] || continue
    is_long=0
    [ -f "$folder/long" ] && is_long=1
    [ "$is_long" = "$long" ] && names="$names $(basename "$folder")"
  done
fi
[ -n "$names" ] || exit 0
for name in $names; do
  if [ ! -d "tests/cases/$name" ] && [ -z "$REASON" ]; then
    echo "fail $name 0 (no folder tests/cases/$name)"
    exit 1
  fi
done
mkdir -p "$BUILD/cases"
# shellcheck disable=SC2086 # a list of words
printf '%s\n' $names | xargs -P "$(nproc 2>/dev/null || echo 2)" -n 1 "$0" --one
