// Effects outside the machine that cannot be undone: publications, and deletions of data that exists only on a server.
// These are asked about anyway if no rule allows them; the finding explains why it matters.

import type { CommandFact } from '../../../core/facts.ts';
import type { Check } from '../../check.ts';
import { DELETION_ADVICE, hitWith, PUBLICATION_ADVICE } from './outside-advice.ts';
import { hasOption, hasWordsInOrder, isCall, knownWords, names } from './terms/words.ts';

const PUBLISHING: Readonly<Record<string, readonly (readonly string[])[]>> = {
  npm: [['publish']],
  pnpm: [['publish']],
  yarn: [['publish'], ['npm', 'publish']],
  bun: [['publish']],
  lerna: [['publish']],
  cargo: [['publish']],
  twine: [['upload']],
  poetry: [['publish']],
  uv: [['publish']],
  flit: [['publish']],
  hatch: [['publish']],
  gem: [['push']],
  docker: [['push'], ['image', 'push']],
  podman: [['push']],
  buildah: [['push']],
  skopeo: [['copy']],
  helm: [['push']],
  mvn: [['deploy']],
  gh: [
    ['release', 'create'],
    ['release', 'delete'],
    ['release', 'edit'],
    ['release', 'upload'],
    ['gist', 'create'],
  ],
  glab: [
    ['release', 'create'],
    ['release', 'delete'],
  ],
  dotnet: [['nuget', 'push']],
  nuget: [['push']],
  vsce: [['publish']],
  jsr: [['publish']],
  deno: [['publish']],
  goreleaser: [['release']],
  wrangler: [['deploy'], ['publish']],
  vercel: [['--prod']],
  netlify: [['deploy']],
  firebase: [['deploy']],
  fly: [['deploy']],
  flyctl: [['deploy']],
};

export const OUTSIDE_CHECKS: readonly Check[] = [
  {
    id: 'publication',
    layer: 'safety',
    severity: 'high',
    verdict: 'ask',
    message: 'This publishes something for others; a published version can rarely be withdrawn.',
    instead: 'Check first what would be published, and where; many tools have a `--dry-run`.',
    names: Object.keys(PUBLISHING),
    inspect(command) {
      if (hasOption(command, '--dry-run', '-n') || knownWords(command).includes('--dry-run')) return null;
      const paths = PUBLISHING[command.name ?? ''] ?? [];
      return paths.some((path) => isSubcommand(command, path)) ? hitWith(command, PUBLICATION_ADVICE) : null;
    },
    examples: {
      matches: [
        ...[
          'npm publish',
          'cargo publish',
          'twine upload dist/*',
          'gem push x.gem',
          'docker push x/y',
          'gh release create v1',
          'gh release delete v1',
          'npm publish --access public',
          'pnpm publish',
        ],
        ...[
          'npm run build && npm publish',
          "bash -c 'npm publish'",
          'sudo docker push x',
          'npm --registry http://x publish',
          'docker image push x',
          'gh -R a/b release create v1',
          'npx vsce publish',
          'yarn npm publish',
          'timeout 60 npm publish',
        ],
        ...['poetry publish --build', 'wrangler deploy', 'dotnet nuget push a', 'gh gist create a'],
      ],
      passes: [
        'npm publish --dry-run',
        'npm run publish-docs',
        'cargo build',
        'docker pull x',
        'gh release list',
        'gh release view v1',
        'npm pack',
        'cargo publish --dry-run',
        'echo npm publish',
        'gem list',
        'twine check dist/*',
        'git push',
      ],
    },
  },
  {
    id: 'remote-deletion',
    layer: 'safety',
    severity: 'high',
    verdict: 'ask',
    message: 'This deletes a repository, a package, a project, a namespace or stored data, of which no copy may exist.',
    instead: 'Check first what would be deleted, and whether a copy exists.',
    names: names(
      'gh glab aws gcloud gsutil az terraform tofu pulumi kubectl oc helm redis-cli dropdb mysqladmin heroku doctl fly flyctl firebase npm docker podman eksctl',
    ),
    inspect: (command) => (isRemoteDeletion(command) ? hitWith(command, DELETION_ADVICE) : null),
    examples: {
      matches: [
        ...[
          'gh repo delete a/b --yes',
          'aws s3 rb s3://x --force',
          'aws s3 rm s3://x --recursive',
          'gcloud projects delete x',
          'az group delete -n x',
          'terraform destroy -auto-approve',
          'kubectl delete ns x',
        ],
        ...[
          'kubectl delete pods --all',
          'redis-cli FLUSHALL',
          'dropdb x',
          'npm unpublish x',
          "bash -c 'terraform destroy'",
          'kubectl delete namespace/x',
          'aws --profile p s3 rb s3://x',
          'kubectl -n x delete deploy --all',
        ],
        ...[
          'redis-cli -h h flushdb',
          'docker volume prune -f',
          'docker system prune -a --volumes',
          'sudo dropdb x',
          'terraform -chdir=x apply -destroy',
          'aws ec2 terminate-instances --instance-ids i-1',
          'aws rds delete-db-instance --db-instance-identifier x',
        ],
        ...[
          'pulumi destroy -y',
          'heroku apps:destroy x',
          'gsutil rm -r gs://x',
          'mysqladmin drop x',
          'kubectl delete pvc x',
          'tofu destroy',
          'gh api -X DELETE repos/a/b',
          'eksctl delete cluster x',
        ],
      ],
      passes: [
        'gh repo view a/b',
        'aws s3 ls',
        'aws s3 rm s3://x/a.txt',
        'terraform plan',
        'kubectl get ns',
        'kubectl delete pod a',
        'redis-cli GET x',
        'helm list',
        'docker volume ls',
        'gcloud projects list',
        'az group list',
        'gh repo list',
        'echo dropdb',
        'terraform apply',
      ],
    },
  },
];

