// The command line of `hardshell run --profile` → the input of the profile's tool, in the names of its document.
// An option for which the document has no field is refused: it must not be ignored.

import { InvalidArgumentError } from 'commander';
import type { ProfileName, ProfileTool } from '../../../host.ts';
import { usageError } from '../refusal.ts';
import type { RunVerbOptions } from './options.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Options that belong to the command, and not to the surroundings in which it runs. */
interface Asked {
  readonly args?: readonly string[];
  readonly background?: true;
  readonly timeout?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly description?: string;
  readonly dangerouslyDisableSandbox?: true;
}

type Mapping = { readonly [Name in keyof Asked]: (value: NonNullable<Asked[Name]>) => Fields };

const milliseconds = (seconds: number): Fields => ({ timeout: Math.ceil(seconds * 1_000) });
const args = (words: readonly string[]): Fields => ({ args: [...words] });
const env = (variables: Readonly<Record<string, string>>): Fields => ({ env: variables });
const description = (text: string): Fields => ({ description: text });
const background = (): Fields => ({ run_in_background: true });

const MAPPINGS: Readonly<Record<ProfileName, Mapping>> = {
  req: { background: () => ({ mode: 'background' }) },
  'claude-code': {
    background,
    timeout: milliseconds,
    description,
    dangerouslyDisableSandbox: () => ({ dangerouslyDisableSandbox: true }),
  },
  'proposal-0028': { background, timeout: milliseconds, env, description },
  'mcp-guide': { args, timeout: (seconds) => ({ timeout: seconds }) },
  layered: {
    args,
    timeout: milliseconds,
    env,
    description,
    dangerouslyDisableSandbox: () => ({ enable_sandbox: false }),
  },
};

const FLAGS: Readonly<Record<keyof Asked, string>> = {
  args: '--argv',
  background: '--background',
  timeout: '--timeout',
  env: '--env',
  description: '--description',
  dangerouslyDisableSandbox: '--dangerously-disable-sandbox',
};

export function inputFor(
  tool: Pick<ProfileTool, 'name' | 'inputSchema'>,
  command: string,
  words: readonly string[] | null,
  options: RunVerbOptions & { readonly profile: ProfileName },
): Fields {
  const { profile, field = [] } = options;
  const asked: Asked = { ...options, ...(words === null ? {} : { args: words }) };
  const mapped = (Object.keys(FLAGS) as (keyof Asked)[])
    .filter((name) => asked[name] !== undefined)
    .map((name) => {
      const map = MAPPINGS[profile][name] as ((value: unknown) => Fields) | undefined;
      if (map === undefined) throw unknownField(FLAGS[name], tool, profile);
      return map(asked[name]);
    });
  // The command is shell text; LAYER takes it for the name of a program unless told.
  const isText = profile === 'layered' && words === null;
  const given = field.map(([name, text]) => ({ [name]: readField(tool, name, text) }));
  return Object.assign({ command }, isText ? { enable_shell_features: true } : {}, ...mapped, ...given);
}

function unknownField(flag: string, { name, inputSchema }: Pick<ProfileTool, 'name' | 'inputSchema'>, profile: string) {
  const fields = Object.keys(inputSchema.properties).join(', ');
  return usageError(
    `${flag} cannot be used with --profile ${profile}: its tool ${name} has no such field.`,
    `Its fields are ${fields}. Set one with --field NAME=VALUE.`,
  );
}

/** Text for a field that is text, JSON for others. The tool itself refuses what does not fit. */
function readField({ inputSchema }: Pick<ProfileTool, 'inputSchema'>, name: string, text: string): unknown {
  const { type } = (inputSchema.properties[name] ?? {}) as { readonly type?: unknown };
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function collectField(
  value: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const at = value.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Use NAME=VALUE, for example mode=slow.');
  return [...before, [value.slice(0, at), value.slice(at + 1)]];
}
