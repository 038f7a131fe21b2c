// docker, podman and similar. Data comes from the local daemon; commands inside run in a container.

import { part, type RowDetails } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { named } from './tool-rows.ts';

const FORMAT = '--format';

function shows(summary: string, flags = '', values = FORMAT, details: RowDetails = {}): CommandSpec {
  return part(summary, 'list', { flags, values, ...details });
}

function changes(summary: string, flags = '', details: RowDetails = {}): CommandSpec {
  return part(summary, 'write', { flags, does: 'change', ...details });
}

const run = part('run a command in a new container', 'execute', {
  style: 'posix',
  flags:
    '-d --detach -i --interactive -t --tty -it -ti --rm --init --no-healthcheck --oom-kill-disable -P ' +
    '--publish-all -q --quiet --read-only --sig-proxy --disable-content-trust --replace --tls-verify ' +
    '--no-hosts',
  values:
    '--add-host --annotation -a --attach --blkio-weight --cap-drop --cgroup-parent -c --cpu-shares --cpus ' +
    '--cpu-period --cpu-quota --cpuset-cpus --cpuset-mems --detach-keys --dns --dns-option --dns-search ' +
    '--domainname -e --env --expose --group-add --health-interval --health-retries --health-timeout -h ' +
    '--hostname --ip --ip6 --ipc --isolation --kernel-memory -l --label --link --log-driver --log-opt ' +
    '--mac-address -m --memory --memory-reservation --memory-swap --memory-swappiness --name --network ' +
    '--net --network-alias --oom-score-adj --pids-limit --platform -p --publish --pull --restart --shm-size ' +
    '--stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit -u --user --uts --volume-driver ' +
    '-w --workdir --gpus --arch --os --secret --requires --pod --arch',
  options: {
    '-v --volume': 'value',
    '--mount': 'value',
    '--entrypoint': 'value',
    '--cidfile': 'write',
    '--iidfile': 'write',
    '--pidfile': 'write',
    '--env-file': 'read',
    '--label-file': 'read',
    '--health-cmd': 'unknown',
    '--privileged': '+privilege',
    '--cap-add': 'unknown',
    '--security-opt': 'unknown',
    '--device': 'unknown',
    '--device-cgroup-rule': 'unknown',
    '--pid': 'unknown',
    '--userns': 'unknown',
    '--cgroupns': 'unknown',
    '--runtime': 'unknown',
    '--volumes-from': 'unknown',
  },
  does: 'change network execute',
  program: 'docker',
});

const exec = part('run a command in a container', 'execute', {
  style: 'posix',
  flags: '-d --detach -i --interactive -t --tty -it -ti -T --no-TTY --no-tty -l --latest',
  values: '--detach-keys -e --env -u --user -w --workdir --index',
  options: { '--env-file': 'read', '--privileged': '+privilege' },
  does: 'execute',
  program: 'docker',
});

const build = part('build an image', 'execute', {
  flags:
    '--no-cache --pull -q --quiet --rm --force-rm --squash --compress --load --push --no-cache-filter ' +
    '--check -D --debug',
  values:
    '--add-host --build-arg --cache-from --cache-to --label -m --memory --memory-swap --network --platform ' +
    '--progress --shm-size -t --tag --target --ulimit --builder --attest --sbom --provenance --annotation',
  options: {
    '-f --file': 'read',
    '--iidfile': 'write',
    '--metadata-file': 'write',
    '-o --output': 'write/',
    '--secret': 'value',
    '--ssh': 'value',
    '--build-context': 'value',
    '--allow': 'unknown',
    '-v --volume': 'unknown',
  },
  operands: 'read/',
  does: 'change network execute',
});

