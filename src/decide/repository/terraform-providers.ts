// terraform and tofu start the providers in the project to learn the schemas of their resources, and read the
// state through the backend that the project chose: `credential_process` of an S3 backend is any program.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { CommandCheck } from '../check.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 262_144;
const PROVIDER = { [`${P}/.terraform/providers/registry.terraform.io/a/b/1.0.0/linux_amd64/terraform-provider-b`]: '' };
const backend = (text: string) => ({ [`${P}/.terraform/terraform.tfstate`]: text });
const S3 = backend('{"version": 3, "backend": {"type": "s3", "config": {"shared_config_files": ["./c"]}}}');

/** They read the state, or the text of the configuration, and start no provider. */
const ASKS_NO_PROVIDER = /^(?:version|fmt|output|workspace(?: .*)?|state list|providers)$/;
/** They never open the backend. */
const READS_NO_STATE = /^(?:version|fmt|validate|workspace show)$/;

export const terraformProviders: CommandCheck = {
  id: 'terraform-providers',
  layer: 'repository',
  severity: 'medium',
  verdict: 'ask',
  names: ['terraform', 'tofu'],
  message: 'It starts programs that the project chooses: providers in the folder `.terraform`, or those of a backend.',
  instead: 'Use `terraform fmt -check` or `terraform version`, which start no providers.',
  examples: {
    matches: [
      { command: 'terraform validate', files: PROVIDER },
      { command: 'terraform show', files: PROVIDER },
      { command: 'terraform graph -type=plan', files: PROVIDER },
      { command: 'terraform state show a.b', files: PROVIDER },
      { command: 'terraform providers schema -json', files: PROVIDER },
      { command: 'cd .. && tofu validate', cwd: `${P}/src`, files: PROVIDER },
      { command: 'terraform validate', files: { [`${P}/.terraform/plugins/linux_amd64/terraform-provider-b`]: '' } },
      { command: 'cd "$X" && terraform validate' },
      { command: 'terraform state list', files: S3 },
      { command: 'terraform output', files: S3 },
      { command: 'terraform workspace list', files: S3 },
      { command: 'terraform providers', files: S3 },
      { command: 'tofu show', files: S3 },
      { command: 'terraform graph', files: backend('{"backend": {"type": "http"}}') },
      { command: 'terraform output', files: backend('{broken') },
      { command: 'cd "$X" && terraform output' },
      { command: 'tofu output', files: { [`${P}/main.tf`]: 'terraform {\n  encryption {\n  }\n}\n' } },
    ],
    passes: [
      'terraform validate',
      { command: 'terraform version && terraform fmt -check', files: { ...PROVIDER, ...S3 } },
      { command: 'terraform validate && terraform workspace show', files: S3 },
      { command: 'terraform output && terraform state list && terraform providers', files: PROVIDER },
      { command: 'terraform output', files: backend('{"version": 3, "backend": {"type": "local", "config": {}}}') },
      { command: 'terraform output', files: backend('{"version": 4, "resources": []}') },
      { command: 'tofu output', files: { [`${P}/main.tf`]: 'resource "a" "b" {}\n' } },
      { command: 'terraform --version', files: { ...PROVIDER, ...S3 } },
      { command: 'terraform validate', files: PROVIDER, context: { probe: null } },
      { command: 'terraform apply', files: PROVIDER },
    ],
  },
  inspect(command, { context: { probe } }) {
    const verb = verbOf(command);
    if (probe === null || command.elsewhere !== null || verb === null) return null;
    const { cwd, span } = command;
    const asksProvider = !ASKS_NO_PROVIDER.test(verb);
    const readsState = !READS_NO_STATE.test(verb);
    if (!asksProvider && !readsState) return null;
    if (cwd === null) return { span, message: 'It starts programs chosen by a folder, and the folder is unknown.' };
    const places = cwd.flatMap((folder) =>
      ['providers', 'plugins'].map((name) => posix.join(folder, '.terraform', name)),
    );
    const found = asksProvider ? places.find((place) => probe.kind(place) !== 'absent') : undefined;
    if (found !== undefined) return { span, message: `It starts the provider programs in ${found}.` };
    const backend = readsState ? cwd.map((folder) => findBackend(folder, command, probe)).find(isFound) : undefined;
    return backend === undefined ? null : { span, message: `It reads the state through ${backend}.` };
  },
};

/** The words after the program; `null` if it is not read-only: then it is asked about anyway. */
function verbOf({ readOnly, invocation }: CommandFact): string | null {
  const [, ...words] = invocation?.path ?? [];
  return readOnly && words.length > 0 ? words.join(' ') : null;
}

function isFound(what: string | null): what is string {
  return what !== null;
}

function findBackend(folder: string, { name }: CommandFact, probe: Probe): string | null {
  const file = posix.join(folder, '.terraform', 'terraform.tfstate');
  if (probe.kind(file) !== 'absent') {
    const type = backendType(probe.readText(file, FILE_LIMIT_BYTES));
    if (type !== 'local') return `a backend that may run programs (${type ?? 'not readable'}, ${file})`;
  }
  return name === 'tofu' ? findEncryption(folder, probe) : null;
}

/** `null`: it cannot be determined. A file without a backend is the state of an old version, which is local. */
function backendType(text: string | null): string | null {
  try {
    const state: unknown = JSON.parse(text ?? '');
    if (typeof state !== 'object' || state === null) return null;
    const { backend } = state as { readonly backend?: unknown };
    if (backend === undefined || backend === null) return 'local';
    const { type } = backend as { readonly type?: unknown };
    return typeof type === 'string' ? type : null;
  } catch {
    return null;
  }
}

/** tofu can decrypt the state with a key from any program: `key_provider "external"`. */
function findEncryption(folder: string, probe: Probe): string | null {
  for (const name of probe.list(folder) ?? []) {
    if (!/\.(?:tf|tofu)(?:\.json)?$/.test(name)) continue;
    const file = posix.join(folder, name);
    const text = probe.readText(file, FILE_LIMIT_BYTES);
    if (text === null || /encryption/.test(text)) return `an encryption that may run programs (${file})`;
  }
  return null;
}
