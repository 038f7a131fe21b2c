// npm and npx: rows of data. npm reads a project's .npmrc, which names hosts and programs but runs nothing in
// the read-only subcommands here. nopt lets any flag take `false`, so `--help` with operands proves nothing.

import type { CommandFamily, CommandSpec, OptionForm } from './spec.ts';
import { helped, INSTALLS, informs, joined, named, sub } from './tool-rows.ts';

const HELP = '-h -H --help --usage';
const FLAGS =
  '--json --long -l --parseable -p --porcelain --all -a --global -g --silent -s --quiet -q --verbose -d --unicode --no-unicode --no-color --offline --prefer-offline --prefer-online --production --prod --dev --workspaces --ws --include-workspace-root --iwr --progress --no-progress --package-lock-only --no-package-lock --audit --no-audit --fund --no-fund --legacy-peer-deps --strict-peer-deps --force -f --expect-results --description --no-description --desc --if-present --ignore-scripts --foreground-scripts --no-update-notifier --update-notifier --install-links --no-optional --local --no-workspaces --omit-lockfile-registry-resolved --yes -y --no-yes -n --no';
const VALUES =
  '--depth --omit --include --only --also --loglevel --workspace -w --scope --tag --searchlimit --searchopts --searchexclude --searchstaleness --audit-level --before --otp --fetch-timeout --fetch-retries --fetch-retry-mintimeout --fetch-retry-maxtimeout --maxsockets --heading --lockfile-version --sbom-format --sbom-type --location -L --expect-result-count --install-strategy --cpu --os --libc';
// `git`, `browser`, `editor`, `viewer` and the shells are programs that some subcommands start.
const OPTIONS: Readonly<Record<string, OptionForm>> = {
  '--color': 'value?',
  '--prefix -C': 'read',
  '--registry --reg': 'url',
  '--proxy --https-proxy': 'url',
  '--cafile': 'read',
  '--userconfig --globalconfig': 'hook',
  '--node-options': 'hook',
  '--cache --logs-dir': 'write/',
  '--timing': '+change',
  '--git --node-gyp --script-shell --shell --editor --browser --viewer': 'program',
  '--init-module': 'library',
};

function npmRow(summary: string, kind: CommandSpec['class'], parts: Partial<CommandSpec> = {}): CommandSpec {
  return helped(
    summary,
    kind,
    {
      operands: '',
      ...parts,
      flags: joined(FLAGS, parts.flags),
      values: joined(VALUES, parts.values),
      options: { ...OPTIONS, ...parts.options },
    },
    HELP,
  );
}

const fetches = (summary: string, operands = 'value*'): CommandSpec =>
  npmRow(summary, 'network', { does: 'network', operands, program: 'npm-registry' });
const publishes = (summary: string): CommandSpec =>
  npmRow(summary, 'network', { does: 'change network', operands: 'value*' });
const lists = (summary: string, operands = 'value*'): CommandSpec => npmRow(summary, 'list', { operands });

const installs = npmRow('change the installed packages', 'execute', {
  does: INSTALLS,
  operands: 'value*',
  flags:
    '--save -S --save-dev -D --save-exact -E --save-optional -O --save-prod -P --save-bundle -B --save-peer --no-save --no-bin-links --dry-run --engine-strict --rebuild-bundle --prefer-dedupe --no-shrinkwrap',
  options: { '--prefix -C': 'write/', '--save-prefix': 'value', '--allow-scripts': 'value' },
});
const scripts = npmRow('run a script of the package', 'execute', { does: 'execute', operands: 'value*' });
const opensBrowser = npmRow('open a page of a package in the browser', 'execute', {
  does: 'execute network',
  operands: 'value*',
});

