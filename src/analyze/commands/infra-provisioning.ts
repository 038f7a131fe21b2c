// Tools that create machines and services from files, and the command lines of cloud accounts.

import { part, type RowDetails } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { named } from './tool-rows.ts';

const WORDS = { style: 'words' } as const;
const tf = (summary: string, kind: CommandSpec['class'], details: RowDetails = {}): CommandSpec =>
  part(summary, kind, { ...WORDS, ...details, flags: `-help -no-color ${details.flags ?? ''}` });

const TF_INPUT: RowDetails = {
  flags:
    '-json -compact-warnings -detailed-exitcode -destroy -refresh-only -auto-approve -upgrade -reconfigure ' +
    '-migrate-state -force-copy -lock=false -input=false -refresh=false',
  values: '-var -target -replace -parallelism -lock-timeout -lock -input -refresh -backend -backend-config',
  options: {
    '-var-file': 'read',
    '-out': 'write',
    '-state': 'edit',
    '-state-out': 'write',
    '-backup': 'write',
    '-plugin-dir': 'hook',
    '-generate-config-out': 'write',
    '-from-module': 'network',
  },
};
const tfRuns = tf('plan or change infrastructure', 'execute', { ...TF_INPUT, does: 'change network execute' });
const tfChanges = tf('change state', 'write', { does: 'change network' });

/** A command line for one service: words that show, words that change, words that print secrets. */
function serviceTool(
  summary: string,
  rows: { shows?: string; changes: string; secrets?: string; runs?: string; plain?: string },
  examples: CommandSpec['examples'],
  details: RowDetails = {},
): CommandSpec {
  const flags = '--json -j -q --quiet -v --verbose --no-color';
  const values = '-a --app -o --output --org -r --remote --format -n --num --region --context -t --access-token';
  return {
    class: 'network',
    style: 'posix',
    flags: '--version -v --help -h',
    ...details,
    summary,
    subcommands: {
      ...named(rows.plain ?? 'version help', part('show the version', 'neutral')),
      ...(rows.shows === undefined ? {} : named(rows.shows, part('show', 'network', { flags, values, does: 'fetch' }))),
      ...named(rows.changes, part('change the service', 'write', { style: 'none', does: 'change network' })),
      ...(rows.secrets === undefined
        ? {}
        : named(
            rows.secrets,
            part('show or change secrets of the service', 'network', { style: 'none', does: 'change network secret' }),
          )),
      ...(rows.runs === undefined
        ? {}
        : named(rows.runs, part('run code', 'execute', { style: 'none', does: 'change network execute' }))),
    },
    examples,
  };
}

const ansibleRun = (summary: string, examples: CommandSpec['examples']): CommandSpec => ({
  summary,
  class: 'execute',
  flags:
    '-b --become -C --check -D --diff -k --ask-pass -K --ask-become-pass -v -vv -vvv -vvvv --list-hosts ' +
    '--list-tasks --list-tags --syntax-check --force-handlers --step --flush-cache --version -h --help -o ' +
    '--one-line',
  values:
    '-m --module-name -f --forks -l --limit -t --tags --skip-tags --start-at-task -u --user --become-user ' +
    '--become-method -c --connection -T --timeout -e --extra-vars',
  options: {
    '-i --inventory': 'hook',
    '-a --args': 'code',
    '--vault-password-file --vault-pass-file': 'file',
    '--vault-id': 'hook',
    '--private-key --key-file': 'read',
    '-M --module-path': 'library',
    '--tree': 'write/',
    '--ssh-common-args --ssh-extra-args --scp-extra-args --sftp-extra-args': 'hook',
  },
  operands: 'value*',
  does: 'change network execute',
  variants: [{ has: '--version -h --help', does: '', class: 'neutral' }],
  examples,
});

