// terraform and tofu start the providers that lie in the project to learn what their resources look like.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { CommandCheck } from '../check.ts';

const P = '/home/u/project';
const PROVIDER = { [`${P}/.terraform/providers/registry.terraform.io/a/b/1.0.0/linux_amd64/terraform-provider-b`]: '' };

/** They read the state, or the words of the configuration, and ask no provider about them. */
const ASKS_NO_PROVIDER = /^(?:version|fmt|output|workspace|state list|providers)$/;

export const terraformProviders: CommandCheck = {
  id: 'terraform-providers',
  layer: 'repository',
  severity: 'medium',
  verdict: 'ask',
  names: ['terraform', 'tofu'],
  message: 'It starts the provider programs that lie in the folder `.terraform` of the project.',
  instead: 'Use `terraform fmt -check`, `terraform state list` or `terraform output`, which start none.',
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
    ],
    passes: [
      'terraform validate',
      { command: 'terraform version && terraform fmt -check', files: PROVIDER },
      { command: 'terraform output && terraform state list && terraform providers', files: PROVIDER },
      { command: 'terraform --version', files: PROVIDER },
      { command: 'terraform validate', files: PROVIDER, context: { probe: null } },
      { command: 'terraform apply', files: PROVIDER },
    ],
  },
  inspect(command, { context: { probe } }) {
    if (probe === null || command.elsewhere !== null || !asksProvider(command)) return null;
    const { cwd, span } = command;
    if (cwd === null) return { span, message: 'It starts provider programs of a folder that is not known.' };
    const places = cwd.flatMap((folder) =>
      ['providers', 'plugins'].map((name) => posix.join(folder, '.terraform', name)),
    );
    const found = places.find((place) => probe.kind(place) !== 'absent');
    return found === undefined ? null : { span, message: `It starts the provider programs in ${found}.` };
  },
};

/** Whatever is not read-only is asked about anyway. */
function asksProvider({ readOnly, invocation }: CommandFact): boolean {
  const [, ...words] = invocation?.path ?? [];
  if (!readOnly || words.length === 0) return false;
  return !ASKS_NO_PROVIDER.test(words.join(' ')) && words[0] !== 'workspace';
}
