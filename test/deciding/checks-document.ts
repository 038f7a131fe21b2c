// All checks → docs/checks.md. Run with UPDATE_DOCS=1 to write it; otherwise a test compares.

import type { Check, Example } from '../../src/decide/check.ts';

const GROUPS: readonly (readonly [layer: Check['layer'], title: string, about: string])[] = [
  ['safety', 'Safety', 'Always on, regardless of the rules: mistakes that cannot be undone, and attacks.'],
  ['warnings', 'Warnings', 'They inform and never block; they are shown to the person who approves the command.'],
  ['paths', 'Paths', 'Where files may be read, written and deleted. Symbolic links are followed on the disk.'],
  ['repository', 'Repositories', 'Configuration that comes with a folder and runs code when a harmless command runs.'],
  ['confusion', 'Confusion', 'Text that a person, or another program, reads differently than the shell.'],
  ['threats', 'Threats', 'Families of attacks, with a confidence; callers can add their own.'],
  ['lists', 'Lists', 'Allowlists and blacklists of commands and folders.'],
];

export function describeChecks(checks: readonly Check[]): string {
  const parts = [
    '# Checks',
    '',
    '<!-- Written by UPDATE_DOCS=1 npm test -- test/deciding; do not edit. -->',
    '',
    `${checks.length} checks run on each command. The strictest finding is the verdict; the order of the checks does not`,
    'matter. A check with the verdict `allow` only informs. Settings can change the verdict of a check',
    '(`"checks": {"git-add-blind": "ask"}`); a critical check is at least asked about.',
    '',
    'Checks help people. They are not a security boundary: a program can do more than its command line shows. The kernel is the boundary.',
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
      '| check | verdict | severity | problem | instead | applies to | does not apply to |',
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
