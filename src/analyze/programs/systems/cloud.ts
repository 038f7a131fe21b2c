// aws, gcloud, az: the verb of an operation decides whether it only reads; the groups before it must be known.
// Credentials and secrets printed by a read operation are disclosed, everything else changes remote state.

import type { WordValue } from '../../../core/facts.ts';
import { once, type WordSet, wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, type ProgramAnalyser } from '../program.ts';
import { headOf } from '../words/wrapper-words.ts';

function refuse(sink: EffectSink): void {
  sink.network();
  sink.changes('change a cloud account');
}

// Read operations that return credentials, keys or values of variables.
const awsSecret = once(
  () =>
    new RegExp(
      `^(?:${[
        'secretsmanager (?:batch-)?get-secret-value',
        'ssm get-parameters?(?:-by-path|-history)?',
        'sts get-(?!caller-identity|access-key-info).*',
        'ecr(?:-public)? get-(?:login|login-password|authorization-token)',
        '\\S+ (?:get|list|describe)-\\S*(?:token|password|credential|secret-value|api-key)\\S*',
        'sso get-role-credentials',
        'cognito-identity get-.*',
        'iam get-credential-report',
        'lambda (?:get-function|get-function-configuration|list-functions)',
        'ec2 get-(?:password-data|launch-template-data)',
        'redshift(?:-serverless)? get-.*credentials.*',
        'apigateway get-api-keys?',
        'appsync list-api-keys',
        'lightsail get-.*(?:access|password|key).*',
        'ecs describe-task-definition',
        'batch describe-job-definitions',
        'codebuild batch-get-projects',
        'configure get',
        's3 presign',
      ].join('|')})$`,
    ),
);
// These take their output file as a bare last word.
const AWS_WRITES_FILE =
  /^(?:get-(?:object|object-torrent|export|sdk|job-output|media.*|clip|snapshot-block|raw-message-content|configuration|hosted-configuration-version|latest-configuration|package-version-asset|read-set|reference|work-unit-results|images?)|describe-thumbnails)$/;
const AWS_GLOBAL_VALUES = wordSet(
  '--profile --region --output --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout ' +
    '--cli-binary-format',
);
const AWS_GLOBAL_FLAGS = wordSet(
  '--no-paginate --no-cli-pager --no-sign-request --no-verify-ssl --debug --no-cli-auto-prompt --dry-run',
);
const AWS_READS = /^(?:describe|list|get|head|search|lookup|batch-get|filter)(?:-|$)/;

export const aws: ProgramAnalyser = (args, sink) => {
  const operands: string[] = [];
  let index = 0;
  for (; index < args.words.length && operands.length < 2; index++) {
    const text = literal(args.words[index]);
    if (text === null) return refuse(sink);
    if (AWS_GLOBAL_VALUES.has(text)) index++;
    else if (!text.startsWith('-')) operands.push(text);
    else if (text === '--version') return;
    else if (!AWS_GLOBAL_FLAGS.has(text) && !AWS_GLOBAL_VALUES.has(text.split('=')[0] as string)) return refuse(sink);
  }
  const [service = '', operation = ''] = operands;
  const rest = args.words.slice(index);
  const name = `${service} ${operation}`;
  const unclear = rest.some((word) => word.kind !== 'literal');
  if (rest.some((word) => /^--(?:end|gen|cli-i)/.test(headOf(word)))) return refuse(sink);
  for (const word of rest) {
    const file = /^(?:fileb?):\/\//.exec(headOf(word))?.[0];
    if (file !== undefined)
      sink.path('read', { kind: 'literal', value: headOf(word).slice(file.length), span: word.span });
  }
  if (name === 'configure list' || name === 'configure list-profiles') return;
  if (awsSecret().test(name)) {
    sink.network();
    sink.discloses('cloud credentials');
    return;
  }
  const reads = name === 's3 ls' || (!/^(?:s3|configure)$/.test(service) && AWS_READS.test(operation));
  const mayWrite = AWS_WRITES_FILE.test(operation) || (operation.startsWith('get-') && endsInBareWord(rest));
  if (!reads || unclear || mayWrite) refuse(sink);
};

