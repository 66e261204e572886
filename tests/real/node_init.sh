#!/usr/bin/env bash
# First process of a host of the test cluster: its name, files laid over the system's own, iperf3's server, sshd.
# usage: node_init.sh NAME FOLDER ADDRESS
set -eu
hostname "$1"
(cd "$2/overlay" && find . -type f) | while read -r file; do
  mount --bind "$2/overlay/$file" "/$file"
done
# The home of the one who logs in (USER in cluster.py), where a user can reach it.
mount -t tmpfs none /home
mkdir /home/spark
mount --bind "$2/home" /home/spark
# The system's own programs, as on a node: not those that the tests were started with.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
iperf3 -s -B "$3" -p 5201 > "$2/iperf3.log" 2>&1 &
exec /usr/sbin/sshd -D -e -f "$2/sshd_config"
