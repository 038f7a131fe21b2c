// kubectl, helm and other cluster tools. Their data is fetched from the cluster.

import { part, type RowDetails } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { joined, named } from './tool-rows.ts';

const GLOBAL_VALUES =
  '--as --as-group --as-uid --cluster --context -n --namespace --request-timeout --tls-server-name --token ' +
  '--user --username --password -v --v --vmodule --kube-context --log-flush-frequency';
const GLOBAL_FLAGS = '--insecure-skip-tls-verify --disable-compression --match-server-version --warnings-as-errors';
const GLOBAL_OPTIONS: RowDetails['options'] = {
  // The file may name a program that provides credentials.
  '--kubeconfig': 'hook',
  '-s --server': 'url',
  '--certificate-authority': 'read',
  '--client-certificate': 'read',
  '--client-key': 'read',
  '--cache-dir': 'unknown',
  '--profile-output': 'write',
};

/** A part of kubectl: its own options and the ones common to all parts. */
function kube(summary: string, kind: CommandSpec['class'], details: RowDetails = {}): CommandSpec {
  const flags = joined(GLOBAL_FLAGS, details.flags).split(' ');
  return part(summary, kind, {
    ...details,
    flags: flags.filter((name) => !name.startsWith('--')).join(' '),
    // `--watch=false`, `--no-headers=true`
    optional: flags.filter((name) => name.startsWith('--')).join(' '),
    values: joined(GLOBAL_VALUES, details.values),
    options: { ...GLOBAL_OPTIONS, ...details.options },
  });
}

const FILES: RowDetails['options'] = { '-f --filename': 'remote-read', '-k --kustomize': 'hook' };
const SHOW_FLAGS =
  '-A --all-namespaces -R --recursive -w --watch --watch-only --no-headers --show-labels --show-kind ' +
  '--show-managed-fields --ignore-not-found --output-watch-events --server-print ' +
  '--allow-missing-template-keys --show-events';
const SHOW_VALUES = '-l --selector --field-selector -L --label-columns --sort-by --subresource --chunk-size';

const changesCluster = kube('change the cluster', 'write', {
  flags:
    '-A --all-namespaces -R --recursive --all --force --now --wait --overwrite --record --server-side ' +
    '--force-conflicts --prune --local --ignore-not-found --ignore-daemonsets --delete-emptydir-data ' +
    '--save-config --windows-line-endings --cascade --from-literal',
  values:
    '-l --selector --field-selector -o --output --dry-run --grace-period --timeout --replicas --type -p ' +
    '--patch --image --port --from-literal --field-manager --validate --cascade --restart --env --labels ' +
    '--target-port --name --current-replicas --min --max --cpu-percent',
  options: { ...FILES, '--patch-file': 'read', '--from-file': 'read', '--from-env-file': 'read' },
  does: 'change network',
});