const LIST = '-a --all -q --quiet --no-trunc --noheading -l --latest -s --size --digests --tree --orphans -n';
const listContainers = shows('list containers', LIST, '-f --filter --format -n --last --sort');
const listImages = shows('list images', LIST, '-f --filter --format --sort');
const listObjects = shows('list', LIST, '-f --filter --format');
const inspect = shows('show details', '-s --size -l --latest -v --verbose', '-f --format --type --platform');
const logs = shows(
  'show what a container printed',
  '--details -f --follow -t --timestamps -l --latest --names --color --no-color --no-log-prefix',
  '--since -n --tail --until --index',
);
// Further words are options of ps, one of which prints environments.
const top = shows('show processes of a container', '-l --latest', '', { style: 'posix', operands: 'value unknown*' });
const stats = shows(
  'show resources in use',
  '-a --all --no-stream --no-trunc --no-reset -l --latest',
  '--format -i --interval',
);
const port = shows('show published ports', '-a --all -l --latest', '--protocol --index');
const history = shows('show the history of an image', '-H --human --no-trunc -q --quiet', '--format --platform');
const diff = shows('show changed files', '-l --latest', FORMAT);
const save = part('write images to a file', 'write', {
  flags: '-q --quiet --compress -m',
  values: '--format --platform',
  options: { '-o --output': 'write' },
});
const load = changes('load an image', '-q --quiet', { options: { '-i --input': 'read' } });
const pull = part('download an image', 'write', {
  flags: '-a --all-tags -q --quiet --disable-content-trust --ignore-buildable --include-deps --ignore-pull-failures',
  values: '--platform --policy',
  does: 'change network',
});
const push = part('upload an image', 'network', {
  flags: '-a --all-tags -q --quiet --disable-content-trust',
  values: '--platform',
  does: 'change network',
});
const removal = part('remove', 'delete', {
  flags: '-f --force -v --volumes -l --link -a --all -s --stop',
  values: '--filter -t --time --timeout',
  does: 'change',
});
const control = changes('control containers', '-a --all -i --interactive --attach -l --latest', {
  values: '-t --time --timeout -s --signal --detach-keys',
});

const containerCommands: Readonly<Record<string, CommandSpec | string>> = {
  run,
  exec,
  create: run,
  ...named('ls list ps', listContainers),
  inspect,
  logs,
  top,
  stats,
  port,
  diff,
  ...named('rm prune', removal),
  ...named('start stop restart kill pause unpause wait attach rename update commit checkpoint restore', control),
  cp: part('copy files to or from a container', 'write', {
    flags: '-a --archive -L --follow-link -q --quiet',
    values: '--index',
    does: 'change',
    program: 'docker-copy',
  }),
  export: save,
  exists: shows('tell whether it exists'),
};

const imageCommands: Readonly<Record<string, CommandSpec | string>> = {
  ...named('ls list', listImages),
  inspect,
  history,
  build,
  ...named('rm prune', removal),
  pull,
  push,
  save,
  load,
  ...named('tag import untag', changes('change images', '', { values: '-c --change -m --message --platform' })),
  exists: shows('tell whether it exists'),
  tree: shows('show layers'),
};

const objectCommands: Readonly<Record<string, CommandSpec | string>> = {
  ...named('ls list', listObjects),
  inspect,
  ps: listObjects,
  exists: shows('tell whether it exists'),
  ...named(
    'create rm prune connect disconnect update use import export reload',
    changes('change', '-f --force -a --all', { values: '-d --driver -o --opt --label --subnet --gateway --filter' }),
  ),
};

function group(summary: string, subcommands: Readonly<Record<string, CommandSpec | string>>): CommandSpec {
  return part(summary, 'list', { style: 'posix', subcommands });
}

const COMPOSE_GLOBAL: RowDetails = {
  style: 'posix',
  flags: '--compatibility --dry-run --all-resources -v --version --verbose --help -h --no-ansi',
  values: '--ansi --parallel --profile --progress -p --project-name',
  options: {
    '-f --file': 'read',
    '--env-file': 'read',
    '--project-directory': 'value',
    '-H --host': 'network',
    '-c --context': 'network',
  },
};

const composeCommands: Readonly<Record<string, CommandSpec | string>> = {
  ps: shows(
    'list containers of the project',
    '-a --all -q --quiet --services --no-trunc --orphans',
    '--filter --format --status',
  ),
  ls: shows('list projects', '-a --all -q --quiet', '--filter --format'),
  logs,
  images: shows('list images of the project', '-q --quiet'),
  top: shows('show processes of the project', ''),
  stats,
  port,
  version: shows('show the version', '--short', '-f --format'),
  volumes: shows('list volumes of the project', '-q --quiet'),
  // The resolved file contains the values of variables.
  ...named(
    'config convert',
    part('print the resolved project', 'read', {
      flags:
        '-q --quiet --services --images --volumes --networks --profiles --no-interpolate --no-normalize ' +
        '--resolve-image-digests --no-consistency --no-path-resolution --environment --variables --hash ' +
        '--lock-image-digests',
      values: '--format',
      options: { '-o --output': 'write' },
      does: 'secret',
      variants: [
        { has: '--environment', does: 'secret' },
        { has: '-q --quiet --services --images --volumes --profiles --no-interpolate', does: '' },
      ],
    }),
  ),
  exec,
  run,
  build: part('build images of the project', 'execute', {
    flags: '--no-cache --pull --push -q --quiet --with-dependencies',
    values: '--build-arg -m --memory --progress --ssh --builder',
    does: 'change network execute',
  }),
  up: part('start the project', 'execute', {
    flags:
      '-d --detach --build --no-build --force-recreate --no-recreate --no-deps --remove-orphans --wait -V ' +
      '--renew-anon-volumes --quiet-pull --abort-on-container-exit --always-recreate-deps --no-start ' +
      '--no-color --no-log-prefix --timestamps -w --watch -y',
    values: '--scale -t --timeout --pull --exit-code-from --attach --no-attach --wait-timeout',
    does: 'change network execute',
  }),
  down: part('stop and remove the project', 'delete', {
    flags: '-v --volumes --remove-orphans',
    values: '--rmi -t --timeout',
    does: 'change',
  }),
  ...named(
    'start stop restart pause unpause kill rm create scale watch wait attach',
    changes('control the project', '-f --force -s --stop -v --volumes --no-deps', { values: '-t --timeout --signal' }),
  ),
  pull,
  push,
  cp: part('copy files to or from a service', 'write', {
    flags: '-a --archive -L --follow-link',
    values: '--index',
    does: 'change',
    program: 'docker-copy',
  }),
  events: shows('show events', '--json'),
};

