// Programs that connect to other machines.

import { part } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { named } from './tool-rows.ts';

/** A client that only queries: it contacts hosts, so it is never without effects. */
function asks(summary: string, examples: readonly string[], details: Partial<CommandSpec> = {}): CommandSpec {
  return {
    summary,
    class: 'network',
    operands: 'host*',
    does: 'network',
    ...details,
    examples: { readOnly: [], notReadOnly: examples },
  };
}

export const networkClients: CommandFamily = {
  curl: {
    summary: 'request an address',
    class: 'network',
    exactLong: true,
    flags:
      '-# --progress-bar -0 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only ' +
      '--http0.9 -1 --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 -4 --ipv4 -6 --ipv6 --anyauth --basic ' +
      '--cert-status --compressed --create-dirs --digest -q --disable --disallow-username-in-url -f --fail ' +
      '--fail-early --fail-with-body -G --get -g --globoff -I --head --ignore-content-length -i --include ' +
      '-k --insecure -j --junk-session-cookies -l --list-only -L --location -M --manual --negotiate ' +
      '--no-alpn -N --no-buffer --no-clobber --no-keepalive --no-progress-meter --no-sessionid --ntlm -Z ' +
      '--parallel --parallel-immediate --path-as-is --post301 --post302 --post303 -p --proxytunnel --raw -J ' +
      '--remote-header-name -O --remote-name --remote-name-all -R --remote-time --remove-on-error ' +
      '--retry-all-errors --retry-connrefused -S --show-error -s --silent --ssl --ssl-reqd --styled-output ' +
      '--no-styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay --tr-encoding ' +
      '--trace-time --trace-ids -v --verbose -V --version',
    values:
      '-A --user-agent --ciphers --connect-timeout --curves -e --referer --expect100-timeout ' +
      '--happy-eyeballs-timeout-ms --interface --keepalive-time --limit-rate --local-port --max-filesize ' +
      '--max-redirs -m --max-time --noproxy --oauth2-bearer --parallel-max --pass --pinnedpubkey --proto ' +
      '--proto-default --proto-redir -U --proxy-user -r --range --rate --request-target --retry ' +
      '--retry-delay --retry-max-time -Y --speed-limit -y --speed-time -z --time-cond --tls-max ' +
      '--tls13-ciphers -u --user -C --continue-at --create-file-mode --output-dir --cert-type --key-type ' +
      '--aws-sigv4',
    optional: '-h --help',
    options: {
      '-o --output': 'value',
      '-D --dump-header': 'value',
      '-c --cookie-jar': 'value',
      '-b --cookie': 'value',
      '-d --data --data-ascii --data-binary': 'value',
      '--data-raw': 'change',
      '--data-urlencode': 'value',
      '--json': 'value',
      '--url-query': 'value',
      '-F --form': 'value',
      '--form-string': 'change',
      '-H --header': 'value',
      '--proxy-header': 'value',
      '-X --request': 'value',
      '-w --write-out': 'value',
      '--url': 'value',
      '-T --upload-file': 'read',
      '-a --append': '+change',
      '-Q --quote': 'change',
      '--mail-from': 'change',
      '--mail-rcpt': 'change',
      '--ftp-create-dirs': '+change',
      '-K --config': 'unknown',
      '--next -:': '+unknown',
      '-x --proxy': 'host',
      '--preproxy': 'host',
      '--socks5': 'host',
      '--socks5-hostname': 'host',
      '--socks4': 'host',
      '--socks4a': 'host',
      '--doh-url': 'url',
      '-E --cert': 'read',
      '--key': 'read',
      '--cacert': 'read',
      '--capath': 'read/',
      '--crlfile': 'read',
      '--proxy-cacert': 'read',
      '--pubkey': 'read',
      '-n --netrc': '+unknown',
      '--netrc-optional': '+unknown',
      '--netrc-file': 'unknown',
      '--etag-compare': 'read',
      '--etag-save': 'write',
      '--libcurl': 'value',
      '--trace': 'value',
      '--trace-ascii': 'value',
      '--stderr': 'value',
      '--alt-svc': 'edit',
      '--hsts': 'edit',
      '--engine': 'library',
      '--unix-socket': 'unknown',
      '--abstract-unix-socket': 'unknown',
      '--random-file': 'read',
      '--egd-file': 'read',
      '--xattr': '+change',
      '-t --telnet-option': 'unknown',
      // The host in the address is not the one that is contacted.
      '--resolve --connect-to --dns-servers': 'unknown',
    },
    operands: 'value*',
    does: 'network',
    variants: [
      { has: '-V --version -h --help -M --manual', does: '', class: 'neutral' },
      { has: '-I --head', does: 'fetch' },
    ],
    program: 'curl',
    examples: {
      readOnly: [
        'curl --version',
        'curl -I http://127.0.0.1',
        'curl -sSL --head http://localhost/x',
        "curl -sI -w '%{http_code}' http://127.0.0.1:80/",
        'curl -I localhost:3000',
      ],
      notReadOnly: [
        'curl -I https://a.org',
        'curl -I --resolve localhost:80:192.0.2.1 http://localhost',
        'curl https://a.org',
        'curl -I -o f http://localhost',
        'curl -I -X DELETE http://localhost',
        'curl -I -K c http://localhost',
        "curl -I -w '%output{f}' http://localhost",
        'curl -I http://localhost --next http://localhost',
        'curl -O https://a.org/x',
        'curl -d @f https://a.org',
        'curl -T f https://a.org',
        'curl -I --unix-socket s http://x',
        'curl --engine ./x.so https://a.org',
        'curl -sI -D h https://a.org',
        'curl -I gopher://a.org',
      ],
    },
  },
  wget: {
    summary: 'download',
    class: 'network',
    flags:
      '-V --version -h --help -d --debug -q --quiet -v --verbose -nv --no-verbose -F --force-html ' +
      '--no-config --retry-connrefused -nc --no-clobber --no-netrc -c --continue --show-progress -N ' +
      '--timestamping --no-if-modified-since --no-use-server-timestamps -S --server-response --spider ' +
      '--random-wait --no-proxy --no-dns-cache --ignore-case -4 --inet4-only -6 --inet6-only --no-iri ' +
      '--unlink -nd --no-directories -x --force-directories -nH --no-host-directories ' +
      '--protocol-directories --no-cache -E --adjust-extension --ignore-length --save-headers ' +
      '--no-http-keep-alive --no-cookies --keep-session-cookies --content-disposition --content-on-error ' +
      '--auth-no-challenge --https-only --no-check-certificate --no-hsts --no-remove-listing --no-glob ' +
      '--no-passive-ftp --retr-symlinks -r --recursive -k --convert-links -K --backup-converted -m --mirror ' +
      '-p --page-requisites --strict-comments --follow-ftp -H --span-hosts -L --relative ' +
      '--trust-server-names -np --no-parent --delete-after -b --background',
    values:
      '--report-speed -B --base -t --tries --retry-on-http-error --start-pos --progress -T --timeout ' +
      '--dns-timeout --connect-timeout --read-timeout -w --wait --waitretry -Q --quota --bind-address ' +
      '--limit-rate --restrict-file-names --prefer-family --user --password --local-encoding ' +
      '--remote-encoding --cut-dirs --http-user --http-password --default-page --header --compression ' +
      '--max-redirect --proxy-user --proxy-password --referer -U --user-agent --secure-protocol ' +
      '--certificate-type --private-key-type --pinnedpubkey --ciphers --ftp-user --ftp-password -l --level ' +
      '-A --accept -R --reject --accept-regex --reject-regex --regex-type -D --domains --exclude-domains ' +
      '--follow-tags --ignore-tags -I --include-directories -X --exclude-directories --backups',
    options: {
      '-O --output-document': 'value',
      '-P --directory-prefix': 'value',
      '-o --output-file': 'value',
      '-a --append-output': 'write',
      '-i --input-file': 'read',
      '-e --execute': 'hook',
      '--config': 'hook',
      '--use-askpass': 'program',
      '--rejected-log': 'write',
      '--post-data': 'change',
      '--post-file': 'read',
      '--body-data': 'change',
      '--body-file': 'read',
      '--method': 'change',
      '--load-cookies': 'read',
      '--save-cookies': 'write',
      '--certificate': 'read',
      '--private-key': 'read',
      '--ca-certificate': 'read',
      '--ca-directory': 'read/',
      '--crl-file': 'read',
      '--hsts-file': 'edit',
      '--warc-file': 'write',
      '--ask-password': '+unknown',
      '--xattr': '+change',
    },
    operands: 'value*',
    does: 'network',
    variants: [
      { has: '-V --version -h --help', does: '', class: 'neutral' },
      {
        has: '-r --recursive -m --mirror -p --page-requisites -i --input-file -b --background --post-file --body-file',
        does: 'network',
      },
      { has: '--spider', does: 'fetch' },
    ],
    program: 'wget',
    examples: {
      readOnly: ['wget --version', 'wget --spider http://localhost', 'wget -q --spider -S http://127.0.0.1'],
      notReadOnly: [
        'wget --spider https://a.org',
        'wget https://a.org/x',
        'wget -qO- https://a.org',
        'wget --spider -o f http://localhost',
        'wget --spider --use-askpass=./x http://localhost',
        'wget --spider -e use_askpass=./x http://localhost',
        'wget --post-file=f https://a.org',
        'wget -i f',
        'wget --spider --post-file=f http://localhost',
      ],
    },
  },
  http: {
    summary: 'request an address',
    class: 'network',
    flags:
      '-v --verbose -h --headers -b --body -j --json -f --form -F --follow -d --download -S --stream ' +
      '--check-status --ignore-stdin -I -p --offline --help --version -m --meta -q --quiet -c --continue',
    values:
      '-a --auth -A --auth-type --timeout --max-redirects --verify --pretty -s --style -p --print --proxy ' +
      '--format-options',
    options: {
      '-o --output': 'write',
      '--session': 'change',
      '--session-read-only': 'read',
      '--cert': 'read',
      '--cert-key': 'read',
    },
    operands: 'value*',
    does: 'network change',
    variants: [{ has: '--help --version', does: '' }],
    examples: {
      readOnly: ['http --version'],
      notReadOnly: ['http GET a.org', 'http -o f a.org', 'http POST a.org a=b'],
    },
  },
  https: 'http',
  xh: 'http',
  xhs: 'http',
  aria2c: asks(
    'download',
    ['aria2c https://a.org/x', 'aria2c -i f', 'aria2c --on-download-complete=./x https://a.org'],
    {
      flags: '-q -c -j -Z',
      values: '-x -s -k --max-connection-per-server --split',
      options: {
        '-o --out': 'write',
        '-d --dir': 'write/',
        '-i --input-file': 'read',
        '--on-download-complete': 'program',
        '--on-download-start': 'program',
        '--on-download-error': 'program',
        '--conf-path': 'hook',
      },
      operands: 'url*',
      does: 'network change',
    },
  ),
  lynx: asks('browse', ['lynx -dump https://a.org', 'lynx a.org'], {
    style: 'words',
    flags: '-dump -source -nolist -head -listonly -nonumbers',
    values: '-width -useragent',
    options: { '-cfg': 'hook', '-cmd_script': 'hook', '-cmd_log': 'write' },
    operands: 'url*',
    does: 'network execute',
  }),
  w3m: asks('browse', ['w3m -dump https://a.org'], {
    flags: '-dump -dump_source -dump_head',
    values: '-T -cols -I -O',
    options: { '-config': 'hook', '-o': 'hook' },
    operands: 'url*',
    does: 'network execute',
  }),
  links: 'w3m',
  links2: 'w3m',
  elinks: 'w3m',
  nc: {
    summary: 'send and receive raw data',
    class: 'network',
    flags:
      '-4 -6 -C -d -D -F -h -k -l -N -n -r -S -t -U -u -v -vv -Z -z --listen --keep-open --ssl --udp --version --help',
    values: '-I -i -M -m -O -P -p -q -s -T -V -W -w -X',
    options: {
      '-e --exec': 'program',
      '-c --sh-exec': 'shell',
      '--lua-exec': 'file',
      '-x --proxy': 'host',
      '-o --output': 'write',
      '-a --allow': 'value',
    },
    operands: 'host value*',
    does: 'network',
    examples: {
      readOnly: [],
      notReadOnly: ['nc -zv a.org 80', 'nc -l 80', 'nc -e /bin/sh a.org 80', "nc -c 'rm x' a.org 80"],
    },
  },
  ncat: 'nc',
  netcat: 'nc',
  socat: {
    summary: 'join two streams',
    class: 'network',
    style: 'posix',
    flags: '-d -dd -ddd -h -V -v -x -u -U -s -T -t -b',
    options: { '-lf': 'write', '-r': 'write', '-R': 'write' },
    operands: 'unknown*',
    does: 'network execute',
    variants: [{ has: '-h -V', does: '', operands: '' }],
    examples: {
      readOnly: ['socat -V'],
      notReadOnly: ['socat - TCP:a.org:80', 'socat TCP-LISTEN:80 EXEC:sh', 'socat - OPEN:f,create'],
    },
  },
  telnet: asks('talk to a host', ['telnet a.org 25'], {
    flags: '-4 -6 -8 -E -K -L -a -d',
    values: '-e -l -X -b',
    options: { '-n': 'write' },
    operands: 'host value?',
    does: 'network execute',
  }),
  ftp: asks('transfer files', ['ftp a.org'], {
    flags: '-A -a -d -e -g -i -n -p -v',
    operands: 'host*',
    does: 'network change execute',
  }),
  lftp: asks('transfer files', ['lftp a.org', "lftp -c 'open x; mirror'"], {
    options: { '-e': 'code', '-c': 'code', '-f': 'file' },
    values: '-u -p',
    operands: 'host*',
    does: 'network change execute',
  }),
  tftp: 'ftp',
  ping: asks('ask a host for an echo', ['ping -c 1 a.org', 'ping 10.0.0.1'], {
    flags: '-4 -6 -a -A -b -B -d -D -f -h -L -n -O -q -r -R -U -v -V',
    values: '-c -e -F -i -I -l -m -M -N -p -Q -s -S -t -T -w -W',
  }),
  ping6: 'ping',
  fping: 'ping',
  traceroute: asks('show the way to a host', ['traceroute a.org'], {
    flags: '-4 -6 -d -F -I -T -U -UL -D -n -r -e -A -V -b -l',
    values: '-f -g -i -m -N -p -q -s -t -w -z -M',
    operands: 'host value?',
  }),
  traceroute6: 'traceroute',
  tracepath: asks('show the way to a host', ['tracepath a.org'], {
    flags: '-4 -6 -b -n -V',
    values: '-l -m -p',
    operands: 'host',
  }),
  mtr: asks('show the way to a host', ['mtr -r a.org'], {
    flags: '-r -w -n -b -t -z -4 -6 -u -T -j -C -x -e -o',
    values: '-c -i -s -m -f -P',
    options: { '-F --filename': 'read' },
  }),
  dig: asks('ask a name server', ['dig a.org', 'dig +short a.org @1.1.1.1', 'dig -f f', 'dig -x 1.1.1.1'], {
    flags: '-4 -6 -i -m -r -u -v -h',
    values: '-b -c -k -p -q -t -y',
    options: { '-f': 'read', '-x': 'value' },
    operands: 'value*',
    program: 'dig',
  }),
  host: asks('ask a name server', ['host a.org'], {
    flags: '-4 -6 -a -A -C -d -l -r -s -T -U -v -V -w',
    values: '-c -m -N -p -R -t -W',
  }),
  nslookup: asks('ask a name server', ['nslookup a.org'], {
    style: 'words',
    values: '-type -query -timeout -port -retry',
    flags: '-debug',
    operands: 'host*',
  }),
  drill: 'dig',
  kdig: 'dig',
  delv: 'dig',
  whois: asks('ask who owns a name', ['whois a.org'], {
    flags: '-H -I -v -a -b -c -d -l -m -x -B -G -K -L -M -r -R -q',
    values: '-h -p -i -s -t -T -g',
    operands: 'value*',
  }),
  nmap: asks('scan hosts', ['nmap a.org', 'nmap -oN f a.org', 'nmap --script x a.org', 'nmap --interactive'], {
    options: {
      '-oN': 'write',
      '-oX': 'write',
      '-oG': 'write',
      '-oA': 'write',
      '-oS': 'write',
      '--script': 'hook',
      '-iL': 'read',
      '--datadir': 'hook',
      '--excludefile': 'read',
      '--resume': 'edit',
    },
    flags: '-sS -sT -sU -sV -sn -sP -Pn -A -O -F -v -vv -n -R -6 --open --reason -T0 -T1 -T2 -T3 -T4 -T5 --version',
    values: '-p --top-ports --host-timeout --max-retries',
    operands: 'host*',
    variants: [{ has: '--version', does: '' }],
  }),
  tcpdump: {
    dashIsStream: true,
    summary: 'show network packets',
    class: 'read',
    flags:
      '-A -b -d -D -e -f -h -H -I -J -K -l -L -n -nn -N -O -p -q -S -t -tt -ttt -u -U -v -vv -vvv -x -xx -X ' +
      '-XX --version --help --number',
    values: '-B -c -C -E -G -i -j -M -Q -s -T -V -W -y --immediate-mode',
    options: { '-w': 'write', '-r': 'read', '-F': 'read', '-z': 'program', '-Z': 'unknown' },
    operands: 'value*',
    does: 'privilege',
    variants: [
      { has: '-z', does: 'execute' },
      { has: '-D -L --version -h --help', does: '' },
      { has: '-r', does: '' },
    ],
    examples: {
      readOnly: ['tcpdump -r f', 'tcpdump -nr f port 80', 'tcpdump -D'],
      notReadOnly: ['tcpdump -i any', 'tcpdump -r f -w g', 'tcpdump -G 1 -w f -z ./x', 'tcpdump -r f -z sh'],
    },
  },
  tshark: {
    dashIsStream: true,
    summary: 'show network packets',
    class: 'read',
    flags: '-n -x -V -q -l -p -P -S -D -v -h',
    values: '-c -d -e -E -f -i -J -j -s -t -T -Y -z -R',
    options: {
      '-r': 'read',
      '-w': 'write',
      '-X': 'hook',
      '-N': 'network',
      // Some settings name files that are written.
      '-o': 'unknown',
      '-K': 'read',
      '-C': 'hook',
      '-b': 'value',
      '-F': 'value',
      '-H': 'read',
      '-O': 'value',
      '-G': 'value?',
    },
    operands: 'value*',
    does: 'privilege',
    variants: [{ has: '-r -v -h -D -G', does: '' }],
    examples: {
      readOnly: ['tshark -r f', 'tshark -v'],
      notReadOnly: ['tshark -i any', 'tshark -r f -w g', 'tshark -r f -X lua_script:x'],
    },
  },
  iperf3: asks('measure the network', ['iperf3 -c a.org', 'iperf3 -s'], {
    flags: '-s -R -u -J -V -4 -6 -1 -D',
    values: '-p -t -P -b -i -n -w',
    options: { '-c --client': 'host', '--logfile': 'write', '-F --file': 'read' },
    operands: '',
  }),
  iperf: 'iperf3',
  ab: asks('load a server', ['ab -n 10 https://a.org/'], {
    flags: '-k -l -q -r -v -d -S -I -i',
    values: '-n -c -t -H -C -A -s -b -m -T -X',
    options: { '-p': 'read', '-u': 'read', '-g': 'write', '-e': 'write' },
    operands: 'url',
    does: 'network change',
  }),
  wrk: asks('load a server', ['wrk https://a.org', 'wrk -s x.lua https://a.org'], {
    flags: '--latency -v',
    values: '-t -c -d -H --timeout -R',
    options: { '-s --script': 'file' },
    operands: 'url',
    does: 'network change',
  }),
  hey: asks('load a server', ['hey https://a.org'], {
    flags: '-h2 -disable-compression',
    values: '-n -c -q -z -m -H -t -A -T -a -x -host -cpus',
    options: { '-d': 'change', '-D': 'read', '-o': 'value' },
    operands: 'url',
    does: 'network change',
  }),
  k6: asks('load a server', ['k6 run x.js'], { style: 'none', operands: 'value*', does: 'network execute' }),
  vegeta: 'k6',
  rclone: {
    summary: 'copy files to and from cloud storage',
    class: 'network',
    style: 'posix',
    flags: '-v -vv -q -P --progress -n --dry-run -i',
    options: { '--config': 'hook', '--password-command': 'program', '--log-file': 'write' },
    subcommands: {
      ...named(
        'ls lsd lsl lsf lsjson size tree about check cryptcheck hashsum md5sum sha1sum',
        part('show files in cloud storage', 'network', {
          flags: '-v -q -P -R --fast-list --one-way --json --human-readable',
          values: '--include --exclude --max-depth --transfers -F --format',
          does: 'network',
        }),
      ),
      version: part('show the version', 'neutral'),
      listremotes: part('list configured storages', 'list', { flags: '--long' }),
      config: part('change or print the configuration', 'write', { does: 'change secret' }),
      ...named(
        'copy copyto sync move moveto bisync delete deletefile purge mkdir rmdir rmdirs touch cleanup ' +
          'dedupe rcat settier',
        part('change files in storage', 'write', {
          flags: '-v -vv -q -P --progress -n --dry-run -i --fast-list --delete-excluded',
          values: '--include --exclude --transfers --checkers --max-age --min-age --bwlimit',
          operands: 'remote-read remote-write?',
          does: 'change network',
        }),
      ),
      cat: part('print files from storage', 'network', { does: 'network' }),
      mount: part('mount storage', 'write', { does: 'change network' }),
    },
    examples: {
      readOnly: ['rclone version', 'rclone listremotes'],
      notReadOnly: ['rclone sync a r:b', 'rclone ls r:', 'rclone config show', 'rclone --password-command x version'],
    },
  },
  s3cmd: asks('use cloud storage', ['s3cmd ls', 's3cmd put f s3://b', 's3cmd del s3://b/f'], {
    options: { '-c --config': 'hook' },
    operands: 'value*',
    does: 'network change',
  }),
  'yt-dlp': asks('download videos', ['yt-dlp https://a.org/x', 'yt-dlp --exec ./x https://a.org'], {
    flags:
      '-F --list-formats -q -v -s --simulate -x --extract-audio --version --no-playlist -k -j --dump-json ' +
      '-g --get-url -e --get-title',
    values: '-f --format --audio-format --merge-output-format --proxy',
    options: {
      '-o --output': 'write',
      '-P --paths': 'write/',
      '--exec': 'shell',
      '--config-locations': 'hook',
      '--plugin-dirs': 'hook',
      '--cookies': 'edit',
      '--cookies-from-browser': 'unknown',
      '-a --batch-file': 'read',
      '--downloader': 'program',
      '--ffmpeg-location': 'program',
    },
    operands: 'url*',
    does: 'network change',
    variants: [{ has: '--version', does: '' }],
  }),
  'youtube-dl': 'yt-dlp',
};
