// The vocabulary of the settings schema: kinds of values, each with a description for people.
// Uses only keywords that validate.ts supports; a keyword that is not in `Schema` does not compile.

export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  readonly description?: string;
  readonly enum?: readonly (string | boolean)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: false | Schema;
  readonly propertyNames?: { readonly pattern: string; readonly description: string };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: 1;
  /** Alternatives that differ in their type. */
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  /** What the pattern requires, for people; the validator prints it. */
  readonly errorMessage?: string;
}

const NO_NUL = '^[^\\u0000]+$';
export const WEBHOOK_URL = '^(https://[^\\s/@?#]+|http://(localhost|127(\\.\\d+){3}|\\[::1\\])(:\\d+)?)([/?]\\S*)?$';
const ISO_DATE = '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?(Z|[+-]\\d{2}:\\d{2}))?$';

export function text(description: string): Schema {
  return { type: 'string', description, pattern: NO_NUL, errorMessage: 'Write at least one character, and no NUL.' };
}

export function list(description: string, items: Schema): Schema {
  return { type: 'array', description, items };
}

export function fields(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', description, additionalProperties: false, properties };
}

export function flag(description: string): Schema {
  return { type: 'boolean', description };
}

export function amount(description: string): Schema {
  return { type: 'integer', description, minimum: 1 };
}

export const path: Schema = {
  type: 'string',
  description:
    '//abs is absolute, /x starts at the folder of the settings, ~/x at home, ./x or x at the current folder.',
  pattern: '^(?!~[^/])[^\\u0000]+$',
  errorMessage: 'Write //absolute, /below-the-settings-folder, ~/below-home or ./below-the-current-folder.',
};
export const rule = text('A rule such as Bash(git push:*) or Read(~/.ssh/**).');
export const entry: Schema = {
  oneOf: [
    rule,
    {
      type: 'object',
      description: 'A rule with an expiry date, with a reason, or for staged changes.',
      additionalProperties: false,
      required: ['rule'],
      properties: {
        rule,
        until: {
          type: 'string',
          description: 'The last day (2030-12-31, in UTC) or the moment (2030-12-31T18:00Z) on which it is valid.',
          pattern: ISO_DATE,
          errorMessage: 'Write a day such as 2030-12-31, or a moment with its zone such as 2030-12-31T18:00Z.',
        },
        because: text('Why the rule exists; shown with every verdict that it gives.'),
        staging: {
          type: 'string',
          enum: ['apply', 'review'],
          description:
            'In allow and ask: changes of the commands that it matches are staged at least like this (docs/staging.md).',
        },
      },
    },
  ],
};
export const command = text('The name of a program.');
export const domain = text('A host name, an address or a network; *.example.com matches all subdomains.');
export const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
export const variableName: Schema = {
  type: 'string',
  pattern: '^[A-Za-z_][A-Za-z0-9_]*\\*?$',
  errorMessage: 'Write the name of a variable; a star at the end matches any suffix.',
};
export const VARIABLE = {
  pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
  description: 'Write the name of a variable: letters, digits, _.',
};
