// Interfaces, routes, sockets and firewalls of this machine.

import { part } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { named } from './tool-rows.ts';

const show = part('show', 'list', { style: 'none' });
// These parse options after the verb too, and `-H` connects to another machine.
const status = part('show', 'list', { flags: '--active -a --no-pager -l --no-legend', values: '--order --json' });
const change = part('change the network', 'write', { style: 'none', does: 'change' });

/** An object of ip, bridge or tc: verbs that show and verbs that change; abbreviations count too. */
function networkObject(details: Readonly<Record<string, CommandSpec | string>> = {}): CommandSpec {
  return part('show or change the network', 'list', {
    style: 'posix',
    subcommands: {
      ...named('show list lst ls sh get help', show),
      ...named(
        'add a append change chg replace del delete d flush f set restore save prepend up down attach detach exec',
        change,
      ),
      ...details,
    },
  });
}

const namespaceExec = part('run a command in a network namespace', 'privilege', {
  style: 'posix',
  operands: 'value command*',
  does: 'privilege',
});
const object = networkObject();
// `s` alone is `show` here, but `set` for a link.
const address = networkObject({ s: show });

export const networkInterfaces: CommandFamily = {
  ip: {
    summary: 'show or change the network',
    class: 'list',
    style: 'posix',
    flags:
      '-V -Version -s -statistics -stats -ss -d -details -det -r -resolve -h -human -human-readable -iec -j ' +
      '-json -p -pretty -4 -6 -M -B -0 -br -brief -o -oneline -t -timestamp -ts -tshort -N -Numeric -a -all ' +
      '-c -color -c=auto -c=always -c=never -color=always',
    values: '-f -family -l -loops -rc -rcvbuf',
    options: { '-b -batch': 'hook', '-n -netns': 'unknown', '-force': '+unknown' },
    subcommands: {
      ...named(
        'link lin li l rule rul ru neighbour neighbor neigh nei n addrlabel maddress maddr m mroute mrule ' +
          'netconf nexthop ntable ntbl tunnel tunl tuntap tap token tcpmetrics tcp_metrics vti xfrm macsec ' +
          'l2tp mptcp fou ila sr',
        object,
      ),
      ...named('address addr add ad a route rout rou ro r', address),
      netns: networkObject({
        exec: namespaceExec,
        exe: namespaceExec,
        ex: namespaceExec,
        e: namespaceExec,
        ...named('list-id identify pids monitor', show),
      }),
      vrf: networkObject({ exec: namespaceExec, ...named('identify pids', show) }),
      monitor: show,
      help: show,
    },
    examples: {
      readOnly: [
        'ip a',
        'ip addr',
        'ip -br addr show',
        'ip route',
        'ip -4 route get 1.1.1.1',
        'ip link show dev eth0',
        'ip -j a',
        'ip -V',
        'ip netns list',
      ],
      notReadOnly: [
        'ip addr add 1.2.3.4 dev eth0',
        'ip link set eth0 down',
        'ip netns exec n rm x',
        'ip -b f',
        'ip route del default',
        'ip netns exec n sh',
      ],
    },
  },
  bridge: {
    summary: 'show or change bridges',
    class: 'list',
    style: 'posix',
    flags: '-V -s -d -j -p -o -t -N -c -4 -6',
    options: { '-b -batch': 'hook', '-n': 'unknown' },
    subcommands: { ...named('link fdb mdb vlan vni', object), monitor: show },
    examples: { readOnly: ['bridge link', 'bridge fdb show'], notReadOnly: ['bridge fdb add x dev y', 'bridge -b f'] },
  },
  tc: {
    summary: 'show or change traffic control',
    class: 'list',
    style: 'posix',
    flags: '-V -s -d -j -p -r -o -g -N',
    options: { '-b -batch': 'hook', '-n': 'unknown', '-force': '+unknown' },
    subcommands: named('qdisc class filter chain action actions', object),
    examples: { readOnly: ['tc qdisc show', 'tc -s qdisc'], notReadOnly: ['tc qdisc add dev x root y', 'tc -b f'] },
  },
  ss: {
    summary: 'list sockets',
    class: 'list',
    flags:
      '-h --help -V --version -n --numeric -r --resolve -a --all -l --listening -o --options -e --extended ' +
      '-m --memory -p --processes -T --threads -i --info --tipcinfo -s --summary --tos --cgroup -b --bpf -E ' +
      '--events -Z --context -z --contexts -4 --ipv4 -6 --ipv6 -0 --packet -t --tcp -M --mptcp -S --sctp -u ' +
      '--udp -d --dccp -w --raw -x --unix --tipc --vsock --xdp -H --no-header -O --oneline --inet-sockopt ' +
      '-Q --no-queues',
    values: '-f --family -A --query --socket',
    options: { '-K --kill': '+change', '-D --diag': 'write', '-F --filter': 'read', '-N --net': 'unknown' },
    operands: 'value*',
    examples: {
      readOnly: ['ss', 'ss -tlnp', 'ss -an state established', 'ss -s'],
      notReadOnly: ['ss -K dst 1.1.1.1', 'ss -D f'],
    },
  },
  netstat: {
    summary: 'list sockets and routes',
    class: 'list',
    flags:
      '-a --all -A -c --continuous -C --cache -e --extend -F --fib -g --groups -i --interfaces -l ' +
      '--listening -M --masquerade -n --numeric -N -o --timers -p --programs -r --route -s --statistics -t ' +
      '--tcp -T -u --udp -v --verbose -V --version -w --raw -W --wide -x --unix -4 -6 -h --help -b -f -L',
    values: '-I',
    operands: 'value*',
    examples: { readOnly: ['netstat -tlnp', 'netstat -an', 'netstat -rn'], notReadOnly: ['netstat --wipe'] },
  },
  ifconfig: {
    summary: 'show or change network interfaces',
    class: 'list',
    flags: '-a -s -v -l',
    operands: 'value change*',
    examples: {
      readOnly: ['ifconfig', 'ifconfig -a', 'ifconfig eth0'],
      notReadOnly: ['ifconfig eth0 down', 'ifconfig eth0 1.2.3.4'],
    },
  },
  route: {
    summary: 'show or change routes',
    class: 'list',
    flags: '-n -e -ee -v -F -C -V -4 -6',
    values: '-A',
    operands: 'change*',
    examples: { readOnly: ['route', 'route -n'], notReadOnly: ['route add default gw x', 'route del x'] },
  },
  arp: {
    summary: 'show or change neighbours',
    class: 'list',
    flags: '-a -e -n -v -D -V',
    values: '-H -A -p -t -i',
    options: { '-d --delete': '+change', '-s --set': '+change', '-f --file': '+change' },
    operands: 'value*',
    examples: { readOnly: ['arp', 'arp -an'], notReadOnly: ['arp -d x', 'arp -s x y', 'arp -f f'] },
  },
  iptables: {
    summary: 'show or change the firewall',
    class: 'privilege',
    flags: '-n --numeric -v --verbose -x --exact --line-numbers -V --version -h',
    values: '-t --table -w --wait -W',
    options: {
      '-L --list': 'value?',
      '-S --list-rules': 'value?',
      '-C --check': 'value',
      '-A --append': 'change',
      '-D --delete': 'change',
      '-I --insert': 'change',
      '-R --replace': 'change',
      '-F --flush': '+change',
      '-Z --zero': '+change',
      '-N --new-chain': 'change',
      '-X --delete-chain': '+change',
      '-P --policy': 'change',
      '-E --rename-chain': 'change',
      '-M --modprobe': 'program',
    },
    operands: 'value*',
    does: 'change privilege',
    variants: [
      { has: '-A -D -I -R -F -Z -N -X -P -E -M', does: 'change privilege' },
      { has: '-L -S -C -V --version -h', does: '', class: 'list' },
    ],
    examples: {
      readOnly: ['iptables -L -n', 'iptables -S', 'iptables -t nat -L', 'iptables --version'],
      notReadOnly: ['iptables -F', 'iptables -L -Z', 'iptables -A INPUT -j DROP', 'iptables -L --modprobe=./x'],
    },
  },
  ip6tables: 'iptables',
  'iptables-save': {
    summary: 'print the firewall',
    class: 'list',
    flags: '-c -V',
    values: '-t',
    options: { '-f --file': 'write', '-M --modprobe': 'program' },
    operands: '',
    examples: { readOnly: ['iptables-save'], notReadOnly: ['iptables-save -f f', 'iptables-save -M ./x'] },
  },
  'ip6tables-save': 'iptables-save',
  'iptables-restore': {
    summary: 'replace the firewall',
    class: 'privilege',
    operands: 'read*',
    does: 'change privilege',
    examples: { readOnly: [], notReadOnly: ['iptables-restore f'] },
  },
  'ip6tables-restore': 'iptables-restore',
  nft: {
    summary: 'show or change the firewall',
    class: 'list',
    style: 'posix',
    flags:
      '-a --handle -n --numeric -s --stateless -j --json -v --version -V -h --help -y -p -S -N -t --terse -c --check',
    options: { '-f --file': 'hook', '-i --interactive': '+hook', '-I --includepath': 'read/', '-D --define': 'value' },
    subcommands: {
      // All words form one text, in which `;` starts another command.
      list: part('show the firewall', 'list', { style: 'none', program: 'plain-words' }),
      ...named(
        'add delete flush create insert replace rename reset destroy import monitor',
        part('change the firewall', 'privilege', { style: 'none', does: 'change privilege' }),
      ),
    },
    examples: {
      readOnly: ['nft list ruleset', 'nft -a list tables', 'nft --version'],
      notReadOnly: [
        'nft flush ruleset',
        'nft -f f',
        "nft 'list ruleset; flush ruleset'",
        "nft list ruleset ';' flush ruleset",
      ],
    },
  },
  ufw: {
    summary: 'show or change the firewall',
    class: 'privilege',
    style: 'posix',
    flags: '--version --dry-run',
    subcommands: {
      status: part('show the firewall', 'list', { style: 'none' }),
      version: part('show the version', 'neutral', { style: 'none' }),
      ...named(
        'enable disable allow deny reject limit delete insert route reset reload default logging app',
        part('change the firewall', 'privilege', { style: 'none', does: 'change privilege' }),
      ),
    },
    examples: { readOnly: ['ufw status', 'ufw status verbose'], notReadOnly: ['ufw allow 22', 'ufw disable'] },
  },
  'firewall-cmd': {
    summary: 'show or change the firewall',
    class: 'list',
    flags:
      '--state --list-all --list-services --list-ports --get-zones --get-active-zones --get-default-zone ' +
      '--permanent --version',
    values: '--zone',
    operands: '',
    examples: {
      readOnly: ['firewall-cmd --state', 'firewall-cmd --zone=public --list-all'],
      notReadOnly: ['firewall-cmd --add-port=80/tcp', 'firewall-cmd --reload'],
    },
  },
  nmcli: {
    summary: 'show or change network connections',
    class: 'list',
    style: 'posix',
    flags: '-t --terse -p --pretty -c --colors -v --version -h --help',
    values: '-f --fields -m --mode -e --escape -g --get-values -w --wait',
    options: { '-s --show-secrets': '+secret', '-a --ask': '+unknown', '-o --overview': '+unknown' },
    subcommands: {
      ...named(
        'general g gen networking n radio r',
        part('show network state', 'list', {
          style: 'posix',
          subcommands: named('status s permissions connectivity', status),
        }),
      ),
      ...named(
        'device d dev connection c con',
        part('show devices and connections', 'list', {
          style: 'posix',
          subcommands: {
            ...named('status show s sh', status),
            ...named(
              'up down add modify edit delete reload connect disconnect set monitor import export clone load',
              change,
            ),
            wifi: part('list wireless networks', 'list', { style: 'posix', subcommands: named('list', status) }),
          },
        }),
      ),
    },
    examples: {
      readOnly: ['nmcli', 'nmcli device status', 'nmcli con show', 'nmcli -t -f NAME con show'],
      notReadOnly: [
        'nmcli con down x',
        'nmcli -s con show x',
        'nmcli con show --show-secrets x',
        'nmcli radio wifi off',
      ],
    },
  },
  hostnamectl: {
    summary: 'show or change the host name',
    class: 'list',
    style: 'posix',
    flags: '-h --help --version --transient --static --pretty --no-ask-password --json',
    options: { '-H --host': 'host', '-M --machine': 'unknown' },
    subcommands: {
      status,
      ...named(
        'hostname set-hostname icon-name set-icon-name chassis set-chassis deployment set-deployment ' +
          'location set-location',
        change,
      ),
    },
    examples: {
      readOnly: ['hostnamectl', 'hostnamectl status'],
      notReadOnly: ['hostnamectl status -H h', 'hostnamectl set-hostname x', 'hostnamectl hostname x'],
    },
  },
  resolvectl: {
    summary: 'show or change name resolution',
    class: 'list',
    style: 'posix',
    flags: '-h --help --version --no-pager -4 -6 --json',
    subcommands: {
      ...named('status statistics show-cache show-server-state', status),
      query: part('ask a name server', 'network', { operands: 'host*', does: 'network' }),
      ...named(
        'dns domain flush-caches reset-statistics revert default-route llmnr mdns dnssec dnsovertls nta ' +
          'monitor log-level',
        change,
      ),
    },
    examples: {
      readOnly: ['resolvectl status', 'resolvectl'],
      notReadOnly: ['resolvectl query a.org', 'resolvectl flush-caches', 'resolvectl dns eth0 1.1.1.1'],
    },
  },
  ethtool: {
    summary: 'show or change a network card',
    class: 'list',
    flags:
      '-i --driver -S --statistics -k --show-features --show-offload -g --show-ring -c --show-coalesce -l ' +
      '--show-channels -a --show-pause -T --show-time-stamping -P --show-permaddr -n --show-nfc -h --help ' +
      '--version -m --dump-module-eeprom -d --register-dump',
    operands: 'value?',
    examples: {
      readOnly: ['ethtool eth0', 'ethtool -i eth0', 'ethtool -S eth0'],
      notReadOnly: ['ethtool -s eth0 speed 10', 'ethtool -K eth0 tso off', 'ethtool -E eth0'],
    },
  },
  iw: {
    summary: 'show or change wireless networks',
    class: 'list',
    style: 'posix',
    flags: '--version --debug',
    subcommands: {
      ...named('list features phy', part('show', 'list', { operands: '' })),
      dev: part('show wireless devices', 'list', { operands: 'value?' }),
      reg: part('show or set the region', 'list', { style: 'posix', subcommands: named('get', show) }),
    },
    examples: {
      readOnly: ['iw dev', 'iw list', 'iw reg get'],
      notReadOnly: ['iw dev x scan', 'iw reg set US', 'iw dev x set type monitor'],
    },
  },
  iwconfig: {
    summary: 'show or change wireless networks',
    class: 'list',
    flags: '--version --help',
    operands: 'value change*',
    examples: { readOnly: ['iwconfig', 'iwconfig wlan0'], notReadOnly: ['iwconfig wlan0 mode monitor'] },
  },
};
