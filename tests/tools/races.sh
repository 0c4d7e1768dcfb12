#!/bin/bash
# races.sh: short runs on two threads under clang's thread sanitizer, which learns from Archer (libarcher, part of
# libomp-14-dev) where OpenMP synchronises. `make races` builds what it runs. First it proves that a race is found.
set -u
OMP_TOOL_LIBRARIES=$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | tail -n 1)
[ -n "$OMP_TOOL_LIBRARIES" ] || { echo "libarcher.so is missing: apt install libomp-dev"; exit 2; }
export OMP_TOOL_LIBRARIES OMP_NUM_THREADS=2
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
echo "race:^pthread_mutex_init$" >"$TMP/supp" # of a lock of the runtime itself
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 history_size=5 suppressions=$TMP/supp"
printf 'int main(void) {\n  int s = 0;\n#pragma omp parallel for\n  for (int i = 0; i < 1000; i++) s += i;\n  return s == 1;\n}\n' >"$TMP/race.c"
clang -g -fopenmp -fsanitize=thread "$TMP/race.c" -o "$TMP/race" || exit 2
"$TMP/race" >/dev/null 2>&1 && { echo "a race was not found"; exit 2; }
failed=0
for run in "masonry_wall 10" "arch 5" "taylor_bar 3" "springback 3" "solid_wall 3" "wall_with_openings 5" "square_cup 2" "facade 2" "self_contact 3" "hertz 2"; do
  set -- $run
  build-tsan/voussoir run "inputs/$1.xml" --threads 2 --stop-after "$2" -o "$TMP/$1" --quiet >"$TMP/log" 2>&1
  code=$?
  [ $code -eq 0 ] || [ $code -eq 5 ] || [ $code -eq 130 ] || { grep -A30 "WARNING: ThreadSanitizer" "$TMP/log"; failed=1; }
  echo "$1, $2 steps on two threads: exit code $code"
done
exit $failed
