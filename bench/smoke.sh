#!/bin/bash
# Runs every workload for a moment, and looks at the form of the results: never at speed.
# usage: bench/smoke.sh DIRECTORY, where monotable and monotable-bench are
set -euo pipefail
programs=$1
work=$(mktemp -d)
trap 'kill "${bare:-}" 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
  echo "smoke: $1" >&2
  cat "$work/out" >&2
  exit 1
}

# A peer that answers everything with {} can be no table; it must show as an error.
"$programs/monotable-bench" bare >"$work/bare" &
bare=$!
for _ in $(seq 100); do [ -s "$work/bare" ] && break; sleep 0.1; done

printf 'before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n' >"$work/docs.md"
"$programs/monotable-bench" compare --server "$programs/monotable" --peers "$work/none" \
  --beside moto,bare,commits --peer "broken=$(cat "$work/bare")" \
  --seconds 0.2 --rounds 1 --connections 16 --keys 1000 \
  --json "$work/results.json" --plot "$work/plot.svg" --write-docs "$work/docs.md" \
  >"$work/out" 2>"$work/progress" || { cat "$work/progress" >&2; fail "a request of ours failed"; }

workloads="get-item query-10 query-gsi put-item update-counter update-hot batch-write-25 \
transact-write-2 mix-b mix-a scan"
for workload in $workloads; do
  line=$(grep -m 1 "^| $workload " "$work/out") || fail "no line for $workload"
  # Its rate, two latencies, a missing peer, a broken one, and the bare server.
  [[ $line =~ \|\ +[0-9,.]+\ \|\ +[0-9,.]+\ \|\ +[0-9,.]+\ \|\ +missing\ \|\ +error\ \|\ +[0-9,.]+\ \| ]] ||
    fail "the line for $workload has not what it should: $line"
  grep -qF "$line" "$work/docs.md" || fail "the document lacks the line for $workload"
  grep -q ">$workload<" "$work/plot.svg" || fail "the plot lacks $workload"
done
grep -q "^- missing: moto: " "$work/out" || fail "nothing says that moto is missing"
grep -q "^- error: broken, " "$work/out" || fail "nothing says what is wrong with the broken peer"
[ "$(head -1 "$work/docs.md")$(tail -1 "$work/docs.md")" = beforeafter ] ||
  fail "the document lost what it had"
! grep -q "^old$" "$work/docs.md" || fail "the document has what was to be replaced"
[ "$(tail -1 "$work/plot.svg")" = "</svg>" ] || fail "the plot is no SVG"
# 11 workloads on Monotable, in a closed loop and at a fixed rate; the bare server; 5 by commits.
"${PYTHON:-python3}" - "$work/results.json" <<'CHECK' || fail "the JSON has not what it should"
import json, sys
figures = json.load(open(sys.argv[1]))["figures"]
good = [f for f in figures if f.get("requests_per_second", 0) > 0 and f["requests"] > 0]
def count(server, pace):
    return len([f for f in good if (f["server"], f["pace"]) == (server, pace)])
found = (count("monotable", "closed loop"), count("monotable", "fixed rate"),
         count("bare", "closed loop"), count("commits", "closed loop"))
sys.exit(found != (11, 11, 11, 5) and f"smoke: {found}")
CHECK
echo "11 workloads, all with their figures"