/** The last word is not the single value of an option. */
function endsInBareWord(rest: readonly WordValue[]): boolean {
  const isOption = (word: WordValue | undefined): boolean => word !== undefined && headOf(word).startsWith('--');
  if (rest.length === 0 || isOption(rest.at(-1))) return false;
  const before = rest.at(-2);
  return !isOption(before) || AWS_GLOBAL_FLAGS.has(literal(before) ?? '');
}

const GCLOUD_GROUPS = wordSet(
  'compute instances disks images snapshots networks subnets firewall-rules addresses zones regions ' +
    'machine-types routers routes instance-groups instance-templates managed forwarding-rules ' +
    'backend-services target-pools url-maps health-checks ssl-certificates container clusters node-pools ' +
    'operations projects services config configurations auth run revisions jobs functions sql databases ' +
    'backups storage buckets objects iam service-accounts roles logging logs sinks pubsub topics ' +
    'subscriptions dns managed-zones record-sets artifacts repositories packages versions builds triggers ' +
    'organizations folders app scheduler tasks queues redis spanner bigtable monitoring dashboards components ' +
    'beta alpha',
);
const AZ_GROUPS = wordSet(
  'account group vm vmss aks acr repository webapp functionapp appservice plan network vnet subnet nsg rule ' +
    'public-ip nic lb dns zone record-set resource provider storage account sql server db monitor metrics ' +
    'activity-log deployment identity role assignment definition ad user sp app disk image snapshot container ' +
    'cosmosdb keyvault log-analytics workspace policy tag lock feature extension cloud',
);
const OPTION_VALUES = wordSet(
  '--project --zone --zones --region --regions --format --filter --limit --sort-by --page-size --account ' +
    '--configuration --location --cluster --instance --service --platform --verbosity -g --resource-group -n ' +
    '--name -o --output --query --subscription --ids -l --resource-type --scope --assignee --vnet-name ' +
    '--nsg-name --server --account-name --namespace',
);
const OPTION_FLAGS = wordSet(
  '--quiet -q --uri --global --all --only-show-errors --flatten -h --help --no-user-output-enabled',
);

/** Groups, then a reading verb, then names: `compute instances list`. Options only from the two lists. */
function isReading(all: readonly WordValue[], groups: WordSet, verbs: RegExp): boolean {
  let verb: string | null = null;
  for (let index = 0; index < all.length; index++) {
    const text = literal(all[index]);
    if (text === null) return false;
    if (text.startsWith('-')) {
      const name = text.split('=')[0] as string;
      if (OPTION_VALUES.has(name)) {
        if (name === text && literal(all[++index]) === null) return false;
      } else if (!OPTION_FLAGS.has(text)) return false;
    } else if (verb === null && verbs.test(text)) verb = text;
    else if (verb === null && !groups.has(text)) return false;
  }
  return verb !== null;
}

const GCLOUD_SECRET =
  /\b(?:print-(?:access|identity)-token|secrets versions access|config-helper|get-value auth|service-accounts keys)\b/;

export const gcloud: ProgramAnalyser = (args, sink) => {
  const text = args.words.map((word) => literal(word) ?? '?').join(' ');
  if (/^(?:--version|version|info|help)$/.test(text)) return;
  if (GCLOUD_SECRET.test(text)) {
    sink.network();
    sink.discloses('cloud credentials');
    return;
  }
  if (!isReading(args.words, GCLOUD_GROUPS, /^(?:list|describe|ls|read|get-iam-policy|get-value|get)$/)) refuse(sink);
};

export const az: ProgramAnalyser = (args, sink) => {
  const text = args.words.map((word) => literal(word) ?? '?').join(' ');
  if (/^(?:--version|version|-h|--help)$/.test(text)) return;
  if (
    /\b(?:get-access-token|secret|keys?|credential|connection-string|appsettings|publishing|get-credentials)\b/.test(
      text,
    )
  ) {
    sink.network();
    sink.discloses('cloud credentials');
    return;
  }
  if (!isReading(args.words, AZ_GROUPS, /^(?:list|show)$/)) refuse(sink);
};
