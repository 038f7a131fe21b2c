// Package managers of the system: queries and changes.

import { part, type RowDetails } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { joined, named } from './tool-rows.ts';

// `-o` and `-c` set options that name commands to run before and after.
const APT_OPTIONS: NonNullable<RowDetails['options']> = { '-o --option': 'hook', '-c --config-file': 'hook' };
const APT_FLAGS =
  '-q --quiet -qq -y --yes --assume-yes --assume-no -s --simulate --just-print --dry-run --recon --no-act ' +
  '-V --verbose-versions --no-install-recommends --install-recommends -f --fix-broken -m --fix-missing ' +
  '--reinstall --purge --autoremove --allow-downgrades --allow-remove-essential --only-upgrade --no-upgrade ' +
  '-d --download-only -a --all-versions --installed --upgradable --upgradeable --manual-installed -v ' +
  '--verbose -n --names-only --full --no-all-versions -i --important --recurse --no-recommends ' +
  '--no-suggests --no-download --with-new-pkgs --auto-remove -u --show-upgraded';
const APT_VALUES = '-p --pkg-cache -t --target-release --default-release';
function apt(summary: string, examples: CommandSpec['examples']): CommandSpec {
  return {
    summary,
    class: 'list',
    exactLong: true,
    flags: joined(APT_FLAGS, '--version -h --help'),
    values: APT_VALUES,
    options: APT_OPTIONS,
    operands: 'value*',
    program: 'apt',
    examples,
  };
}

/** dnf, zypper, snap …: words that show, words that change. */
function manager(
  summary: string,
  rows: { shows: string; fetches?: string; changes: string; runs?: string },
  examples: CommandSpec['examples'],
  details: RowDetails = {},
): CommandSpec {
  const flags =
    '-q --quiet -v --verbose -y --assumeyes --non-interactive -n --all -a --json --installed --available ' +
    '--updates --names-only -C --cacheonly --refresh -i -l --list --showduplicates --user --system ' +
    '--columns -s --details --app --runtime';
  const values = '--repo --repoid --enablerepo --disablerepo --columns --channel';
  return {
    class: 'list',
    style: 'posix',
    values,
    ...details,
    flags: joined(flags, '--version --help -h', details.flags),
    summary,
    subcommands: {
      ...named(rows.shows, part('show packages', 'list', { flags, values })),
      ...(rows.fetches === undefined
        ? {}
        : named(rows.fetches, part('search packages', 'network', { flags, values, does: 'fetch' }))),
      ...named(
        rows.changes,
        part('change packages', 'privilege', { flags, values, does: 'change network privilege execute' }),
      ),
      ...(rows.runs === undefined
        ? {}
        : named(rows.runs, part('run a package', 'execute', { style: 'none', does: 'execute' }))),
    },
    examples,
  };
}

