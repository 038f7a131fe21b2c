# For both scripts of a guest: the port of the host that gets the report, found by its name.

find_port() {
  for file in /sys/class/virtio-ports/*/name; do
    [ "$(cat "$file" 2> /dev/null)" = report ] || continue
    file=${file%/name}
    echo "/dev/${file##*/}"
  done
}

give_up() {
  echo "hardshell: $*" > /dev/console
  port=$(find_port)
  [ -z "$port" ] || echo "{\"part\":\"setup\",\"problem\":\"$*\"}" > "$port"
  sleep 1
  poweroff -f
}