export const npm: CommandFamily = {
  npm: {
    ownState: true,
    summary: 'manage Node.js packages',
    class: 'neutral',
    style: 'posix',
    exactLong: true,
    flags: joined(FLAGS, HELP, '-v --version --versions'),
    values: VALUES,
    options: OPTIONS,
    subcommands: {
      ...named('ls list ll la', lists('list installed packages')),
      ...named('explain why', lists('say why a package is installed')),
      query: lists('list packages that match a selector'),
      'find-dupes': fetches('list packages that could be shared', ''),
      sbom: lists('print a bill of materials', ''),
      ...named('root prefix bin', npmRow('print a folder of npm', 'read')),
      ...named(
        'view info show v',
        npmRow('show a package of the registry', 'network', {
          does: 'network',
          operands: 'value*',
          program: 'package-spec',
        }),
      ),
      outdated: fetches('list outdated packages'),
      ...named('search s se find', fetches('search the registry')),
      ...named('ping whoami', fetches('ask the registry', '')),
      stars: fetches('list favourite packages'),
      // With a package name it opens a browser, which a project's .npmrc may name.
      fund: npmRow('list packages that ask for funding', 'list', { values: '--which', operands: 'hook*' }),
      ...named(
        'help hlep',
        // `npm help topic` starts man, or the `browser` that a project's .npmrc names.
        npmRow('show help', 'neutral', { operands: 'hook*' }),
      ),
      'help-search': lists('search the help'),
      audit: npmRow('report known vulnerabilities', 'network', {
        does: 'network',
        program: 'npm-registry',
        subcommands: {
          fix: npmRow('install fixed versions', 'execute', { does: INSTALLS, flags: '--dry-run', operands: 'value*' }),
          signatures: fetches('check signatures of packages', ''),
        },
      }),
      ...named(
        'config c',
        npmRow('read or change settings', 'read', {
          subcommands: {
            get: npmRow('print settings', 'read', { operands: 'value*' }),
            ...named('list ls', npmRow('print settings', 'read')),
            ...named(
              'set delete rm del fix',
              npmRow('change settings', 'write', { does: 'change', operands: 'value*' }),
            ),
            edit: npmRow('edit settings in an editor', 'execute', { does: 'change execute' }),
          },
        }),
      ),
      get: npmRow('print settings', 'read', { operands: 'value*' }),
      set: npmRow('change settings', 'write', { does: 'change', operands: 'value*' }),
      pkg: npmRow('read or change package.json', 'read', {
        subcommands: {
          get: npmRow('print fields of package.json', 'read', { operands: 'value*' }),
          ...named('set delete fix', npmRow('change package.json', 'write', { does: 'change', operands: 'value*' })),
        },
      }),
      cache: npmRow('look after the cache', 'read', {
        subcommands: {
          ls: lists('list the cache'),
          ...named(
            'add clean clear rm verify npx',
            npmRow('change the cache', 'write', { does: 'change network', operands: 'value*' }),
          ),
        },
      }),
      ...named(
        'owner author',
        npmRow('owners of a package', 'network', {
          subcommands: {
            ...named('ls list', fetches('list owners')),
            ...named('add rm remove', publishes('change owners')),
          },
        }),
      ),
      ...named(
        'dist-tag dist-tags',
        npmRow('tags of a package', 'network', {
          subcommands: {
            ...named('ls list', fetches('list tags')),
            ...named('add set rm remove', publishes('change tags')),
          },
        }),
      ),
      ...named(
        'install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic install-clean isntall-clean install-test it install-ci-test cit clean-install-test sit update up upgrade udpate u uninstall un unlink remove rm r dedupe ddp prune rebuild rb link ln shrinkwrap approve-scripts deny-scripts',
        installs,
      ),
      ...named(
        'init create innit',
        npmRow('create a package, or run an initializer', 'execute', {
          does: INSTALLS,
          operands: 'value*',
          values: '--init-author-name --init-license --init-version --init-type',
        }),
      ),
      // Alone it lists the scripts.
      ...named('run run-script rum urn', { ...scripts, class: 'list', alone: '' }),
      ...named('test t tst start stop restart', scripts),
      ...named(
        'exec x',
        npmRow('run a command of a package', 'execute', {
          does: 'execute network',
          options: { '-c --call': 'shell', '--package': 'value' },
          operands: 'value*',
          program: 'package-runner',
        }),
      ),
      explore: npmRow('run a command in the folder of a package', 'execute', {
        does: 'execute',
        operands: 'value command*',
      }),
      // Its prepare scripts run even with --dry-run.
      ...named(
        'pack publish',
        npmRow('pack or publish the package', 'execute', {
          does: INSTALLS,
          operands: 'value*',
          flags: '--dry-run',
          options: { '--pack-destination': 'write' },
        }),
      ),
      // Alone it prints versions; otherwise it edits, commits and tags.
      ...named(
        'version verison',
        npmRow('print or change the version', 'read', {
          does: 'change execute',
          alone: '',
          operands: 'value*',
          flags: '--no-git-tag-version --allow-same-version',
          values: '-m --message --preid',
        }),
      ),
      diff: npmRow('compare packages', 'execute', { does: 'network execute', operands: 'value*' }),
      doctor: npmRow('check the installation', 'network', { does: 'change network', operands: 'value*' }),
      token: npmRow('look after tokens', 'network', { does: 'change network secret', operands: 'value*' }),
      ...named(
        'unpublish deprecate undeprecate star unstar adduser add-user login logout access team org ogr hook profile stage trust',
        publishes('change the registry'),
      ),
      ...named('bugs issues docs home repo', opensBrowser),
      edit: npmRow('edit an installed package', 'execute', { does: INSTALLS, operands: 'value*' }),
    },
    examples: {
      readOnly: [
        'npm --version',
        'npm -v',
        'npm ls --depth=0',
        'npm list -g --json',
        'npm ls react --all',
        'npm why lodash',
        'npm root -g',
        'npm config get registry',
        'npm config list',
        'npm run',
        'npm pkg get name version',
        'npm help',
        'npm install --help',
        'npm version',
      ],
      notReadOnly: [
        'npm search left-pad',
        'npm audit --json --omit=dev',
        'npm audit',
        'npm outdated',
        'npm info typescript dist-tags --json',
        'npm view react version',
        'npm install',
        'npm i -g x',
        'npm ci',
        'npm run build',
        'npm test',
        'npm t',
        'npm exec -- rimraf dist',
        "npm exec -c 'rm -rf x'",
        'npm audit fix',
        'npm config set registry http://x',
        'npm config edit',
        'npm pkg set name=x',
        'npm version patch',
        'npm pack --dry-run',
        'npm help install',
        'npm fund react',
        'npm docs react',
        'npm explore react -- rm x',
        'npm ls --cache=/tmp/x',
        'npm ls --node-options=--require=./x.js',
        'npm cache clean --force',
        'npm install --help false',
        'npm unheard-of',
      ],
    },
  },
  npx: {
    ownState: true,
    ...sub('run a command of a package, fetched when missing', 'execute', {
      style: 'posix',
      flags:
        '-y --yes --no --no-install -q --quiet -s --silent --offline --prefer-offline --prefer-online --ignore-existing --no-progress --workspaces --ws -v --version -h --help',
      values: '-p --package --loglevel -w --workspace',
      options: {
        '-c --call': 'shell',
        '--shell --script-shell': 'program',
        '--node-options -n --node-arg': 'hook',
        '--registry': 'url',
        '--userconfig': 'hook',
        '--cache': 'write/',
        '--prefix': 'read',
      },
      operands: 'value*',
      does: 'execute network',
      variants: [informs('-v --version -h --help')],
      program: 'package-runner',
    }),
    examples: {
      readOnly: ['npx --version', 'npx --help'],
      notReadOnly: [
        'npx',
        'npx tsc --noEmit',
        'npx -y create-vite@5 app',
        "npx -c 'rm x'",
        'npx ls',
        'npx --version ls',
      ],
    },
  },
};
