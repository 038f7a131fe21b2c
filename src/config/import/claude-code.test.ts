import { expect, test } from 'vitest';
import { validateText } from '../load.ts';
import { importClaudeSettings } from './claude-code.ts';

const KNOWLEDGE = {
  checkRule: (text: string) =>
    text.includes('bad') ? { ok: false as const, why: 'it is bad.', hint: null } : { ok: true as const },
  knownCheckIds: new Set<string>(),
};

function translate(value: unknown) {
  const { settings, notes } = importClaudeSettings(JSON.stringify(value), 's.json', KNOWLEDGE);
  expect(validateText(JSON.stringify(settings), 'out.json', KNOWLEDGE).problems).toEqual([]);
  return { settings, notes: notes.map(({ key, message }) => `${key}: ${message}`) };
}

test.each([
  [{}, {}, []],
  [
    {
      permissions: {
        allow: ['Bash(npm run:*)', 'Read(~/.zshrc)'],
        ask: ['Bash(git push:*)'],
        deny: ['WebFetch(domain:x)', 'Edit(//a)'],
      },
    },
    {
      permissions: {
        allow: ['Bash(npm run:*)', 'Read(~/.zshrc)'],
        ask: ['Bash(git push:*)'],
        deny: ['WebFetch(domain:x)', 'Edit(//a)'],
      },
    },
    [],
  ],
  [
    { permissions: { deny: ['mcp__x__y', 'Task(z)', 'BashOutput', 'Bash(bad)', 5, 'Bash'] } },
    { permissions: { deny: ['Bash'] } },
    [
      'permissions.deny[0]: not imported: "mcp__x__y" is for a tool that hardshell does not check',
      'permissions.deny[1]: not imported: "Task(z)" is for a tool that hardshell does not check',
      'permissions.deny[2]: not imported: "BashOutput" is for a tool that hardshell does not check',
      'permissions.deny[3]: not imported: "Bash(bad)" cannot be used: it is bad.',
      'permissions.deny[4]: not imported: it is not a string',
    ],
  ],
  ...Object.entries({
    default: 'default',
    plan: 'plan',
    acceptEdits: 'accept-edits',
    dontAsk: 'dont-ask',
    bypassPermissions: 'bypass',
  }).map(([theirs, ours]): [object, object, string[]] => [
    { permissions: { defaultMode: theirs } },
    { mode: ours },
    [],
  ]),
  [
    { permissions: { defaultMode: 'auto' } },
    {},
    ['permissions.defaultMode: not imported: no equivalent of the mode "auto"'],
  ],
  [
    { permissions: { defaultMode: 'toString' } },
    {},
    ['permissions.defaultMode: not imported: no equivalent of the mode "toString"'],
  ],
  [{ permissions: { disableBypassPermissionsMode: 'disable' } }, { allowBypass: false }, []],
  [
    { permissions: { additionalDirectories: ['../docs', '/srv/x', '~/y'] } },
    { roots: ['../docs', '//srv/x', '~/y', '.', '//tmp'] },
    [
      'permissions.additionalDirectories: imported as roots, with the current folder and /tmp; reading outside them is asked about too',
    ],
  ],
  [
    { env: { A: '1', 'B C': '2', D: 3 } },
    { environment: { set: { A: '1' } } },
    ['env.B C: not imported: not a valid variable name', 'env.D: not imported: it is not a string'],
  ],
  [
    {
      sandbox: {
        enabled: true,
        autoAllowBashIfSandboxed: true,
        excludedCommands: ['docker'],
        allowUnsandboxedCommands: false,
        network: { allowedDomains: ['a.org'], deniedDomains: ['b.org'], allowLocalBinding: true, other: 1 },
        filesystem: { allowWrite: ['/out', '//srv', '~/c', './d'], denyRead: ['//e', '/keys'] },
      },
    },
    {
      sandbox: {
        excludedCommands: ['docker'],
        allowUnsandboxed: false,
        network: { allowLocalBinding: true },
        filesystem: { allowWrite: ['/out', '//srv', '~/c', './d'], denyRead: ['//e', '/keys', '//keys'] },
      },
      domains: { allow: ['a.org'], deny: ['b.org'] },
    },
    [
      'sandbox.autoAllowBashIfSandboxed: not imported: a sandbox never replaces a verdict here',
      'sandbox.network.other: not imported: hardshell has no such setting',
      'sandbox.filesystem.allowWrite[0]: "/out" is a folder next to the settings; for the absolute path, write "//out"',
    ],
  ],
  [
    {
      allowManagedPermissionRulesOnly: true,
      sandbox: {
        excludedCommands: ['npm run', 'docker:*', 'git'],
        network: { allowManagedDomainsOnly: true },
        filesystem: { allowManagedReadPathsOnly: true },
      },
    },
    { sandbox: { excludedCommands: ['git'] } },
    [
      'allowManagedPermissionRulesOnly: not imported: it counts in managed settings only; there it is called "managedRulesOnly"',
      'sandbox.excludedCommands[0]: not imported: "npm run" is not the name of a program, and only names count',
      'sandbox.excludedCommands[1]: not imported: "docker:*" is not the name of a program, and only names count',
      'sandbox.network.allowManagedDomainsOnly: not imported: it counts in managed settings only; there it is called "managedDomainsOnly"',
      'sandbox.filesystem.allowManagedReadPathsOnly: not imported: it counts in managed settings only; there it is called "managedPathsOnly"',
    ],
  ],
  [
    { hooks: {}, model: 'x', permissions: [] },
    {},
    [
      'hooks: not imported: hardshell has no such setting',
      'model: not imported: hardshell has no such setting',
      'permissions: not imported: hardshell has no such setting',
    ],
  ],
])('%j', (theirs, settings, notes) => expect(translate(theirs)).toEqual({ settings, notes }));

test('notes say where', () => {
  const { notes } = importClaudeSettings(
    '{\n  // theirs\n  "permissions": {\n    "allow": ["Bash(a)",\n      "Task"]}}',
    's.json',
    KNOWLEDGE,
  );
  expect(notes.map(({ line, column }) => [line, column])).toEqual([[5, 7]]);
});

test.each([
  ['{', 's.json:1:2: Expected a closing }.'],
  ['[]', 's.json:1:1: The settings must be an object.'],
])('%s is refused', (text, message) => expect(() => importClaudeSettings(text, 's.json', KNOWLEDGE)).toThrow(message));

test('every value of the input is either imported or named in a note', () => {
  const input = {
    $schema: 'x',
    permissions: { allow: ['Bash(a)', 'X'], y: 1 },
    sandbox: { z: 1, network: { q: 1 } },
    __proto: 1,
  };
  expect(translate(input).notes.map((note) => note.split(':')[0])).toEqual([
    'permissions.allow[1]',
    'permissions.y',
    'sandbox.z',
    'sandbox.network.q',
    '__proto',
  ]);
});
