#!/usr/bin/env bash
# Installs the Debian/Ubuntu packages that are missing (as root), or says in one line which they are.
# usage: system_packages.sh run|test
set -euo pipefail

declare -A provided_by=([python3]=python3)
if [ "$1" = test ]; then
  provided_by+=(
    [sshd]=openssh-server [ssh]=openssh-client [iperf3]=iperf3 [snmpd]=snmpd [snmpget]=snmp [ip]=iproute2
    [nft]=nftables [ethtool]=ethtool [tmux]=tmux [unshare]=util-linux [ping]=iputils-ping
  )
fi

missing=()
PATH=$PATH:/usr/sbin:/sbin
for program in "${!provided_by[@]}"; do
  command -v "$program" > /dev/null || missing+=("${provided_by[$program]}")
done
python3 -c 'import ensurepip, venv' 2> /dev/null || missing+=(python3-venv)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  echo "Missing programs: install these packages first: ${missing[*]}" >&2
  exit 1
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
