# On the files of the host, as root: applies the row's settings, runs inside.js as its user, and switches the guest off.

guest=/run/guest
$guest/busybox --install -s $guest
export PATH=$guest
. $guest/settings
. $guest/report

for each in $GUEST_SYSCTLS; do
  file=/proc/sys/$(echo "${each%%=*}" | tr . /)
  [ -e "$file" ] || give_up "this kernel has no sysctl ${each%%=*}"
  echo "${each#*=}" > "$file" || give_up "the sysctl $each was refused"
done

home=/home/$GUEST_USER
if [ "$GUEST_UID" != 0 ]; then
  echo "$GUEST_USER:x:$GUEST_UID:$GUEST_UID::$home:/bin/bash" >> /etc/passwd
  echo "$GUEST_USER:x:$GUEST_UID:" >> /etc/group
fi
mkdir -p "$home"
mount -t tmpfs -o "mode=700,uid=$GUEST_UID,gid=$GUEST_UID" tmpfs "$home"

# `session`: like a login, nothing is delegated. `delegated`: a service with Delegate=yes and DelegateSubgroup=session.
top=/sys/fs/cgroup
echo '+memory +pids +cpu' > $top/cgroup.subtree_control
mkdir -p $top/service/session
if [ "$GUEST_CGROUP" = delegated ]; then
  echo '+memory +pids +cpu' > $top/service/cgroup.subtree_control || give_up "the cgroup cannot be delegated"
  for name in . cgroup.procs cgroup.threads cgroup.subtree_control session session/cgroup.procs; do
    chown "$GUEST_UID:$GUEST_UID" "$top/service/$name"
  done
  # setxattr(2): there is no program for it on every system.
  /usr/bin/perl -e '($path, $name, $value) = (@ARGV, "user.delegate", "1"); exit(syscall(188, $path, $name, $value, 1, 0) != 0)' $top/service || give_up "the cgroup cannot be marked as delegated"
fi
echo $$ > $top/service/session/cgroup.procs

port=$(find_port)
cd "$home" || give_up "there is no home folder"
export HOME=$home USER=$GUEST_USER LOGNAME=$GUEST_USER LANG=C.UTF-8 TERM=dumb
if [ "$GUEST_UID" != 0 ]; then set -- /usr/bin/setpriv --reuid "$GUEST_UID" --regid "$GUEST_UID" --clear-groups --; fi
{
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "$@" "$GUEST_NODE" /home/hardshell/scripts/kernels/inside.js "$GUEST_WORK" < /dev/null 2>&1
  echo "{\"part\":\"end\",\"exitCode\":$?}"
} > "$port"
sync
sleep 1
poweroff -f
