// Commands that display a stored credential: key stores, logins of tools, secrets of services.

import type { CommandFact } from '../../../core/facts.ts';
import { once } from '../../../core/values/once.ts';
import type { Check } from '../../check.ts';
import { hasWordsInOrder, knownWords, names } from '../safety/terms/words.ts';

/** Words that follow the program name in this order. */
const STORES: Readonly<Record<string, readonly string[]>> = {
  gh: ['auth token', 'auth status --show-token', 'auth status -t'],
  glab: ['auth status --show-token', 'auth status -t'],
  git: ['credential fill', 'credential-store get', 'credential-cache get', 'credential-osxkeychain get'],
  aws: [
    'configure export-credentials',
    'ecr get-login-password',
    'ecr get-login',
    'sts get-session-token',
    'sts assume-role',
    'secretsmanager get-secret-value',
    'ssm get-parameter --with-decryption',
    'ssm get-parameters --with-decryption',
    'ssm get-parameters-by-path --with-decryption',
    'codeartifact get-authorization-token',
    'iam create-access-key',
    'eks get-token',
  ],
  gcloud: [
    'auth print-access-token',
    'auth print-identity-token',
    'secrets versions access',
    'sql generate-login-token',
  ],
  az: ['account get-access-token', 'keyvault secret show', 'acr credential show', 'storage account keys list'],
  kubectl: ['config view --raw', 'create token'],
  oc: ['whoami -t', 'whoami --show-token', 'config view --raw', 'create token'],
  vault: ['read', 'kv get', 'print token', 'token create'],
  op: ['read', 'item get', 'document get', 'inject', 'signin --raw'],
  bw: ['get', 'list items', 'export', 'unlock --raw'],
  pass: ['show', 'otp', 'grep'],
  gopass: ['show', 'cat', 'otp'],
  lpass: ['show', 'export'],
  'secret-tool': ['lookup', 'search'],
  keyring: ['get'],
  security: ['find-generic-password', 'find-internet-password', 'dump-keychain', 'export'],
  sops: ['-d', '--decrypt', 'decrypt'],
  'ansible-vault': ['view', 'decrypt'],
  terraform: ['output -raw', 'output -json', 'state pull', 'show -json'],
  tofu: ['output -raw', 'output -json', 'state pull', 'show -json'],
  pulumi: ['config --show-secrets', 'stack output --show-secrets', 'stack export --show-secrets'],
  heroku: ['config', 'config:get', 'auth:token'],
  fly: ['auth token', 'tokens create'],
  flyctl: ['auth token', 'tokens create'],
  doppler: ['secrets', 'configs tokens'],
  chamber: ['read', 'export'],
  vercel: ['env pull'],
  gpg: ['--export-secret-keys', '--export-secret-subkeys'],
  systemctl: ['show-environment'],
  wg: ['showconf', 'genkey'],
};

export const CREDENTIAL_CHECKS: readonly Check[] = [
  {
    id: 'prints-credentials',
    layer: 'threats',
    severity: 'high',
    verdict: 'ask',
    message: 'This prints a stored credential (a token, a password or a key), which would be displayed and recorded.',
    instead: 'Let the program that needs it read it directly, for example `gh api` instead of `gh auth token`.',
    names: [...Object.keys(STORES), ...names('npm pnpm yarn docker podman composer')],
    inspect: (command) => (printsCredential(command) ? { span: command.span, confidence: 0.9 } : null),
    examples: {
      matches: [
        ...[
          'git config --get-all http.extraheader',
          'git config --get credential.helper',
          'git config http.https://github.com/.extraheader',
          'git -C x config --get-regexp "^http.*"',
          'git credential fill',
          'gh auth token',
          'gh auth status --show-token',
        ],
        ...[
          'aws configure get aws_secret_access_key',
          'aws --profile p configure get aws_session_token',
          'aws ecr get-login-password',
          'npm config get //r.x.y/:_authToken',
          'yarn config get npmAuthToken',
          'gcloud auth print-access-token',
          'kubectl config view --raw',
        ],
        ...[
          'kubectl get secret -o yaml',
          'kubectl -n x get secrets/db -ojson',
          'kubectl get secret db --output=jsonpath={.data.p}',
          'kubectl get pods,secrets -o yaml',
          'vault read x',
          'vault kv get x',
          'op read op://a/b',
          'pass show x',
          'pass mail/work',
        ],
        ...[
          'security find-generic-password -w -s x',
          "docker inspect --format '{{.Config.Env}}' x",
          "docker inspect -f '{{json .Config}}' x",
          'terraform output -raw key',
          'terraform output -json',
          'az account get-access-token',
          'heroku config',
          "bash -c 'gh auth token'",
          'echo "$(gh auth token)"',
        ],
      ],
      passes: [
        ...[
          'gh auth status',
          'git config --get user.name',
          'git config --list',
          'git config --get remote.origin.url',
          'aws configure get region',
          'npm config get registry',
          'kubectl config view',
          'kubectl get secrets',
        ],
        ...[
          'kubectl get secret -o name',
          'kubectl get secrets -o wide',
          'kubectl get pods -o yaml',
          'vault status',
          'op --version',
          'pass ls',
          'pass',
          "docker inspect -f '{{.State.Status}}' x",
          'docker inspect x',
        ],
        ...[
          'terraform output',
          'az account show',
          'heroku apps',
          'echo gh auth token',
          'git config --global credential.helper store',
          'gcloud auth list',
          'docker ps',
          'git log --grep credential',
          'security list-keychains',
        ],
      ],
    },
  },
];

