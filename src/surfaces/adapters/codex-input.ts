// The input of Codex's two tools: their schemas, and input × schema → its fields, or an error.

export type Fields = Readonly<Record<string, unknown>>;

/** The JSON schema of one field. */
export interface FieldSchema {
  readonly type: 'string' | 'number' | 'boolean';
  readonly description: string;
  readonly enum?: readonly string[];
}

export interface CodexSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

const TOKENS: FieldSchema = {
  type: 'number',
  description: 'How many tokens of output to return: 7500 or fewer. The middle of longer output is omitted.',
};

export const COMMAND_SCHEMA: CodexSchema = {
  type: 'object',
  properties: {
    cmd: { type: 'string', description: 'Shell command to execute.' },
    workdir: { type: 'string', description: 'Working directory for this command; relative to the current one.' },
    tty: { type: 'boolean', description: 'Keep the input open for write_stdin. There is no terminal. Default false.' },
    yield_time_ms: {
      type: 'number',
      description: 'How long to wait for its end before returning. Default 10000, from 250 to 30000.',
    },
    max_output_tokens: TOKENS,
    sandbox_permissions: {
      type: 'string',
      enum: ['use_default', 'require_escalated'],
      description: 'require_escalated asks to run it outside of the sandbox; the settings must allow such requests.',
    },
    justification: { type: 'string', description: 'Why, in one sentence. The user sees it when asked to approve.' },
  },
  required: ['cmd'],
  additionalProperties: false,
};

export const WRITE_SCHEMA: CodexSchema = {
  type: 'object',
  properties: {
    session_id: { type: 'number', description: 'The session ID of the running command.' },
    chars: { type: 'string', description: 'What to write to its input. Empty: only wait for output.' },
    yield_time_ms: {
      type: 'number',
      description: 'How long to wait for its end. Default 250, up to 30000; with empty chars from 5000 to 300000.',
    },
    max_output_tokens: TOKENS,
  },
  required: ['session_id'],
  additionalProperties: false,
};

/** `input`: an object, or JSON as the model wrote it. */
export function readFields({ properties, required }: CodexSchema, input: unknown): Fields | string {
  const value = typeof input === 'string' ? parse(input) : input;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'Invalid input: it must be a JSON object.';
  const fields = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined));
  const missing = required.find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return `Invalid input: "${missing}" is missing.`;
  for (const [name, each] of Object.entries(fields)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined)
      return `Invalid input: unknown field "${name}". Fields: ${Object.keys(properties).join(', ')}.`;
    const problem = problemOf(field, each);
    if (problem !== null) return `Invalid input: "${name}" ${problem}.`;
  }
  return fields;
}

function problemOf({ type, enum: choices }: FieldSchema, value: unknown): string | null {
  const isText = typeof value === 'string';
  if (type === 'number')
    return Number.isSafeInteger(value) && (value as number) > 0 ? null : 'must be an integer greater than 0';
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'must be true or false';
  if (!isText) return 'must be a string';
  if (value.includes('\0')) return 'must not contain a NUL character';
  return choices === undefined || choices.includes(value) ? null : `must be one of ${choices.join(', ')}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