const system = group('show or change docker itself', {
  df: shows('show disk use', '-v --verbose'),
  info: shows('show the system', '', '-f --format'),
  events: shows('show events', '', '-f --filter --since --until --format'),
  prune: removal,
  connection: group('list connections', { ...named('list ls', shows('list connections', '-q')) }),
});

const dockerCommands: Readonly<Record<string, CommandSpec | string>> = {
  run,
  create: run,
  exec,
  build,
  ps: listContainers,
  images: listImages,
  inspect,
  logs,
  top,
  stats,
  port,
  history,
  diff,
  info: shows('show the system', '', '-f --format'),
  version: shows('show the version', '', '-f --format'),
  events: shows('show events', '', '-f --filter --since --until --format'),
  search: part('search a registry', 'network', {
    flags: '--no-trunc --list-tags',
    values: '-f --filter --format --limit',
    does: 'network',
  }),
  container: group('containers', containerCommands),
  image: group('images', imageCommands),
  volume: group('manage volumes', objectCommands),
  network: group('networks', objectCommands),
  context: group('contexts', { ...objectCommands, show: shows('print the current context') }),
  plugin: group('plugins', {
    ...named('ls list inspect', listObjects),
    ...named('install enable disable rm set upgrade create push', changes('change plugins')),
  }),
  ...named(
    'node service stack config secret swarm',
    group('swarm objects', {
      ...named('ls inspect ps services', listObjects),
      logs,
      ...named('create rm update scale deploy rollback init join leave promote demote', changes('change the swarm')),
    }),
  ),
  ...named(
    'pod machine',
    group('pods and machines', {
      ...named('ls list ps', listObjects),
      inspect,
      top,
      stats,
      logs,
      ...named('create rm start stop restart kill prune init set', changes('change')),
      exists: shows('tell whether it exists'),
    }),
  ),
  manifest: group('manifests', {
    inspect: part('show a manifest', 'network', {
      flags: '-v --verbose --insecure',
      does: 'fetch',
      program: 'image-reference',
    }),
    ...named('create annotate push rm add', part('change manifests', 'write', { does: 'change network' })),
  }),
  system,
  builder: group('builders', { build, prune: removal }),
  buildx: group('builders', {
    build,
    ...named('ls version inspect du', shows('show builders', '--bootstrap --verbose', '--format --filter --builder')),
    bake: part('build from a file', 'execute', { does: 'change network execute' }),
    ...named(
      'create rm use stop prune imagetools history',
      part('change builders', 'write', { does: 'change network' }),
    ),
  }),
  compose: part('projects of several containers', 'list', { ...COMPOSE_GLOBAL, subcommands: composeCommands }),
  scout: part('scan images', 'network', { does: 'network' }),
  login: part('log in to a registry', 'write', {
    flags: '--password-stdin',
    values: '-u --username -p --password',
    does: 'change network',
  }),
  logout: changes('log out of a registry'),
  pull,
  push,
  save,
  load,
  export: save,
  ...named('rm rmi', removal),
  ...named('start stop restart kill pause unpause wait attach rename update commit', control),
  ...named('tag import untag', changes('change images', '', { values: '-c --change -m --message --platform' })),
  cp: part('copy files to or from a container', 'write', {
    flags: '-a --archive -L --follow-link -q --quiet',
    does: 'change',
    program: 'docker-copy',
  }),
  exists: shows('tell whether it exists'),
  ...named('generate play kube', part('make containers from files', 'execute', { does: 'change execute' })),
};