const kubectlCommands: Readonly<Record<string, CommandSpec | string>> = {
  get: kube('show resources', 'network', {
    flags: SHOW_FLAGS,
    values: SHOW_VALUES,
    options: { ...FILES, '-o --output': 'value', '--template': 'value', '--raw': 'network' },
    does: 'fetch',
    variants: [{ has: '--raw', does: 'network' }],
    program: 'kubectl-get',
  }),
  describe: kube('describe resources', 'network', {
    flags: SHOW_FLAGS,
    values: SHOW_VALUES,
    options: FILES,
    does: 'fetch',
  }),
  logs: kube('show logs', 'network', {
    flags:
      '--all-containers --all-pods -f --follow --ignore-errors --insecure-skip-tls-verify-backend --prefix ' +
      '-p --previous --timestamps',
    values:
      '-c --container --limit-bytes --max-log-requests --pod-running-timeout -l --selector --since --since-time --tail',
    does: 'fetch',
  }),
  top: kube('show resources in use', 'network', {
    flags: '-A --all-namespaces --containers --no-headers --sum --use-protocol-buffers --show-capacity --show-swap',
    values: '-l --selector --field-selector --sort-by',
    does: 'fetch',
  }),
  events: kube('show events', 'network', {
    flags: '-A --all-namespaces -w --watch --no-headers',
    values: '--for --types -o --output',
    does: 'fetch',
  }),
  explain: kube('explain a resource', 'network', {
    flags: '--recursive',
    values: '--api-version -o --output',
    does: 'fetch',
  }),
  'api-resources': kube('list kinds of resources', 'network', {
    flags: '--cached --namespaced --no-headers',
    values: '--api-group --categories -o --output --sort-by --verbs',
    does: 'fetch',
  }),
  'api-versions': kube('list versions', 'network', { does: 'fetch' }),
  version: kube('show the version', 'network', { flags: '--client --short', values: '-o --output', does: 'fetch' }),
  'cluster-info': kube('show the cluster', 'network', {
    style: 'posix',
    does: 'fetch',
    subcommands: {
      dump: kube('dump the cluster', 'network', {
        values: '--namespaces -o --output',
        flags: '-A --all-namespaces',
        options: { '--output-directory': 'write/' },
        does: 'network secret',
      }),
    },
  }),
  // The diff program comes from an environment variable.
  diff: kube('compare files with the cluster', 'network', {
    flags: '-R --recursive --server-side --show-managed-fields --force-conflicts --prune',
    values: '-l --selector --concurrency --field-manager',
    options: FILES,
    does: 'fetch',
  }),
  wait: kube('wait for a condition', 'network', {
    flags: '-A --all-namespaces --all -R --recursive --local',
    values: '-l --selector --field-selector --for --timeout -o --output',
    options: FILES,
    does: 'fetch',
  }),
  rollout: kube('rollouts', 'network', {
    style: 'posix',
    subcommands: {
      ...named(
        'status history',
        kube('show a rollout', 'network', {
          flags: '-w --watch -R --recursive',
          values: '--revision --timeout -l --selector -o --output',
          options: FILES,
          does: 'fetch',
        }),
      ),
      ...named('restart undo pause resume', changesCluster),
    },
  }),
  auth: kube('rights', 'network', {
    style: 'posix',
    subcommands: {
      ...named(
        'can-i whoami',
        kube('show rights', 'network', {
          flags: '-A --all-namespaces --list --no-headers -q --quiet',
          values: '--subresource -o --output',
          does: 'fetch',
        }),
      ),
      reconcile: changesCluster,
    },
  }),
  config: kube('client configuration', 'read', {
    style: 'posix',
    subcommands: {
      view: kube('print the configuration', 'read', {
        flags: '--minify --flatten --merge --allow-missing-template-keys',
        values: '-o --output',
        options: { '--raw': '+secret', '--template': 'secret' },
      }),
      ...named(
        'current-context get-contexts get-clusters get-users',
        kube('show the configuration', 'list', { flags: '--no-headers', values: '-o --output' }),
      ),
      ...named(
        'use-context use set set-context set-cluster set-credentials unset delete-context delete-cluster ' +
          'delete-user rename-context',
        kube('change the configuration', 'write', { does: 'change' }),
      ),
    },
  }),
  kustomize: kube('render resources', 'network', {
    flags: '--enable-managedby-label',
    values: '-e --env --load-restrictor --as-current-user',
    options: {
      '-o --output': 'write',
      '--enable-helm': '+hook',
      '--helm-command': 'program',
      '--enable-alpha-plugins': '+hook',
      '--enable-exec': '+hook',
      '--network': '+hook',
      '--mount': 'unknown',
    },
    operands: 'value',
    does: '',
    program: 'kustomize',
  }),
  completion: kube('print shell completion', 'neutral'),
  options: kube('list options', 'neutral'),
  plugin: kube('plugins', 'list', {
    style: 'posix',
    subcommands: { list: kube('list plugins', 'list', { flags: '--name-only' }) },
  }),
  exec: kube('run a command in a pod', 'execute', {
    flags: '-i --stdin -t --tty -it -ti -q --quiet',
    values: '-c --container --pod-running-timeout',
    options: { '-f --filename': 'read' },
    does: 'network execute',
    program: 'kubectl-exec',
  }),
  ...named(
    'run debug',
    kube('run a new pod', 'execute', {
      flags: '-i --stdin -t --tty -it --rm --attach --command --quiet',
      values:
        '--image --restart --env --labels --port --overrides -c --container --target --profile --dry-run -o ' +
        '--output --copy-to',
      options: { '--privileged': '+privilege' },
      does: 'change network execute',
    }),
  ),
  ...named(
    'attach port-forward proxy',
    kube('connect to the cluster', 'network', {
      flags: '-i --stdin -t --tty',
      values: '-c --container --address -p --port -w --www',
      does: 'network change',
    }),
  ),
  cp: kube('copy files to or from a pod', 'write', {
    flags: '--no-preserve',
    values: '-c --container --retries',
    does: 'change network',
    program: 'docker-copy',
  }),
  ...named(
    'apply create delete edit replace patch scale autoscale set label annotate expose cordon uncordon drain ' +
      'taint certificate',
    changesCluster,
  ),
};