const SECRET_KEY =
  /extraheader|^credential\b|\.(?:token|password|passphrase|secret|proxy|cookiefile)$|token$|password$|secret|api-?key/i;

function printsCredential(command: CommandFact): boolean {
  const { name } = command;
  if (name === null) return false;
  if (
    stored()
      .get(name)
      ?.some((words) => hasWordsInOrder(command, ...words)) === true
  )
    return true;
  const words = knownWords(command);
  switch (name) {
    case 'git':
      return words.includes('config') && isSecretQuestion(words.slice(words.indexOf('config') + 1));
    case 'aws':
      return hasWordsInOrder(command, 'configure', 'get') && /secret|token|access_key/.test(words.at(-1) ?? '');
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'composer':
      return (
        words.includes('config') && /_?auth|token|_password|oauth/i.test(words.at(-1) ?? '') && !words.includes('set')
      );
    case 'kubectl':
    case 'oc':
      return words.includes('get') && words.some(isSecretKind) && showsContent(words);
    case 'pass':
    case 'gopass':
      // A name alone means `show`.
      return (
        words.length === 1 && !/^-|^(?:ls|list|find|search|help|version|git|init|insert|edit|rm)$/.test(words[0] ?? '')
      );
    case 'docker':
    case 'podman':
      return (
        words.includes('inspect') &&
        words.some((word) => /\.Env\b|json\s+\.(?:Config)?\s*\}|json \.Config\b/.test(word))
      );
    default:
      return false;
  }
}

const stored = once(
  (): ReadonlyMap<string, readonly (readonly string[])[]> =>
    new Map(Object.entries(STORES).map(([name, list]) => [name, list.map((words) => words.split(' '))])),
);

const SETS = /^--(?:add|unset|unset-all|replace-all|rename-section|remove-section|edit)$|^-e$/;

/** One key, or a pattern for keys, not followed by a value to set. */
function isSecretQuestion(words: readonly string[]): boolean {
  if (words.some((word) => SETS.test(word))) return false;
  const operands = words.filter(
    (word, i) => !word.startsWith('-') && !/^(?:-f|--file|--type)$/.test(words[i - 1] ?? ''),
  );
  const asked = operands[0] === 'get' ? operands.slice(1) : operands;
  const isPattern = words.includes('--get-regexp') || words.includes('--get-urlmatch');
  const isGet = isPattern || words.some((word) => word.startsWith('--get')) || asked.length === 1;
  return isGet && (SECRET_KEY.test(asked[0] ?? '') || (isPattern && /http|cred|\.\*/.test(asked[0] ?? '')));
}

const isSecretKind = (word: string) => /(?:^|,)secrets?(?:$|[/,])/.test(word);

function showsContent(words: readonly string[]): boolean {
  const format = words.find(
    (word, i) => /^(?:-o|--output)$/.test(words[i - 1] ?? '') || /^(?:-o.|--output=|--template)/.test(word),
  );
  return format !== undefined && !/^(?:-o|--output=)?(?:name|wide)$/.test(format);
}
