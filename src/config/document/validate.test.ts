import { describe, expect, test } from 'vitest';
import { validateText } from '../load.ts';
import { describeProblem, problemsOf, toError } from './problem.ts';
import { type Knowledge, parseUntil } from './validate.ts';

const KNOWLEDGE: Knowledge = {
  checkRule: (text) =>
    /^(?:Bash|Read)\(.+\)$|^Network\([\w.*-]+\)$/.test(text)
      ? { ok: true }
      : { ok: false, why: 'the bracket is not closed.', hint: 'Close it.' },
  knownCheckIds: new Set(['force-push', 'blind-add']),
};

function problems(text: string): string[] {
  return validateText(text, '/s.json', KNOWLEDGE).problems.map((each) => `${describeProblem(each)} => ${each.fix}`);
}

const FULL = `{
  // Comments and trailing commas are fine.
  "$schema": "x", "mode": "plan",
  "permissions": { "allow": ["Bash(ls)", { "rule": "Bash(a)", "until": "2030-01-31", "because": "b" }], },
  "roots": ["."], "confineReads": true, "protectedPaths": ["~/x"], "secretPaths": ["//x"], "allowedCommands": ["ls"],
  "blacklist": { "commands": ["a"], "directories": ["/b"] }, "domains": { "allow": ["a"], "deny": ["*.b"] },
  "users": { "anna@example.org": { "allow": ["Bash(a)"], "roots": ["."], "limits": { "timeoutMs": 5 } }, "*": {} },
  "checks": { "force-push": "deny" }, "requireConfirmation": true, "approval": { "timeoutSeconds": 60 },
  "trustedFolders": ["//a", "~/b"], "managedRulesOnly": true, "managedDomainsOnly": true, "managedPathsOnly": true,
  "allowBypass": false, "environment": { "set": { "A": "" }, "keep": ["B_*"], "drop": ["C"] },
  "sandbox": { "excludedCommands": ["a"], "allowUnsandboxed": false, "failIfUnavailable": true,
    "filesystem": { "allowWrite": ["."] }, "network": { "allowPorts": [80] } }, "limits": { "processes": 5 },
}`;

test('everything at once is valid', () => expect(problems(FULL)).toEqual([]));