const helmShow = part('show a chart', 'network', {
  flags: '--devel',
  values: '--version -o --output --username --jsonpath',
  options: { '--repo': 'url' },
  does: 'fetch',
  program: 'helm-chart',
});
const helmGlobalValues = '-n --namespace --kube-context --burst-limit --qps --kube-as-user --kube-token';
const helmRelease = part('show a release', 'network', {
  flags:
    '-a --all -A --all-namespaces -d --date --deployed --failed --pending -r --reverse -q --short ' +
    '--superseded --uninstalled --no-headers --show-desc --show-resources --debug --devel -l --versions ' +
    '--regexp',
  values: joined(
    helmGlobalValues,
    '-f --filter -m --max --offset -o --output --revision --template --time-format --selector --version',
  ),
  options: { '--kubeconfig': 'hook' },
  does: 'fetch',
});
const helmChange = part('change a release', 'execute', {
  flags:
    '--install -i --atomic --wait --force --create-namespace --dry-run --debug --reuse-values ' +
    '--reset-values --dependency-update --no-hooks --skip-crds --cleanup-on-fail --keep-history --devel ' +
    '--generate-name -g --replace --verify',
  values: joined(
    helmGlobalValues,
    '--set --set-string --set-json --timeout --version --repo --description --history-max -o --output ' +
      '--username --password',
  ),
  options: { '-f --values': 'read', '--set-file': 'read', '--post-renderer': 'program', '--kubeconfig': 'hook' },
  does: 'change network execute',
});