export const provisioning: CommandFamily = {
  terraform: {
    ownState: true,
    summary: 'manage infrastructure from files',
    class: 'read',
    style: 'posix',
    flags: '-version -help -v --version --help',
    subcommands: {
      version: tf('show the version', 'neutral', { flags: '-json' }),
      validate: tf('check the files', 'read', {
        flags: '-json -no-tests',
        values: '-test-directory',
        operands: 'read/?',
      }),
      fmt: tf('format files', 'write', {
        optionsFirst: true,
        flags: '-check -diff -recursive',
        values: '-list',
        options: { '-write': 'change' },
        operands: 'edit/*',
        does: 'change',
        variants: [{ has: '-check', does: '', operands: 'read/*', class: 'read' }],
      }),
      show: tf('show state or a plan', 'network', {
        options: { '-json': '+secret' },
        operands: 'read?',
        does: 'fetch',
      }),
      output: tf('show outputs', 'network', {
        options: { '-json': '+secret', '-raw': '+secret', '-state': 'read' },
        does: 'fetch',
      }),
      state: tf('state', 'network', {
        style: 'posix',
        subcommands: {
          ...named(
            'list',
            tf('list resources', 'network', { values: '-id', options: { '-state': 'read' }, does: 'fetch' }),
          ),
          show: tf('show a resource', 'network', { options: { '-state': 'read', '-json': '+secret' }, does: 'fetch' }),
          pull: tf('print the state', 'network', { does: 'network secret' }),
          ...named('mv rm push replace-provider', tfChanges),
        },
      }),
      providers: tf('providers', 'read', {
        style: 'posix',
        subcommands: { schema: tf('print schemas', 'read', { flags: '-json' }), ...named('lock mirror', tfChanges) },
      }),
      graph: tf('print the graph', 'read', { flags: '-draw-cycles', values: '-type -plan -module-depth' }),
      workspace: tf('workspaces', 'network', {
        style: 'posix',
        subcommands: {
          ...named('list show', tf('show workspaces', 'network', { does: 'fetch' })),
          ...named('new select delete', tfChanges),
        },
      }),
      ...named('plan apply destroy init refresh import test console get', tfRuns),
      ...named('taint untaint force-unlock login logout', tfChanges),
    },
    examples: {
      readOnly: [
        'terraform version',
        'terraform validate',
        'terraform fmt -check -recursive',
        'terraform show',
        'terraform output',
        'terraform state list',
        'terraform providers',
        'terraform graph',
      ],
      notReadOnly: [
        'terraform plan',
        'terraform apply -auto-approve',
        'terraform init',
        'terraform fmt',
        'terraform fmt -check -write=true',
        'terraform fmt a.tf -check',
        'terraform output -json',
        'terraform console',
        'terraform state rm x',
        'terraform state pull',
        'terraform show -json',
      ],
    },
  },
  tofu: 'terraform',
  terragrunt: {
    summary: 'manage infrastructure from files',
    class: 'list',
    ...WORDS,
    flags: '--version -version',
    operands: 'value*',
    does: 'change network execute',
    variants: [{ has: '--version -version', does: '', operands: '' }],
    examples: {
      readOnly: ['terragrunt --version'],
      notReadOnly: ['terragrunt plan', 'terragrunt validate', 'terragrunt apply --version'],
    },
  },
  pulumi: serviceTool(
    'infrastructure from code',
    {
      shows: 'whoami',
      changes: 'login logout cancel',
      secrets: 'config env',
      runs: 'up update preview pre destroy refresh import new watch query console stack state logs plugin about',
      plain: 'version help',
    },
    {
      readOnly: ['pulumi version', 'pulumi whoami'],
      notReadOnly: ['pulumi up', 'pulumi preview', 'pulumi config', 'pulumi stack'],
    },
  ),
  ansible: ansibleRun('run a task on hosts', {
    readOnly: ['ansible --version'],
    notReadOnly: ["ansible all -m shell -a 'rm x'", 'ansible all --list-hosts'],
  }),
  'ansible-playbook': ansibleRun('run tasks on hosts', {
    readOnly: ['ansible-playbook --version'],
    notReadOnly: ['ansible-playbook x.yml', 'ansible-playbook --check x.yml', 'ansible-playbook --syntax-check x.yml'],
  }),
  'ansible-console': 'ansible',
  'ansible-pull': 'ansible-playbook',
  'ansible-galaxy': {
    summary: 'install roles',
    class: 'write',
    style: 'none',
    operands: 'value*',
    does: 'change network execute',
    examples: { readOnly: [], notReadOnly: ['ansible-galaxy install x'] },
  },
  'ansible-inventory': {
    summary: 'print the inventory',
    class: 'list',
    flags: '--list --graph --yaml --vars --version',
    values: '--host',
    options: { '-i --inventory': 'hook', '--output': 'write' },
    operands: 'value*',
    does: 'execute',
    variants: [{ has: '--version', does: '' }],
    examples: { readOnly: ['ansible-inventory --version'], notReadOnly: ['ansible-inventory -i x --list'] },
  },
  'ansible-doc': {
    summary: 'show documentation',
    class: 'neutral',
    flags: '-l --list -F -s --snippet -j --json --version -v',
    values: '-t --type',
    operands: 'value*',
    // The settings in the working folder name locations of code to load.
    does: 'execute',
    variants: [{ has: '--version', does: '' }],
    examples: {
      readOnly: ['ansible-doc --version'],
      notReadOnly: ['ansible-doc copy', 'ansible-doc -M d x'],
    },
  },
  'ansible-lint': {
    summary: 'check playbooks',
    class: 'execute',
    operands: 'value*',
    does: 'execute',
    examples: { readOnly: [], notReadOnly: ['ansible-lint'] },
  },
  'ansible-vault': {
    summary: 'encrypted files',
    class: 'list',
    style: 'posix',
    flags: '--version -h --help',
    subcommands: {
      view: part('print a secret file', 'read', {
        options: { '--vault-password-file': 'file', '--vault-id': 'hook' },
        operands: 'read*',
        does: 'secret execute',
      }),
      ...named(
        'encrypt decrypt edit create rekey encrypt_string',
        part('change a secret file', 'write', {
          options: { '--output': 'write', '--vault-password-file': 'file', '--vault-id': 'hook' },
          operands: 'edit*',
          does: 'change execute',
        }),
      ),
    },
    examples: {
      readOnly: ['ansible-vault --version'],
      notReadOnly: ['ansible-vault view f', 'ansible-vault edit f', 'ansible-vault view --vault-password-file ./x f'],
    },
  },
  packer: serviceTool(
    'build machine images',
    // Plugins that lie in the folder are asked what they are, even for the version.
    { changes: 'fix', runs: 'build init validate inspect console plugins fmt version help' },
    { readOnly: [], notReadOnly: ['packer version', 'packer build x.pkr.hcl', 'packer validate x'] },
  ),
  vagrant: {
    summary: 'manage virtual machines from a file',
    class: 'list',
    style: 'posix',
    flags: '-v --version',
    operands: 'value*',
    does: 'change network execute',
    variants: [{ has: '-v --version', does: '' }],
    examples: { readOnly: ['vagrant --version'], notReadOnly: ['vagrant up', "vagrant ssh -c 'ls'", 'vagrant status'] },
  },

  aws: {
    summary: 'Amazon cloud',
    class: 'network',
    style: 'none',
    operands: 'value*',
    does: 'fetch',
    program: 'aws',
    examples: {
      readOnly: [
        'aws --version',
        'aws s3 ls',
        'aws ec2 describe-instances --region x',
        'aws sts get-caller-identity',
        'aws --profile p iam list-users',
        'aws logs filter-log-events --log-group-name x',
        'aws configure list',
        'aws s3api head-object --bucket b --key k',
      ],
      notReadOnly: [
        'aws s3 rm s3://b/k',
        'aws s3 cp f s3://b',
        'aws secretsmanager get-secret-value --secret-id x',
        'aws ssm get-parameter --name x --with-decryption',
        'aws sts get-session-token',
        'aws ecr get-login-password',
        'aws kms decrypt --ciphertext-blob x',
        'aws s3api get-object --bucket b --key k f',
        'aws ec2 terminate-instances --instance-ids i',
        'aws ec2 describe-instances --endpoint-url http://x',
        'aws lambda invoke --function-name x f',
        'aws configure set a b',
        'aws configure get aws_secret_access_key',
      ],
    },
  },
  gcloud: {
    ownState: true,
    summary: 'Google cloud',
    class: 'network',
    style: 'none',
    operands: 'value*',
    does: 'fetch',
    program: 'gcloud',
    examples: {
      readOnly: [
        'gcloud --version',
        'gcloud config list',
        'gcloud compute instances list --project p',
        'gcloud projects list',
        'gcloud container clusters describe c --zone z',
        'gcloud auth list',
        'gcloud config get-value project',
      ],
      notReadOnly: [
        'gcloud compute instances delete list',
        'gcloud auth print-access-token',
        'gcloud secrets versions access latest --secret x',
        'gcloud container clusters get-credentials c',
        'gcloud compute ssh vm',
        'gcloud config set project p',
        'gcloud compute instances list --flags-file f',
      ],
    },
  },
  az: {
    summary: 'Microsoft cloud',
    class: 'network',
    style: 'none',
    operands: 'value*',
    does: 'fetch',
    program: 'az',
    examples: {
      readOnly: ['az --version', 'az account show', 'az vm list -o table', 'az group list', 'az aks show -g g -n n'],
      notReadOnly: [
        'az vm delete -n list',
        'az account get-access-token',
        'az keyvault secret show --name x --vault-name v',
        'az storage account keys list -n x',
        'az aks get-credentials -g g -n n',
        'az vm run-command invoke',
      ],
    },
  },
  gsutil: {
    ...serviceTool(
      'Google storage',
      { shows: 'ls du stat', changes: 'cp mv rm rsync mb rb setmeta acl iam cors notification', plain: 'version' },
      { readOnly: ['gsutil ls gs://b', 'gsutil version'], notReadOnly: ['gsutil cp a gs://b', 'gsutil rm gs://b/k'] },
    ),
    ownState: true,
  },
  flyctl: serviceTool(
    'applications on Fly',
    {
      shows: 'status',
      changes:
        'apps launch deploy scale destroy certs volumes machine machines ips regions restart suspend resume ' +
        'auth logs releases info',
      secrets: 'secrets config tokens',
      runs: 'ssh proxy console',
    },
    {
      readOnly: ['flyctl version', 'flyctl status -a x'],
      notReadOnly: ['flyctl deploy', "flyctl ssh console -C 'ls'", 'flyctl secrets list'],
    },
  ),
  fly: 'flyctl',
  heroku: serviceTool(
    'applications on Heroku',
    {
      shows: 'apps apps:info ps releases status logs domains addons',
      changes:
        'create apps:create apps:destroy ps:scale ps:restart releases:rollback addons:create addons:destroy ' +
        'domains:add login logout git:remote',
      secrets: 'config config:get config:set auth:token pg:credentials:url',
      runs: 'run run:detached local pg:psql ps:exec',
    },
    {
      readOnly: ['heroku apps', 'heroku logs -n 10', 'heroku releases'],
      notReadOnly: ['heroku config', 'heroku run bash', 'heroku ps:scale web=0'],
    },
  ),
  vercel: serviceTool(
    'manage applications on Vercel',
    {
      shows: 'ls list whoami inspect',
      changes:
        'deploy rm remove alias domains dns certs teams projects link login logout promote rollback ' +
        'redeploy switch logs',
      secrets: 'env pull',
      runs: 'dev build',
    },
    { readOnly: ['vercel ls', 'vercel whoami'], notReadOnly: ['vercel', 'vercel deploy', 'vercel env ls'] },
    { alone: 'change network' },
  ),
  netlify: serviceTool(
    'applications on Netlify',
    {
      shows: 'status',
      changes: 'deploy link unlink sites open init login logout watch api functions',
      secrets: 'env',
      runs: 'dev build',
    },
    { readOnly: ['netlify status'], notReadOnly: ['netlify deploy', 'netlify dev', 'netlify env:list'] },
  ),
  wrangler: serviceTool(
    'applications on Cloudflare',
    {
      shows: 'whoami',
      changes: 'deploy publish delete rollback kv r2 d1 queues login logout pages tail versions deployments',
      secrets: 'secret',
      runs: 'dev init generate types',
    },
    {
      readOnly: ['wrangler whoami', 'wrangler --version'],
      notReadOnly: ['wrangler deploy', 'wrangler dev', 'wrangler d1 execute x'],
    },
  ),
  doctl: serviceTool(
    'Digital Ocean',
    {
      shows: 'account balance',
      changes: 'compute kubernetes databases apps registry auth projects monitoring',
      plain: 'version',
    },
    {
      readOnly: ['doctl account', 'doctl version'],
      notReadOnly: ['doctl compute droplet delete x', 'doctl auth init'],
    },
  ),
  consul: serviceTool(
    'service registry',
    {
      shows: 'members catalog info',
      changes: 'kv leave join force-leave reload acl config intention operator services snapshot',
      runs: 'agent exec lock watch connect',
      plain: 'version',
    },
    {
      readOnly: ['consul members', 'consul version'],
      notReadOnly: ['consul kv get x', 'consul exec ls', 'consul lock p ls'],
    },
  ),
  nomad: serviceTool(
    'job scheduler',
    {
      shows: 'status',
      changes: 'job node alloc system operator namespace deployment eval acl var volume quota stop',
      runs: 'agent exec run plan',
      plain: 'version',
    },
    {
      readOnly: ['nomad status', 'nomad version'],
      notReadOnly: ['nomad run x.hcl', 'nomad alloc exec a ls', 'nomad stop x'],
    },
  ),
  vault: serviceTool(
    'secrets',
    {
      shows: 'status',
      changes:
        'write delete auth policy secrets lease operator audit login namespace plugin unwrap list path-help patch',
      secrets: 'read kv token print',
      runs: 'agent server ssh proxy',
      plain: 'version',
    },
    {
      readOnly: ['vault status', 'vault version'],
      notReadOnly: ['vault read x', 'vault kv get x', 'vault write x a=b', 'vault ssh h'],
    },
  ),
};