describe('each problem has its position and its fix', () => {
  test.each([
    ['', ['/s.json:1:1: The file is empty. => Write {} into it, or remove it.']],
    ['// only a comment', ['/s.json:1:1: The file is empty. => Write {} into it, or remove it.']],
    ['[]', ['/s.json:1:1: The settings must be an object, not a list. => Write { … }, or remove the key.']],
    ['{"mode" "plan"}', ['/s.json:1:9: Expected a colon. => Write "key": value.']],
    [
      '{\n  "mode": "plan"\n  "roots": []\n}',
      ['/s.json:3:3: Expected a comma. => Add a comma after the previous entry.'],
    ],
    ['{"mode": "plan"', ['/s.json:1:16: Expected a closing }. => Close the bracket.']],
    [
      '{"mode": "plan',
      [
        '/s.json:1:10: The string is not closed on its line. => Close the double quotes.',
        '/s.json:1:15: Expected a closing }. => Close the bracket.',
      ],
    ],
    ['{} {}', ['/s.json:1:4: Unexpected text after the end of the settings. => Keep one pair of outer braces.']],
    [
      "{'mode': 1}",
      expect.arrayContaining([
        '/s.json:1:2: This is not JSON. => Put strings in double quotes; only true, false and null have none.',
      ]),
    ],
    [
      '{"mode": "bypas"}',
      [
        '/s.json:1:10: mode cannot be "bypas". => Did you mean "bypass"? Write "plan", "default", "accept-edits", "auto", "dont-ask" or "bypass".',
      ],
    ],
    [
      '{"mode": "acceptEdits"}',
      [
        '/s.json:1:10: mode cannot be "acceptEdits". => Did you mean "accept-edits"? Write "plan", "default", "accept-edits", "auto", "dont-ask" or "bypass".',
      ],
    ],
    ['{"mode": null}', ['/s.json:1:10: mode must be a string, not null. => Write "…", or remove the key.']],
    [
      '{"confineReads": "true"}',
      ['/s.json:1:18: confineReads must be true or false, not a string. => Write true or false, or remove the key.'],
    ],
    ['{"roots": "/x"}', ['/s.json:1:11: roots must be a list, not a string. => Write [ … ], or remove the key.']],
    ['{"roots": ["a", 5]}', ['/s.json:1:17: roots[1] must be a string, not 5. => Write "…", or remove the key.']],
    [
      '{"roots": ["~bob/x"]}',
      [
        '/s.json:1:12: roots[0] cannot be "~bob/x". => Write //absolute, /below-the-settings-folder, ~/below-home or ./below-the-current-folder.',
      ],
    ],
    [
      '{"roots": ["a\\u0000b"]}',
      [
        '/s.json:1:12: roots[0] cannot be "a\\u0000b". => Write //absolute, /below-the-settings-folder, ~/below-home or ./below-the-current-folder.',
      ],
    ],
    ['{"permisions": {}}', ['/s.json:1:2: Unknown setting "permisions". => Did you mean "permissions"?']],
    [
      '{"require_confirmation": true}',
      ['/s.json:1:2: Unknown setting "require_confirmation". => Did you mean "requireConfirmation"?'],
    ],
    [
      '{"domains": {"deny": ["a.org", "https://b.org/x"]}}',
      [
        '/s.json:1:32: "https://b.org/x" is not a host name. => Write example.com, *.example.com, example.com:8080 or 10.0.0.0/8.',
      ],
    ],
    ['{"deny": []}', ['/s.json:1:2: Unknown setting "deny". => Did you mean "permissions.deny" or "domains.deny"?']],
    [
      '{"permissions": {"mode": "plan"}}',
      ['/s.json:1:18: Unknown setting "mode" in permissions. => Did you mean "mode"?'],
    ],
    [
      '{"hooks": {}}',
      [
        '/s.json:1:2: Unknown setting "hooks". => This is from Claude Code, and has no meaning here. hardshell config import claude-code translates settings of Claude Code.',
      ],
    ],
    [
      '{"sandbox": {"enabled": true}}',
      [
        '/s.json:1:14: Unknown setting "enabled" in sandbox. => Write "name": "workspace" in sandbox for true, "unrestricted" for false. hardshell config import claude-code translates settings of Claude Code.',
      ],
    ],
    [
      '{"sandbox": {"network": {"allowedDomains": ["api.github.com"]}}}',
      [
        '/s.json:1:26: Unknown setting "allowedDomains" in sandbox.network. => Here it is called "domains.allow". hardshell config import claude-code translates settings of Claude Code.',
      ],
    ],
    [
      '{"sandbox": {"allowUnsandboxedCommands": true}}',
      [expect.stringContaining('=> Here it is called "sandbox.allowUnsandboxed".')],
    ],
    ['{"permissions": {"defaultMode": "plan"}}', [expect.stringContaining('=> Here it is called "mode".')]],
    ['{"env": {}}', [expect.stringContaining('=> Here it is called "environment.set".')]],
    [
      '{"permissions": {"xyz": []}}',
      ['/s.json:1:18: Unknown setting "xyz" in permissions. => Remove it. permissions has allow, ask or deny.'],
    ],
    [
      '{"__proto__": {"mode": "bypass"}}',
      expect.arrayContaining([expect.stringContaining('/s.json:1:2: Unknown setting "__proto__".')]),
    ],
    [
      '{"users": {"__proto__": {}}}',
      ['/s.json:1:12: "__proto__" is not a name for users. => Write a user name without blanks, or *.'],
    ],
    [
      '{"environment": {"set": {"A B": ""}}}',
      ['/s.json:1:26: "A B" is not a name for environment.set. => Write the name of a variable: letters, digits, _.'],
    ],
    [
      '{"approval": {"timeoutSeconds": 0}}',
      ['/s.json:1:33: approval.timeoutSeconds cannot be 0. => Write a number from 1 to 86400.'],
    ],
    [
      '{"approval": {"timeoutSeconds": 1.5}}',
      ['/s.json:1:33: approval.timeoutSeconds must be a whole number, not 1.5. => Write 1, or remove the key.'],
    ],
    [
      '{"limits": {"memoryBytes": "5MB"}}',
      [
        '/s.json:1:28: limits.memoryBytes must be a whole number, not a string. => Write a number of bytes such as 268435456, or remove the key.',
      ],
    ],
    [
      '{"users": {"a": {"limits": {"x": 1e999}}}}',
      ['/s.json:1:34: users.a.limits.x must be a number, not Infinity. => Write 1, or remove the key.'],
    ],
    [
      '{"trustedFolders": ["."]}',
      [
        '/s.json:1:21: trustedFolders[0] cannot be ".". => Write //absolute or ~/below-home; a relative folder would trust any current folder.',
      ],
    ],
    [
      '{"trustedFolders": ["/home"]}',
      [
        '/s.json:1:21: trustedFolders[0] cannot be "/home". => Write //absolute or ~/below-home; a relative folder would trust any current folder.',
      ],
    ],
    [
      '{"permissions": {"deny": [7]}}',
      ['/s.json:1:27: permissions.deny[0] must be a string or an object. => Write "…" or { … }.'],
    ],
    [
      '{"permissions": {"deny": [{"until": "2030-01-01"}]}}',
      ['/s.json:1:27: permissions.deny[0] has no "rule". => Add "rule".'],
    ],
    [
      '{"permissions": {"deny": [\n  "Bash(rm"]}}',
      ['/s.json:2:3: The rule "Bash(rm" cannot be used: the bracket is not closed. => Close it.'],
    ],
    [
      '{"users": {"a": {"deny": ["Bash(rm"]}}}',
      ['/s.json:1:27: The rule "Bash(rm" cannot be used: the bracket is not closed. => Close it.'],
    ],
    [
      '{"permissions": {"deny": [{"rule": "Bash(a)", "until": "tomorrow"}]}}',
      [
        '/s.json:1:56: permissions.deny[0].until cannot be "tomorrow". => Write a day such as 2030-12-31, or a moment with its zone such as 2030-12-31T18:00Z.',
      ],
    ],
    [
      '{"permissions": {"deny": [{"rule": "Bash(a)", "staging": "review"}]}}',
      ['/s.json:1:47: A denied command never runs: staging has no effect here. => Remove it, or move the rule to ask.'],
    ],
    [
      '{"permissions": {"deny": [{"rule": "Bash(a)", "until": "2030-02-30"}]}}',
      ['/s.json:1:56: Invalid date: "2030-02-30". => Write a day such as 2030-12-31.'],
    ],
    [
      '{"permissions": {"deny": [{"rule": "Bash(a)", "until": "2030-12-31T18:00"}]}}',
      [expect.stringContaining('/s.json:1:56: permissions.deny[0].until cannot be')],
    ],
    ['{"checks": {"force-psh": "deny"}}', ['/s.json:1:13: Unknown check "force-psh". => Did you mean "force-push"?']],
    [
      '{"checks": {"force-push": "warn"}}',
      ['/s.json:1:27: checks.force-push cannot be "warn". => Write "allow", "ask" or "deny".'],
    ],
    [
      '{"permissions": {"deny": ["Bash(a)"], "deny": []}}',
      ['/s.json:1:39: The key "deny" is duplicated. => Merge the two.'],
    ],
    [
      '{"permissions": {}, "permissions": {}}',
      ['/s.json:1:21: The key "permissions" is duplicated. => Merge the two.'],
    ],
    [
      `${'['.repeat(200_000)}`,
      ['/s.json:1:33: More than 32 brackets are open. => Settings are at most six levels deep: remove the brackets.'],
    ],
    ['\ufeff{"mod": "plan"}', ['/s.json:1:3: Unknown setting "mod". => Did you mean "mode"?']],
    [
      '{"mod": 1,\r\n "root": 2}',
      [
        '/s.json:1:2: Unknown setting "mod". => Did you mean "mode"?',
        '/s.json:2:2: Unknown setting "root". => Did you mean "roots"?',
      ],
    ],
  ])('%j', (text, expected) => expect(problems(text)).toEqual(expected));
});

