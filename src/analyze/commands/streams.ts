// How programs use streams, by name or by name and subcommand: rows of data.
// The first word is the default behavior; `-x=…` is the behavior with that option.

import { once } from '../../core/values/once.ts';

/**
 * - `endless` prints endlessly
 * - `passes` prints while it reads: endlessly, if its input is endless
 * - `holds` needs the end of its input: waits for it, or buffers everything until then
 * - `stops` ends for any input
 */
export const STREAMS = ['endless', 'passes', 'holds', 'stops'] as const;
export type Stream = (typeof STREAMS)[number];

const each = (names: string, stream: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, stream]));

export const streamRows = once(
  (): Readonly<Record<string, string>> => ({
    yes: 'endless --help=stops --version=stops',
    ...each('cat tee tr cut nl rev fold paste base64 base32 expand unexpand fmt pr iconv strings numfmt', 'passes'),
    ...each('uniq comm join gunzip zcat gzip bzip2 xz zstd stdbuf factor look pv ts', 'passes'),
    ...each('grep egrep fgrep zgrep ag ack', 'passes -c=holds -m=stops -q=stops -l=stops -L=stops'),
    rg: 'passes -c=holds --count-matches=holds -m=stops -q=stops -l=stops --files-without-match=stops',
    xxd: 'passes -l=stops',
    od: 'passes -N=stops',
    ...each('hexdump hd', 'passes -n=stops'),
    jq: 'passes -s=holds',
    ...each('sort tac shuf wc tsort column sponge sum cksum md5sum sha1sum sha224sum sha256sum sha384sum', 'holds'),
    ...each('sha512sum b2sum shasum diff mapfile readarray bc', 'holds'),
    ...each('tail gtail', 'holds -f=endless -F=endless --follow=endless'),
    ...each('head less more cmp timeout read', 'stops'),
    xargs: 'passes',
    parallel: 'passes',
    ping: 'endless -c=stops -w=stops',
    ping6: 'endless -c=stops -w=stops',
    watch: 'endless -h=stops -v=stops',
    top: 'endless -n=stops -l=stops -v=stops -h=stops',
    dmesg: 'stops -w=endless --follow=endless --follow-new=endless',
    journalctl: 'stops -f=endless --follow=endless',
    free: 'stops -s=endless -c=stops',
    tcpdump: 'endless -c=stops --version=stops -D=stops -r=stops',
    inotifywait: 'stops -m=endless --monitor=endless',
    fswatch: 'endless -1=stops --one-event=stops --version=stops',
    'docker logs': 'stops -f=endless',
    'docker compose logs': 'stops -f=endless',
    'docker stats': 'endless --no-stream=stops',
    'docker events': 'endless --until=stops',
    'podman logs': 'stops -f=endless',
    'kubectl logs': 'stops -f=endless',
    'kubectl get': 'stops -w=endless --watch=endless --watch-only=endless',
  }),
);
