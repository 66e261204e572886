#!/usr/bin/env bash
# First process of one node of the test cluster: its name, files laid over the system's own, iperf3, sshd.
# usage: node_init.sh NAME HOME OVERLAY ADDRESS
set -u
hostname "$1"
# A login shell's start-up files belong to the machine that runs the tests, not to the node.
for file in .bashrc .profile .bash_profile; do
  [ -e "$HOME/$file" ] && mount --bind /dev/null "$HOME/$file"
done
if [ -d "$3" ]; then
  (cd "$3" && find . -type f) | while read -r file; do
    target=/${file#./}
    if [ -e "$target" ]; then mount --bind "$3/$file" "$target"; else echo "no $target to lay $file over"; fi
  done
fi
# The python of the system, as on a node: not one that the tests were started with.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
iperf3 -s -B "$4" -p 5201 > "$2/iperf3.log" 2>&1 &
exec /usr/sbin/sshd -D -e -f "$2/sshd_config"