test('the error names all problems, and has them as data', () => {
  const { problems: found } = validateText('{"mod": 1,\n "root": 2}', '/s.json', KNOWLEDGE);
  const error = toError(found);
  expect(error).toMatchObject({ code: 'invalid-settings' });
  expect(error.message).toBe('/s.json:1:2: Unknown setting "mod".\n/s.json:2:2: Unknown setting "root".');
  expect(error.hint).toBe('First: Did you mean "mode"? hardshell config validate shows the fix for each.');
  expect(problemsOf(error)).toEqual(found);
});

test('text from the file cannot forge a line of the message', () => {
  expect(problems('{"a\\nhardshell: all is well": 1}')[0]).toContain('"a\\nhardshell: all is well"');
});

test('thousands of problems are counted, not printed', () => {
  const text = `{${Array.from({ length: 5_000 }, (_, i) => `"key${i}": 1`).join(',')}}`;
  const { problems: found } = validateText(text, '/s.json', KNOWLEDGE);
  expect(found.length).toBe(5_000);
  expect(toError(found).message.split('\n')).toHaveLength(21);
});

test.each([
  ['2030-01-31', Date.UTC(2030, 1, 1)],
  ['2030-01-31T18:00Z', Date.UTC(2030, 0, 31, 18)],
  ['2030-01-31T18:00:30+02:00', Date.UTC(2030, 0, 31, 16, 0, 30)],
  ['2028-02-29', Date.UTC(2028, 2, 1)],
  ['2030-02-29', null],
  ['2030-13-01', null],
  ['2030-01-31T25:00Z', null],
])('until %s', (text, expected) => expect(parseUntil(text)).toBe(expected));
