#!/bin/busybox sh
# First process of a guest: mounts the files of the host, read-only below a tmpfs, and goes on with session.sh there.
# Nothing that the guest writes reaches the host.

/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
. /guest/settings
. /guest/report
while read -r name; do insmod "/modules/$name.ko" || echo "module $name: not loaded"; done < /modules/order
for try in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(find_port)" ] && break; sleep 0.2; done

# share TAG PLACE [FOLDER…]: the folders belong to the user of the guest, and keep what is in them.
share() {
  tag=$1 place=$2 above=/above/$1
  shift 2
  mkdir -p "/below/$tag" "$above" "$place"
  mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro "$tag" "/below/$tag" || give_up "the share $tag cannot be mounted"
  mount -t tmpfs -o mode=755 tmpfs "$above"
  mkdir "$above/upper" "$above/work"
  for folder; do
    mkdir -p "$above/upper/$folder"
    chown "$GUEST_UID:$GUEST_UID" "$above/upper/$folder"
  done
  mount -t overlay -o "lowerdir=/below/$tag,upperdir=$above/upper,workdir=$above/work" "$tag" "$place" || give_up "the overlay of $tag cannot be mounted"
}

share root /new
mkdir -p /new/proc /new/sys /new/dev /new/tmp /new/run /new/home
rm -rf /new/.dockerenv /new/etc/hardshell
for name in proc sys dev; do mount --move "/$name" "/new/$name"; done
mount -t tmpfs -o mode=1777 tmpfs /new/tmp
mount -t tmpfs -o mode=755 tmpfs /new/run
mount -t tmpfs -o mode=755 tmpfs /new/home
# A clone that belongs to the user, with the folders in which tests keep their caches.
share project /new/home/hardshell . .cache node_modules node_modules/.vite node_modules/.vite-temp
mkdir -p /new/dev/shm /new/dev/pts /new/run/guest
mount -t tmpfs -o mode=1777 tmpfs /new/dev/shm
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /new/dev/pts
for pair in fd:/proc/self/fd stdin:/proc/self/fd/0 stdout:/proc/self/fd/1 stderr:/proc/self/fd/2; do
  [ -e "/new/dev/${pair%%:*}" ] || ln -s "${pair#*:}" "/new/dev/${pair%%:*}"
done
mount -t cgroup2 cgroup2 /new/sys/fs/cgroup
mount -t securityfs securityfs /new/sys/kernel/security
ip link set lo up
hostname guest
cp /bin/busybox /guest/* /new/run/guest/
exec switch_root /new /run/guest/busybox sh /run/guest/session
