// Clusters, clouds and containers.

import type { CommandFact } from '../../../core/facts.ts';
import type { Check } from '../../check.ts';
import { knownWords, names } from '../safety/terms/words.ts';
import { warning } from './warning.ts';

const has = (command: CommandFact, ...wanted: readonly string[]) =>
  knownWords(command).some((word) => wanted.includes(word));

export const INFRASTRUCTURE_WARNINGS: readonly Check[] = [
  warning('cluster-change', names('kubectl oc helm'), isClusterChange, {
    severity: 'high',
    message: 'This deletes, stops or rolls back something that runs in the cluster.',
    instead: 'Check which cluster it is: `kubectl config current-context`; `--dry-run=client` shows what would happen.',
    examples: {
      matches: [
        'kubectl delete pod a',
        'kubectl -n x delete deploy b',
        'kubectl drain n1',
        'kubectl scale deploy a --replicas=0',
        'kubectl rollout undo deploy/a',
        'helm uninstall x',
        'sudo kubectl delete -f a.yaml',
        "bash -c 'kubectl delete pod a'",
        'helm rollback x 1',
        'kubectl cordon n1',
        'kubectl scale --replicas 0 deploy/a',
        'kubectl replace --force -f a',
      ],
      passes: [
        'kubectl get pods',
        'kubectl describe pod delete',
        'kubectl logs a',
        'helm list',
        'kubectl scale deploy a --replicas=3',
        'kubectl rollout status deploy/a',
        'kubectl delete pod a --dry-run=client',
        'echo kubectl delete',
      ],
    },
  }),
  warning(
    'infrastructure-change',
    names('terraform tofu pulumi terragrunt ansible-playbook cdk serverless sls'),
    isInfrastructureChange,
    {
      severity: 'high',
      message: 'This changes or destroys running infrastructure.',
      instead: 'Look at the plan first: `terraform plan -out plan`, then `terraform apply plan`.',
      examples: {
        matches: [
          'terraform destroy',
          'terraform apply -auto-approve',
          'terraform -chdir=x apply',
          'tofu destroy',
          'pulumi up',
          'terraform state rm x',
          "bash -c 'terraform destroy'",
          'terraform apply plan',
          'cdk deploy',
          'ansible-playbook a.yml',
          'sudo terraform apply',
          'terragrunt run-all destroy',
        ],
        passes: [
          'terraform plan',
          'terraform init',
          'terraform fmt',
          'terraform state list',
          'pulumi preview',
          'cdk diff',
          'ansible-playbook --check a.yml',
          'echo terraform destroy',
          'terraform validate',
        ],
      },
    },
  ),
  warning('container-removal', names('docker podman docker-compose nerdctl'), isContainerRemoval, {
    severity: 'medium',
    message: 'This removes containers, images or their data.',
    instead: 'Check what exists first: `docker ps -a`, `docker system df`.',
    examples: {
      matches: [
        'docker system prune -af',
        'docker rm -f web',
        'docker rmi x',
        'docker volume rm x',
        'docker compose down -v',
        'docker image prune',
        'podman rm -f x',
        'docker ps -aq | xargs docker rm -f',
        'sudo docker volume prune',
        'docker-compose down --volumes',
        'docker container prune -f',
        "bash -c 'docker rm -f x'",
        'docker network rm x',
        'docker kill web',
      ],
      passes: [
        'docker ps',
        'docker run --rm x',
        'docker compose up',
        'docker images',
        'docker compose down',
        'docker logs rm',
        'docker system df',
        'echo docker rm',
        'docker exec web rm x',
      ],
    },
  }),
  warning('cloud-deletion', names('aws gcloud gsutil az'), isCloudDeletion, {
    severity: 'high',
    message: 'This deletes something in a cloud account.',
    instead:
      'Check what exists first, for example `aws s3 ls s3://BUCKET`; `--dryrun` shows what `aws s3 rm` would delete.',
    examples: {
      matches: [
        'aws s3 rm s3://x/a',
        'aws ec2 terminate-instances --instance-ids i',
        'gcloud compute instances delete x',
        'az vm delete -n x',
        'gsutil rm gs://x/a',
        'aws s3 sync a s3://x --delete',
        'sudo aws s3 rb s3://x',
        "bash -c 'aws iam delete-user --user-name x'",
      ],
      passes: [
        'aws s3 ls',
        'aws s3 cp a s3://x/',
        'gcloud compute instances list',
        'az vm list',
        'gsutil ls',
        'aws s3 rm s3://x/a --dryrun',
        'echo aws s3 rm',
      ],
    },
  }),
];

function isClusterChange(command: CommandFact): boolean {
  const words = knownWords(command);
  if (words.some((word) => word.startsWith('--dry-run') && word !== '--dry-run=none')) return false;
  const verb = command.invocation?.path[1] ?? words.find((word) => !word.startsWith('-'));
  if (command.name === 'helm') return ['uninstall', 'delete', 'rollback', 'del', 'un'].includes(verb ?? '');
  switch (verb) {
    case 'delete':
    case 'drain':
    case 'cordon':
    case 'taint':
      return true;
    case 'scale':
      return words.some((word, i) => word === '--replicas=0' || (word === '--replicas' && words[i + 1] === '0'));
    case 'rollout':
      return words.includes('undo') || words.includes('restart');
    case 'replace':
      return words.includes('--force');
    default:
      return false;
  }
}

function isInfrastructureChange(command: CommandFact): boolean {
  const words = knownWords(command);
  if (command.name === 'ansible-playbook')
    return !words.some((word) => /^(?:--check|-C|--syntax-check|--list-.*|--version|--help)$/.test(word));
  if (words.includes('state')) return words.includes('rm') || words.includes('push') || words.includes('mv');
  return has(command, 'destroy', 'apply', 'up', 'taint', 'import', 'deploy', 'remove', 'force-unlock');
}

function isContainerRemoval(command: CommandFact): boolean {
  const path = command.invocation?.path.slice(1) ?? [];
  const words =
    path.length > 0
      ? path
      : knownWords(command)
          .filter((word) => !word.startsWith('-'))
          .slice(0, 2);
  if (words.includes('down')) return has(command, '-v', '--volumes', '--rmi', '--remove-orphans');
  if (words[0] === 'compose' || command.name === 'docker-compose')
    return words.includes('rm') || words.includes('kill');
  return (
    ['prune', 'rm', 'rmi', 'kill', 'remove'].some((verb) => words.includes(verb)) &&
    words[0] !== 'exec' &&
    words[0] !== 'run' &&
    words[0] !== 'logs'
  );
}

function isCloudDeletion(command: CommandFact): boolean {
  const words = knownWords(command);
  if (words.includes('--dryrun') || words.includes('--dry-run')) return false;
  return words.some((word) => /^(?:rb|rm|delete|purge|--delete)$|^(?:delete|terminate|deregister|remove)-/.test(word));
}
