#!/bin/sh
# Ask the public databases for known vulnerabilities in what is pinned: sh scripts/audit.sh PYTHON GO
# Exits 1 for a finding. Where a database cannot be reached, it says so and goes on: nothing was checked then.
set -u
python=$1 go=$2
found=0

# judge NAME STATUS OUTPUT UNREACHABLE: prints the outcome of a check; UNREACHABLE is a pattern of its error messages.
judge() {
  if printf '%s\n' "$3" | grep -qE "$4"; then
    echo "audit: $1: NOT CHECKED, the vulnerability database cannot be reached"
  elif [ "$2" -eq 0 ]; then
    echo "audit: $1: no known vulnerability"
  else
    printf '%s\n' "$3"
    echo "audit: $1: see above"
    found=1
  fi
}

output=$("$python" -m pip_audit --strict --disable-pip --no-deps -r requirements/docs.txt -r requirements/gpu.txt 2>&1)
judge "Python packages" $? "$output" "not found on PyPI|ConnectionError|Failed to resolve|Max retries"
for module in go-gnark go-log; do
  output=$(cd "$module" && "$go" run golang.org/x/vuln/cmd/govulncheck@v1.6.0 ./... 2>&1)
  judge "Go modules of $module" $? "$output" "fetching vulnerabilities|no such host|connection refused"
done
exit $found