const DOCKER_GLOBAL: RowDetails = {
  style: 'posix',
  exactLong: true,
  flags: '-D --debug --tls --tlsverify -v --version --help',
  values: '-l --log-level --namespace -n',
  options: {
    // Credential helpers and plugins come from there.
    '--config': 'hook',
    '-H --host --url': 'network',
    '-c --context': 'network',
    '--connection': 'network',
    '-r --remote': '+network',
    '--tlscacert': 'read',
    '--tlscert': 'read',
    '--tlskey': 'read',
    '--root --runroot --runtime --hooks-dir --module --conmon': 'unknown',
  },
};

export const containers: CommandFamily = {
  docker: {
    ...DOCKER_GLOBAL,
    summary: 'containers',
    class: 'list',
    subcommands: dockerCommands,
    examples: {
      readOnly: [
        'docker ps',
        "docker ps -a --format '{{.Names}}'",
        'docker images',
        'docker inspect web',
        'docker logs --tail 100 web',
        'docker version',
        'docker info',
        'docker container ls -q',
        'docker image ls',
        'docker network ls',
        'docker volume inspect v',
        'docker stats --no-stream',
        'docker top web',
        'docker history i',
        'docker port web',
        'docker diff web',
        'docker compose ps',
        'docker compose -f c.yml logs --tail=5 web',
        'docker compose config --quiet',
        'docker compose config --services',
        'docker system df',
        'docker --version',
        'docker context ls',
        'docker run --help',
      ],
      notReadOnly: [
        'docker run alpine ls',
        'docker exec web ls',
        'docker rm web',
        'docker build .',
        'docker pull alpine',
        'docker run -v /:/h alpine rm -rf /h',
        'docker --config d ps',
        'docker -H tcp://h ps',
        'docker compose up -d',
        'docker compose config',
        'docker system prune -f',
        'docker cp web:/a b',
        'docker save -o f i',
        'docker top web e',
        'docker compose exec web rm x',
        'docker volume rm v',
        'docker unknown-plugin',
      ],
    },
  },
  podman: 'docker',
  nerdctl: 'docker',
  'docker-compose': {
    ...COMPOSE_GLOBAL,
    summary: 'projects of several containers',
    class: 'list',
    exactLong: true,
    subcommands: composeCommands,
    examples: {
      readOnly: ['docker-compose ps', 'docker-compose -f c.yml logs web', 'docker-compose version'],
      notReadOnly: [
        'docker-compose up',
        'docker-compose run web ls',
        'docker-compose down -v',
        'docker-compose exec web sh',
      ],
    },
  },
  'podman-compose': 'docker-compose',
  buildah: {
    summary: 'build container images',
    class: 'list',
    style: 'posix',
    flags: '--version --help --debug',
    options: { '--root --runroot --storage-opt --registries-conf': 'unknown' },
    subcommands: {
      ...named(
        'images containers version info inspect',
        shows('show images and containers', LIST, '-f --filter --format --type -t'),
      ),
      ...named(
        'bud build from commit copy add config rm rmi push pull mount umount tag unshare',
        part('change images', 'execute', { does: 'change network execute' }),
      ),
      run: part('run a command in a container', 'execute', {
        style: 'posix',
        flags: '-t --tty --terminal',
        values: '--user --workingdir',
        does: 'change execute',
        program: 'docker',
        options: { '-v --volume': 'value', '--mount': 'value' },
      }),
    },
    examples: { readOnly: ['buildah images', 'buildah --version'], notReadOnly: ['buildah bud .', 'buildah run c ls'] },
  },
  skopeo: {
    summary: 'look at and copy container images',
    class: 'network',
    style: 'posix',
    flags: '--version --debug --help --insecure-policy',
    values: '--command-timeout --override-arch --override-os',
    options: { '--policy --registries.d --registries-conf': 'unknown' },
    subcommands: {
      ...named(
        'inspect list-tags',
        part('show an image', 'network', {
          flags: '--raw --config -n --no-tags',
          values: '--format --creds',
          does: 'fetch',
          program: 'image-reference',
        }),
      ),
      ...named(
        'copy sync delete login logout standalone-sign',
        part('change images', 'write', { does: 'change network' }),
      ),
    },
    examples: {
      readOnly: ['skopeo inspect docker://alpine', 'skopeo --version'],
      notReadOnly: ['skopeo copy docker://a dir:b', 'skopeo delete docker://a'],
    },
  },
};