export const clusters: CommandFamily = {
  kubectl: {
    summary: 'clusters',
    class: 'network',
    style: 'posix',
    exactLong: true,
    flags: `${GLOBAL_FLAGS} --help -h`,
    values: GLOBAL_VALUES,
    options: GLOBAL_OPTIONS,
    subcommands: kubectlCommands,
    examples: {
      readOnly: [
        'kubectl get pods',
        'kubectl get pods -n x -o wide',
        'kubectl -n x get deploy web -o yaml',
        'kubectl get secrets',
        'kubectl describe pod web',
        'kubectl logs -f web --tail=10',
        'kubectl top nodes',
        'kubectl version --client',
        'kubectl config view',
        'kubectl config current-context',
        'kubectl explain pods.spec',
        'kubectl api-resources',
        'kubectl auth can-i get pods',
        'kubectl cluster-info',
        'kubectl diff -f a.yml',
        'kubectl rollout status deploy/web',
        'kubectl kustomize overlays/dev',
      ],
      notReadOnly: [
        'kubectl delete pod web',
        'kubectl apply -f a.yml',
        'kubectl exec web -- ls',
        'kubectl get secret x -o yaml',
        'kubectl get pods,secrets -o json',
        'kubectl config view --raw',
        'kubectl --kubeconfig f get pods',
        'kubectl get pods --kubeconfig=f',
        'kubectl cp web:/a b',
        'kubectl port-forward web 80',
        'kubectl rollout restart deploy/web',
        'kubectl get --raw /api',
        'kubectl cluster-info dump --output-directory d',
        'kubectl unknownplugin',
        'kubectl kustomize --enable-helm d',
        'kubectl kustomize github.com/a/b',
        'kubectl describe -f https://x.example/a.yml',
      ],
    },
  },
  oc: 'kubectl',
  helm: {
    summary: 'packages for clusters',
    class: 'network',
    style: 'posix',
    flags: '--debug --help -h --kube-insecure-skip-tls-verify',
    values: helmGlobalValues,
    options: { '--kubeconfig': 'hook', '--registry-config --repository-config --repository-cache': 'unknown' },
    subcommands: {
      ...named('list ls status history hist', helmRelease),
      get: part('show a release', 'network', {
        style: 'posix',
        subcommands: named('all values manifest hooks notes metadata', helmRelease),
      }),
      ...named(
        'show inspect',
        part('show a chart', 'network', {
          style: 'posix',
          subcommands: named('all chart values readme crds', helmShow),
        }),
      ),
      search: part('search charts', 'network', { style: 'posix', subcommands: named('repo hub', helmRelease) }),
      version: part('show the version', 'neutral', { flags: '--short', values: '--template' }),
      env: part('print the environment of helm', 'read'),
      lint: part('check a chart', 'read', {
        flags: '--strict --with-subcharts --quiet',
        values: '--set --set-string --kube-version',
        options: { '-f --values': 'read' },
        operands: 'read/*',
      }),
      template: part('render a chart', 'network', {
        flags:
          '--include-crds --debug --no-hooks --skip-tests --is-upgrade --validate --dependency-update ' +
          '--devel -g --generate-name',
        values: joined(
          helmGlobalValues,
          '--set --set-string --set-json --version --kube-version -a --api-versions -s --show-only ' +
            '--release-name --name-template',
        ),
        options: {
          '-f --values': 'read',
          '--set-file': 'read',
          '--output-dir': 'write/',
          '--post-renderer': 'program',
          '--post-renderer-args': 'value',
          '--kubeconfig': 'hook',
          '--repo': 'url',
        },
        does: 'fetch',
        program: 'helm-chart',
        variants: [{ has: '--dependency-update', does: 'network change' }],
      }),
      repo: part('repositories of charts', 'list', {
        style: 'posix',
        subcommands: {
          ...named('list ls', part('list repositories', 'list', { values: '-o --output' })),
          ...named('add update up remove rm index', part('change repositories', 'write', { does: 'change network' })),
        },
      }),
      ...named(
        'dependency dep dependencies',
        part('parts of a chart', 'list', {
          style: 'posix',
          subcommands: {
            ...named('list ls', part('list parts', 'list')),
            ...named('build update up', part('download parts', 'write', { does: 'change network' })),
          },
        }),
      ),
      plugin: part('plugins', 'list', {
        style: 'posix',
        subcommands: {
          ...named('list ls', part('list plugins', 'list')),
          ...named('install update uninstall', part('change plugins', 'execute', { does: 'change network execute' })),
        },
      }),
      ...named('install upgrade uninstall delete del un rollback test', helmChange),
      ...named(
        'pull fetch push package create registry',
        part('change charts', 'write', {
          flags: '--untar --devel',
          values: '--version --repo',
          options: { '-d --destination': 'write/', '--untardir': 'write/' },
          does: 'change network',
        }),
      ),
    },
    examples: {
      readOnly: [
        'helm list -A',
        'helm status x',
        'helm get values x',
        'helm version',
        'helm repo list',
        'helm template . -f v.yml',
        'helm lint .',
        'helm history x',
      ],
      notReadOnly: [
        'helm install x .',
        'helm template . --post-renderer ./x',
        'helm template . --output-dir d',
        'helm repo add a https://a.org',
        'helm plugin install x',
        'helm uninstall x',
        'helm --kubeconfig f list',
      ],
    },
  },
  kustomize: {
    summary: 'render resources',
    class: 'network',
    style: 'posix',
    flags: '-h --help',
    subcommands: {
      build: kubectlCommands.kustomize as CommandSpec,
      version: part('show the version', 'neutral'),
      ...named('create edit fix localize', part('change resources', 'write', { does: 'change' })),
    },
    examples: {
      readOnly: ['kustomize version', 'kustomize build d'],
      notReadOnly: ['kustomize edit set image x', 'kustomize build --enable-alpha-plugins d', 'kustomize build -o f d'],
    },
  },
  k9s: {
    summary: 'browse a cluster',
    class: 'execute',
    operands: 'value*',
    does: 'network execute',
    examples: { readOnly: [], notReadOnly: ['k9s'] },
  },
  kind: {
    summary: 'local clusters',
    class: 'list',
    style: 'posix',
    flags: '-q --quiet --help',
    values: '-v --verbosity',
    subcommands: {
      get: part('show clusters', 'list', {
        style: 'posix',
        subcommands: {
          ...named('clusters nodes', part('list clusters', 'list', { values: '-n --name', flags: '-A' })),
          kubeconfig: part('print credentials', 'read', { values: '-n --name', flags: '--internal', does: 'secret' }),
        },
      }),
      version: part('show the version', 'neutral'),
      ...named(
        'create delete load build export',
        part('change clusters', 'execute', { does: 'change network execute' }),
      ),
    },
    examples: {
      readOnly: ['kind get clusters', 'kind version'],
      notReadOnly: ['kind create cluster', 'kind get kubeconfig'],
    },
  },
  minikube: {
    summary: 'local clusters',
    class: 'list',
    style: 'posix',
    values: '-p --profile',
    subcommands: {
      ...named(
        'status version ip',
        part('show the cluster', 'list', { values: '-o --output -p --profile -f --format' }),
      ),
      profile: part('profiles', 'list', {
        style: 'posix',
        subcommands: named('list', part('list profiles', 'list', { values: '-o --output' })),
      }),
      ...named(
        'start stop delete pause unpause addons config tunnel mount image cp node dashboard service kubectl ssh',
        part('change the cluster', 'execute', { style: 'none', does: 'change network execute' }),
      ),
    },
    examples: { readOnly: ['minikube status', 'minikube ip'], notReadOnly: ['minikube start', 'minikube ssh -- ls'] },
  },
  k3d: {
    summary: 'local clusters',
    class: 'list',
    style: 'posix',
    subcommands: {
      ...named(
        'cluster node registry',
        part('clusters', 'list', {
          style: 'posix',
          subcommands: {
            ...named('list ls', part('list', 'list', { flags: '--no-headers' })),
            ...named('create delete start stop edit', part('change', 'execute', { does: 'change network execute' })),
          },
        }),
      ),
      version: part('show the version', 'neutral'),
    },
    examples: { readOnly: ['k3d cluster list', 'k3d version'], notReadOnly: ['k3d cluster create x'] },
  },
  stern: {
    summary: 'follow logs of pods',
    class: 'network',
    flags: '-A --all-namespaces --no-follow -t --timestamps',
    values: '-n --namespace -l --selector -c --container --since --tail -o --output',
    options: { '--kubeconfig': 'hook', '--config': 'hook' },
    operands: 'value*',
    does: 'fetch',
    examples: { readOnly: ['stern web'], notReadOnly: ['stern --kubeconfig f web'] },
  },
  kubectx: {
    summary: 'choose a context',
    class: 'list',
    flags: '-c --current -h --help',
    operands: 'change*',
    options: { '-d': '+change', '-u': '+change' },
    examples: { readOnly: ['kubectx', 'kubectx -c'], notReadOnly: ['kubectx x'] },
  },
  kubens: 'kubectx',
};