export const packages: CommandFamily = {
  apt: apt('manage packages', {
    readOnly: [
      'apt list --installed',
      'apt show bash',
      'apt search x',
      'apt policy bash',
      'apt --version',
      'apt depends bash',
      'apt install -s x',
    ],
    notReadOnly: [
      'apt install x',
      'apt update',
      'apt list -o APT::Update::Pre-Invoke::=id',
      'apt -c f list',
      'apt changelog bash',
      'apt remove x',
      'apt edit-sources',
      'apt -y full-upgrade',
    ],
  }),
  'apt-get': apt('manage packages', {
    readOnly: ['apt-get --version', 'apt-get -s install x', 'apt-get install --dry-run x'],
    notReadOnly: [
      'apt-get install -y x',
      'apt-get update',
      'apt-get update -o APT::Update::Pre-Invoke::=id',
      'apt-get -s install x -o Dpkg::Pre-Invoke::=id',
      'apt-get changelog apt',
      'apt-get source x',
    ],
  }),
  'apt-cache': apt('ask about packages', {
    readOnly: ['apt-cache search x', 'apt-cache policy bash', 'apt-cache show bash', 'apt-cache madison bash'],
    notReadOnly: ['apt-cache gencaches', 'apt-cache -o x=y show bash', 'apt-cache -c f policy'],
  }),
  'apt-mark': apt('marks of packages', {
    readOnly: ['apt-mark showhold', 'apt-mark showmanual'],
    notReadOnly: ['apt-mark hold x', 'apt-mark auto x'],
  }),
  'apt-key': {
    summary: 'manage keys of packages',
    class: 'privilege',
    style: 'none',
    operands: 'value*',
    does: 'change network',
    examples: { readOnly: [], notReadOnly: ['apt-key add f', 'apt-key list'] },
  },
  'add-apt-repository': {
    summary: 'add a source of packages',
    class: 'privilege',
    style: 'none',
    operands: 'value*',
    does: 'change network privilege',
    examples: { readOnly: [], notReadOnly: ['add-apt-repository ppa:x'] },
  },
  aptitude: manager(
    'manage packages',
    {
      shows: 'search show versions why why-not',
      changes:
        'install remove purge update safe-upgrade full-upgrade upgrade hold unhold markauto unmarkauto ' +
        'download changelog clean autoclean build-dep',
    },
    {
      readOnly: ['aptitude search x', 'aptitude show x'],
      notReadOnly: ['aptitude', 'aptitude install x', 'aptitude changelog x'],
    },
    { alone: 'change', options: { '-o': 'hook' } },
  ),
  dpkg: {
    summary: 'manage packages',
    class: 'list',
    exactLong: true,
    flags:
      '-l --list -L --listfiles -S --search -s --status -p --print-avail --get-selections -C --audit -V ' +
      '--verify --print-architecture --print-foreign-architectures --yet-to-unpack --compare-versions ' +
      '--version --help -? -h --no-pager -c --contents -I --info -f --field --validate-pkgname ' +
      '--validate-version --validate-archname --assert-multi-arch',
    values: '--path-exclude --path-include',
    options: {
      '-i --install': '+change',
      '-r --remove': '+change',
      '-P --purge': '+change',
      '--configure': '+change',
      '--unpack': '+change',
      '--set-selections': '+change',
      '--clear-selections': '+change',
      '--triggers-only': '+change',
      '--update-avail': '+change',
      '--merge-avail': '+change',
      '--clear-avail': '+change',
      '--add-architecture': 'change',
      '--remove-architecture': 'change',
      '-x --extract': '+change',
      '-X --vextract': '+change',
      '-R --recursive': '+unknown',
      '-a --pending': '+unknown',
      '--pre-invoke': 'shell',
      '--post-invoke': 'shell',
      '--status-logger': 'shell',
      '--root': 'unknown',
      '--instdir': 'unknown',
      '--admindir': 'unknown',
      '--log': 'write',
    },
    operands: 'value*',
    variants: [{ has: '-i -r -P --configure --unpack', does: 'change privilege execute' }],
    examples: {
      readOnly: [
        'dpkg -l',
        "dpkg -l 'lib*'",
        'dpkg -L bash',
        'dpkg -S /bin/ls',
        'dpkg -s bash',
        'dpkg --get-selections',
        'dpkg --print-architecture',
        'dpkg -c x.deb',
      ],
      notReadOnly: [
        'dpkg -i x.deb',
        'dpkg -r x',
        'dpkg --configure -a',
        'dpkg -l --pre-invoke=./x',
        'dpkg --set-selections',
        'dpkg -x x.deb d',
      ],
    },
  },
  'dpkg-query': {
    summary: 'ask about packages',
    class: 'list',
    exactLong: true,
    flags:
      '-l --list -L --listfiles -S --search -s --status -W --show -p --print-avail --control-list ' +
      '--control-show --no-pager --version --help',
    values: '-f --showformat -c --control-path',
    options: { '--admindir': 'read/', '--root': 'unknown' },
    operands: 'value*',
    examples: { readOnly: ['dpkg-query -l', "dpkg-query -W -f '${Package}\\n'", 'dpkg-query -S f'], notReadOnly: [] },
  },
  'dpkg-deb': {
    summary: 'package files',
    class: 'read',
    exactLong: true,
    flags:
      '-c --contents -I --info -W --show -f --field --ctrl-tarfile --fsys-tarfile --version --help -v --verbose -D',
    values: '--showformat -z -Z -S',
    options: {
      '-b --build': '+change',
      '-x --extract': '+change',
      '-X --vextract': '+change',
      '-R --raw-extract': '+change',
      '-e --control': '+change',
    },
    operands: 'read value*',
    variants: [
      { has: '-x -X -R -e', operands: 'read write/?', does: 'change' },
      { has: '-b', operands: 'read/ write?', does: 'change' },
    ],
    examples: {
      readOnly: ['dpkg-deb -c x.deb', 'dpkg-deb -I x.deb'],
      notReadOnly: ['dpkg-deb -b d', 'dpkg-deb -x x.deb d'],
    },
  },
  'dpkg-reconfigure': {
    summary: 'configure packages again',
    class: 'privilege',
    style: 'none',
    operands: 'value*',
    does: 'change privilege execute',
    examples: { readOnly: [], notReadOnly: ['dpkg-reconfigure tzdata'] },
  },
  rpm: {
    summary: 'manage packages',
    class: 'privilege',
    exactLong: true,
    flags:
      '-q --query -a --all -f --file -i --info -l --list -c --configfiles -d --docfiles -R --requires ' +
      '--provides --conflicts --obsoletes --changelog --scripts --triggers -s --state --whatprovides ' +
      '--whatrequires --last --queryformat -v --verbose --version --help --showrc -g --group --dump ' +
      '--nosignature --nodigest --filesbypkg --recommends --suggests --supplements --enhances -K --checksig ' +
      '--querytags',
    values: '--qf --queryformat',
    options: {
      // The operand may be an address.
      '-p --package': '+network',
      '-E --eval': 'hook',
      '-D --define': 'hook',
      '--undefine': 'unknown',
      '--pipe': 'shell',
      '--rcfile': 'hook',
      '--macros': 'hook',
      '--load': 'hook',
      '-r --root': 'unknown',
      '--dbpath': 'unknown',
      '-e --erase': '+change',
      '-U --upgrade': '+change',
      '-F --freshen': '+change',
      '--install': '+change',
      '--import': '+change',
      '--rebuilddb': '+change',
      '--initdb': '+change',
      '--reinstall': '+change',
      '-V --verify': '+hook',
      '--setperms': '+change',
      '--setugids': '+change',
    },
    operands: 'value*',
    does: 'change privilege execute',
    variants: [
      {
        has: '-e -U -F --install --import --rebuilddb --initdb --reinstall --setperms --setugids',
        does: 'change privilege execute',
      },
      { has: '-q --query --version --help --showrc --querytags -K --checksig', does: '', class: 'list' },
    ],
    examples: {
      readOnly: [
        'rpm -qa',
        'rpm -qi bash',
        'rpm -ql bash',
        'rpm -qf /bin/ls',
        'rpm -q --changelog bash',
        'rpm --version',
      ],
      notReadOnly: [
        'rpm -i x.rpm',
        'rpm -Uvh x.rpm',
        "rpm --eval '%(id)'",
        'rpm -qa --pipe sh',
        "rpm -q -D '%x %(id)' bash",
        'rpm -e x',
        'rpm -V bash',
      ],
    },
  },
  dnf: manager(
    'manage packages',
    {
      shows: 'help',
      fetches: 'list info search repolist repoquery provides whatprovides deplist check-update updateinfo grouplist',
      changes:
        'install remove erase upgrade update downgrade reinstall autoremove distro-sync clean makecache ' +
        'group module history mark swap download builddep config-manager copr localinstall groupinstall ' +
        'upgrade-minimal',
      runs: 'shell',
    },
    {
      readOnly: ['dnf list installed', 'dnf info bash', 'dnf search x', 'dnf repolist', 'dnf --version'],
      notReadOnly: [
        'dnf install x',
        'dnf clean all',
        'dnf --setopt=pluginpath=x list',
        'dnf -c f list',
        'dnf history undo 1',
      ],
    },
  ),
  yum: 'dnf',
  microdnf: 'dnf',
  zypper: manager(
    'manage packages',
    {
      shows: 'help',
      fetches: 'search se info if list-updates lu packages pa repos lr patches what-provides wp',
      changes:
        'install in remove rm update up dist-upgrade dup refresh ref addrepo ar removerepo rr patch clean ' +
        'cc addlock al verify ve source-install si',
    },
    { readOnly: ['zypper search x', 'zypper info bash', 'zypper lr'], notReadOnly: ['zypper install x', 'zypper ref'] },
  ),
  pacman: {
    summary: 'manage packages',
    class: 'privilege',
    exactLong: true,
    flags:
      '-V --version -h --help -Ss -Si -Sl -Sg -Q --query -F --files -T --deptest -q --quiet -s --search -i ' +
      '--info -l --list -o --owns -e --explicit -d --deps -t --unrequired -u --upgrades -k --check -m ' +
      '--foreign -n --native -g --groups -p --print -v --verbose --noconfirm -c --changelog',
    values: '--color --print-format',
    options: {
      '-S --sync': '+hook',
      '-R --remove': '+change',
      '-U --upgrade': '+change',
      '-D --database': '+change',
      '-y --refresh': '+change',
      '--config': 'hook',
      '-r --root': 'unknown',
      '-b --dbpath': 'unknown',
      '--hookdir': 'hook',
      '--gpgdir': 'unknown',
      '--logfile': 'write',
    },
    operands: 'value*',
    does: 'change privilege execute network',
    variants: [
      { has: '-S -R -U -D -y', does: 'change privilege execute network' },
      { has: '-Ss -Si -Sl -Sg -Q --query -V --version -h --help -T --deptest -F --files', does: '', class: 'list' },
    ],
    examples: {
      readOnly: ['pacman -Q', 'pacman -Qi bash', 'pacman -Ql bash', 'pacman -Qs x', 'pacman -Ss x', 'pacman -V'],
      notReadOnly: ['pacman -S x', 'pacman -Syu', 'pacman -R x', 'pacman -Fy', 'pacman --config f -Q'],
    },
  },
  apk: manager(
    'manage packages',
    {
      shows: 'info list version policy stats search dot',
      changes: 'add del update upgrade fix cache fetch audit verify',
    },
    {
      readOnly: ['apk info', 'apk list --installed', 'apk search x', 'apk --version'],
      notReadOnly: ['apk add x', 'apk update', 'apk -p d info'],
    },
    { options: { '-p --root': 'unknown', '-X --repository': 'network', '--keys-dir': 'unknown' } },
  ),
  brew: {
    summary: 'manage packages',
    class: 'list',
    style: 'posix',
    flags: '--prefix --cellar --cache --repository --version -v --config --help -h --taps --caskroom',
    subcommands: {
      ...named(
        'list ls config deps uses leaves desc outdated info search options log missing tap-info commands ' +
          'formulae casks',
        part('show packages', 'network', {
          flags:
            '-1 -l -r -t -v --versions --formula --formulae --cask --casks --json --full-name --installed ' +
            '--tree --multiple --pinned -q --quiet --verbose --all',
          optional: '--json --installed',
          does: 'fetch',
        }),
      ),
      ...named(
        'install uninstall remove rm reinstall upgrade update tap untap link unlink pin unpin cleanup ' +
          'autoremove migrate postinstall fetch analytics switch',
        part('change packages', 'write', { style: 'none', does: 'change network execute' }),
      ),
      ...named(
        'services bundle sh ruby irb edit create test audit doctor home',
        part('run code', 'execute', { style: 'none', does: 'change network execute' }),
      ),
    },
    examples: {
      readOnly: [
        'brew list',
        'brew info x',
        'brew search x',
        'brew --version',
        'brew --prefix',
        'brew deps --tree x',
        'brew outdated',
      ],
      notReadOnly: ['brew install x', 'brew update', 'brew services start x', 'brew edit x'],
    },
  },
  port: manager(
    'manage packages',
    {
      shows: 'installed contents info list search deps outdated variants provides version',
      changes: 'install uninstall upgrade selfupdate sync clean activate deactivate',
    },
    { readOnly: ['port installed', 'port search x'], notReadOnly: ['port install x'] },
  ),
  snap: manager(
    'manage packages',
    {
      shows: 'list services changes connections interfaces version tasks',
      fetches: 'find info search',
      changes:
        'install remove refresh revert enable disable start stop restart connect disconnect set unset get ' +
        'alias unalias login logout save restore forget ack try download switch',
      runs: 'run',
    },
    {
      readOnly: ['snap list', 'snap info x', 'snap version', 'snap find x'],
      notReadOnly: ['snap install x', 'snap run x', 'snap remove x'],
    },
  ),
  flatpak: manager(
    'manage packages',
    {
      shows: 'list info history remotes ps config permissions',
      fetches: 'search remote-ls remote-info',
      changes: 'install uninstall update remote-add remote-delete remote-modify override mask repair kill make-current',
      runs: 'run enter build build-init build-finish build-export',
    },
    {
      readOnly: ['flatpak list', 'flatpak info x', 'flatpak search x'],
      notReadOnly: ['flatpak install x', 'flatpak run x'],
    },
  ),
  softwareupdate: {
    summary: 'manage updates of macOS',
    class: 'list',
    flags: '-l --list',
    operands: '',
    does: 'change network',
    variants: [{ has: '-l --list', does: 'fetch' }],
    examples: { readOnly: ['softwareupdate -l'], notReadOnly: ['softwareupdate -i -a'] },
  },
  'update-alternatives': {
    summary: 'choose between programs',
    class: 'list',
    style: 'posix',
    exactLong: true,
    flags: '--display --list --query --get-selections --version --help --verbose --quiet',
    options: {
      '--install': '+change',
      '--remove': '+change',
      '--remove-all': '+change',
      '--set': '+change',
      '--set-selections': '+change',
      '--auto': '+change',
      '--config': '+change',
      '--all': '+change',
      '--altdir': 'unknown',
      '--admindir': 'unknown',
      '--log': 'write',
    },
    operands: 'value*',
    examples: {
      readOnly: ['update-alternatives --display editor', 'update-alternatives --list editor'],
      notReadOnly: [
        'update-alternatives --set editor /bin/x',
        'update-alternatives --config editor',
        'update-alternatives --log f --list x',
      ],
    },
  },
  alternatives: 'update-alternatives',
};
