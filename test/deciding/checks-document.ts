// All checks → docs/checks.md. Run with UPDATE_DOCS=1 to write it; otherwise a test compares.

import type { Check, Example } from '../../src/decide/check.ts';

const GROUPS: readonly (readonly [layer: Check['layer'], title: string, about: string])[] = [
  ['safety', 'Safety', 'Always on, whatever the rules say: mistakes that cannot be taken back, and attacks.'],
  ['warnings', 'Warnings', 'They inform and never block; whoever approves the command sees them.'],
  ['paths', 'Paths', 'What may be read, written and deleted where. Symbolic links are followed on the disk.'],
  [
    'repository',
    'Repositories',
    'Configuration that comes with a folder and runs code when a harmless command is given.',
  ],
  ['confusion', 'Confusion', 'Text that a person, or another program, reads differently from what the shell does.'],
  ['threats', 'Threats', 'Families of attacks, with a confidence; callers add their own.'],
  ['lists', 'Lists', 'Allowlists and blacklists of commands and folders.'],
];

export function describeChecks(checks: readonly Check[]): string {
  const parts = [
    '# Checks',
    '',
    '<!-- Written by UPDATE_DOCS=1 npm test -- test/deciding; do not edit. -->',
    '',
    `Each command is looked at by ${checks.length} checks. The verdict is the strictest finding of all; their order never`,
    'matters. A check with the verdict `allow` only informs. Settings may give a check another verdict',
    '(`"checks": {"git-add-blind": "ask"}`); one that is critical is at least asked about.',
    '',
    'Checks help people. They are no boundary: a program can do more than its command line says. The boundary is the kernel.',
  ];
  for (const [layer, title, about] of GROUPS) {
    const group = checks.filter((check) => check.layer === layer);
    if (group.length === 0) throw new Error(`no check has the layer ${layer}`);
    parts.push(
      '',
      `## ${title}`,
      '',
      about,
      '',
      '| check | verdict | severity | what is wrong | instead | for example | not |',
    );
    parts.push('|---|---|---|---|---|---|---|', ...group.map(describeCheck));
  }
  const lost = checks.filter((check) => !GROUPS.some(([layer]) => layer === check.layer));
  if (lost.length > 0) throw new Error(`no group for ${lost.map((check) => check.id).join(', ')}`);
  return `${parts.join('\n')}\n`;
}

function describeCheck(check: Check): string {
  const { id, verdict, severity, message, instead, examples } = check;
  const cells = [
    `\`${id}\``,
    verdict,
    severity,
    escapeCell(message),
    instead === null ? '' : escapeCell(instead),
    showExample(examples.matches[0]),
    showExample(examples.passes[0]),
  ];
  return `| ${cells.join(' | ')} |`;
}

function showExample(example: Example | undefined): string {
  const command = typeof example === 'string' ? example : (example?.command ?? '');
  const printable = escapeCell(command).replaceAll('`', "'");
  return `\`${printable}\``;
}

/** Invisible and bidirectional characters stay readable as escapes. */
function escapeCell(text: string): string {
  return text
    .replaceAll('\n', '⏎')
    .replaceAll('|', '\\|')
    .replace(
      /[^\P{C}⏎]|[\u00a0\u2000-\u200f\u2028-\u202f\u205f\u3000]/gu,
      (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    );
}
