// Advice for each program that publishes or deletes something outside the machine.

import type { CommandFact } from '../../../core/facts.ts';
import type { Hit } from '../../check.ts';

/** How to see in advance what a program would publish. */
export const PUBLICATION_ADVICE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['npm', 'pnpm', 'bun', 'cargo', 'poetry', 'uv', 'jsr', 'deno'].map((name) => [
      name,
      `Try it first without publishing: \`${name} publish --dry-run\`.`,
    ]),
  ),
  twine: 'Check the files first: `twine check dist/*`.',
  wrangler: 'Try it first without deploying: `wrangler deploy --dry-run`.',
  goreleaser: 'Try it first without publishing: `goreleaser release --snapshot`.',
  gh: 'Ask the user to check what would be published; `gh release create --draft` publishes nothing yet.',
};

/** How to see in advance what a program would delete. */
export const DELETION_ADVICE: Readonly<Record<string, string>> = {
  gh: 'Check first what would be deleted: `gh repo view OWNER/REPO`.',
  glab: 'Check first what would be deleted: `glab repo view OWNER/REPO`.',
  aws: 'List first what would be deleted, for example with `aws s3 ls` or `aws ec2 describe-instances`.',
  gcloud: 'List first what would be deleted: the same `gcloud` command with `list` or `describe`.',
  gsutil: 'List first what would be deleted: `gsutil ls`.',
  az: 'List first what would be deleted: `az resource list`.',
  terraform: 'Show first what would be destroyed: `terraform plan -destroy`.',
  tofu: 'Show first what would be destroyed: `tofu plan -destroy`.',
  pulumi: 'Show first what would be destroyed: `pulumi destroy --preview-only`.',
  kubectl: 'Show first what would be deleted: the same command with `--dry-run=client`.',
  oc: 'Show first what would be deleted: the same command with `--dry-run=client`.',
  'redis-cli':
    'Check first how many keys would be deleted: `redis-cli DBSIZE`. Keep a copy: `redis-cli --rdb dump.rdb`.',
  dropdb: 'Make a dump first: `pg_dump`.',
  mysqladmin: 'Make a dump first: `mysqldump`.',
  heroku: 'Check first what would be deleted: `heroku apps:info`.',
  doctl: 'List first what would be deleted: the same `doctl` command with `list`.',
  fly: 'Check first what would be deleted: `fly status`.',
  flyctl: 'Check first what would be deleted: `flyctl status`.',
  firebase: 'Check first which project is selected: `firebase use`.',
  npm: 'To warn users of a version and keep it: `npm deprecate PACKAGE@VERSION MESSAGE`.',
  docker: 'List first what would be deleted: `docker volume ls -f dangling=true`.',
  podman: 'List first what would be deleted: `podman volume ls -f dangling=true`.',
  eksctl: 'List first what would be deleted: `eksctl get cluster`.',
};

/** The advice for the program, if there is one; otherwise that of the check. */
export function hitWith({ name, span }: CommandFact, advice: Readonly<Record<string, string>>): Hit {
  const instead = advice[name ?? ''];
  return instead === undefined ? { span } : { span, instead };
}