function isSubcommand(command: CommandFact, path: readonly string[]): boolean {
  if (isCall(command, command.name ?? '', ...path)) return true;
  const words = knownWords(command);
  if (path.length > 1 && words.some((_, at) => path.every((word, i) => words[at + i] === word))) return true;
  // A program that is not in the table, or only as a whole: its first non-option words.
  const first = words.filter((word) => !word.startsWith('-') || path[0]?.startsWith('-'));
  return (
    (command.invocation?.path.length ?? 1) < 2 &&
    path.every((word, i) => (path[0]?.startsWith('-') ? first.includes(word) : first[i] === word))
  );
}

function isRemoteDeletion(command: CommandFact): boolean {
  const words = knownWords(command);
  switch (command.name) {
    case 'gh':
    case 'glab':
      return (
        hasWordsInOrder(command, 'repo', 'delete') ||
        (words.includes('api') && words.some((word) => /^(?:-X|--method=)?DELETE$/i.test(word)))
      );
    case 'aws':
      if (hasWordsInOrder(command, 's3', 'rb')) return true;
      if (hasWordsInOrder(command, 's3', 'rm')) return words.includes('--recursive');
      return words.some((word) =>
        /^(?:delete-(?:db|stack|bucket|table|cluster|key|file-system|hosted|function|user|repository|vpc|volume|snapshot)|terminate-)/.test(
          word,
        ),
      );
    case 'gcloud':
      return (
        words.includes('delete') &&
        words.some((word) =>
          /^(?:projects|sql|clusters|buckets|databases|instances|disks|secrets|topics|datasets)$/.test(word),
        )
      );
    case 'gsutil':
      return words.includes('rb') || (words.includes('rm') && words.some((word) => /^-[a-z]*[rR]/.test(word)));
    case 'az':
      return words.includes('delete') || words.includes('purge');
    case 'terraform':
    case 'tofu':
    case 'pulumi':
      return words.some((word) => /^(?:destroy|-destroy|--destroy)$/.test(word));
    case 'kubectl':
    case 'oc':
      return words.includes('delete') && isBroadDeletion(words);
    case 'redis-cli':
      return words.some((word) => /^flush(?:all|db)$/i.test(word));
    case 'mysqladmin':
      return words.includes('drop');
    case 'dropdb':
      return !words.includes('--help');
    case 'npm':
      return isCall(command, 'npm', 'unpublish') || words[0] === 'unpublish';
    case 'docker':
    case 'podman':
      return words.includes('prune') && (words.includes('volume') || words.includes('--volumes'));
    case 'eksctl':
    case 'doctl':
      return words.includes('delete');
    case 'heroku':
    case 'fly':
    case 'flyctl':
    case 'firebase':
      return words.some((word) => /(?:^|:)(?:destroy|delete|reset)$/.test(word));
    default:
      return false;
  }
}

const BROAD_KINDS =
  /^(?:ns|namespaces?|pv|persistentvolumes?|pvc|persistentvolumeclaims?|nodes?|crds?|customresourcedefinitions?)(?:\/|$)/;

const isBroadDeletion = (words: readonly string[]) =>
  words.some(
    (word) =>
      word === '--all' || word === '-A' || word === '--all-namespaces' || word === 'all' || BROAD_KINDS.test(word),
  );
