// Required mounts, and paths that may be writable, as lines to compare with /proc/self/mountinfo before a command starts.
// bubblewrap follows links, and an earlier command may replace a folder with a link while mounts are made: then
// a mount is in the wrong place or shows the wrong folder. A mount table cannot be changed from inside, so checking is enough.

import { isAtOrBelow, isBelow } from '../../core/values/containment.ts';

interface HostMount {
  readonly id: string;
  readonly parent: string;
  readonly device: string;
  readonly root: string;
  readonly point: string;
}

/** The kernel escapes these four, in both paths of a line. */
function escapePath(path: string): string {
  return path.replace(/[ \t\n\\]/g, (mark) => `\\${mark.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

export class HostMounts {
  readonly #seen: readonly HostMount[];
  readonly #covered: readonly HostMount[];

  constructor(mountinfo: string) {
    const mounts = mountinfo
      .split('\n')
      .filter((line) => line !== '')
      .map((line): HostMount => {
        const [id = '', parent = '', device = '', root = '', point = ''] = line.split(' ');
        return { id, parent, device, root: unescapePath(root), point: unescapePath(point) };
      });
    const covered = new Set<HostMount>();
    const isCover = (over: HostMount, under: HostMount) => over.parent === under.id && over.point === under.point;
    const cover = (mount: HostMount) => {
      covered.add(mount);
      for (const below of mounts)
        if (below.parent === mount.id && !isCover(below, mount) && !covered.has(below)) cover(below);
    };
    for (const mount of mounts) if (mounts.some((other) => other !== mount && isCover(other, mount))) cover(mount);
    this.#seen = mounts.filter((mount) => !covered.has(mount));
    this.#covered = [...covered];
  }

  /** Which folder of which file system is at a path without links. */
  placeOf(path: string): { readonly device: string; readonly root: string } {
    let best: HostMount | null = null;
    for (const mount of this.#seen)
      if (isAtOrBelow(path, mount.point) && mount.point.length >= (best?.point.length ?? 0)) best = mount;
    if (best === null) return { device: '?', root: path };
    const rest = best.point === '/' ? path : path.slice(best.point.length);
    return { device: best.device, root: (best.root === '/' ? rest : best.root + (rest === '/' ? '' : rest)) || '/' };
  }

  line(path: string, at: string, mode: 'ro' | 'rw'): string {
    const { device, root } = this.placeOf(path);
    return `${device} ${escapePath(root)} ${escapePath(at)} ${mode}`;
  }

  /** Submounts come with a folder, and covered content is unchanged: it is unreachable. */
  alongWith(folders: readonly string[]): string[] {
    const below = this.#seen.filter(({ point }) => folders.some((folder) => isBelow(point, folder)));
    return [...below, ...this.#covered].map(
      ({ device, root, point }) => `${device} ${escapePath(root)} ${escapePath(point)} rw`,
    );
  }
}

/** A file system private to the command: identified by its type, as its number is new each time. */
export function ownLine(type: 'tmpfs' | 'proc' | 'devpts', at: string, mode: 'ro' | 'rw'): string {
  return `${type} / ${escapePath(at)} ${mode}`;
}

/** In the format of the check: each line between its own newlines. */
export function joinLines(lines: readonly string[]): string {
  return [...new Set(lines)].map((line) => `\n${line}\n`).join('') || '\n';
}

/**
 * `sh -c CHECK sh REQUIRED ALLOWED NAMES program …`: only builtins, in a subshell, so that no variable is left.
 * NAMES are variables set on the way that do not belong to the command.
 */
export const CHECK = `(
line='
'
pending=$1 allowed=$2
while read -r id parent device root point options rest; do
  case $options in rw|rw,*) mode=rw;; *) mode=ro;; esac
  type=\${rest#*- } type=\${type%% *} known=
  for place in "$device" "$type"; do
    key=$line$place' '$root' '$point' '$mode$line
    case $pending in *"$key"*) pending=\${pending%%"$key"*}\${pending#*"$key"} known=1;; esac
    case $allowed in *"$key"*) known=1;; esac
  done
  case $mode$known in rw) echo "hardshell: $point is mounted writable, which is not planned; nothing was run" >&2; exit 1;; esac
done < /proc/self/mountinfo
case $pending in *[!"$line"]*)
  echo "hardshell: a required mount is not in its place; nothing was run:$pending" >&2; exit 1;;
esac
) || exit 126
unset $3
shift 3
exec "$@"`;
