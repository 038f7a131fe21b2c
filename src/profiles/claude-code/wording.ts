// Findings and meanings of exit codes → the words of CC's document, where it has any. Other texts stay as they are.

import type { CommandFact, Facts } from '../../core/facts.ts';
import type { Finding } from '../../core/verdict.ts';

interface Note {
  readonly text: string;
  /** The document's note is for some commands of the check only. */
  readonly isFor?: (command: CommandFact) => boolean;
}

const NOTES: Readonly<Record<string, Note>> = {
  'git-reset-hard': { text: 'Note: may discard uncommitted changes' },
  'git-push-lease': { text: 'Note: may overwrite remote history' },
  'git-clean': { text: 'Note: may permanently delete untracked files' },
  'recursive-deletion': {
    text: 'Note: may recursively force-remove files',
    isFor: ({ argv }) => argv.some((word) => word !== null && /^(?:-[a-zA-Z]*f|--force$)/.test(word)),
  },
  'sql-drop': { text: 'Note: may drop or truncate database objects' },
  'cluster-change': {
    text: 'Note: may delete Kubernetes resources',
    isFor: ({ name, argv }) => name === 'kubectl' && argv.includes('delete'),
  },
  'infrastructure-change': {
    text: 'Note: may destroy Terraform infrastructure',
    isFor: ({ name, argv }) => name === 'terraform' && argv.includes('destroy'),
  },
};

export function nameWarnings(findings: readonly Finding[], { commands }: Pick<Facts, 'commands'>): readonly Finding[] {
  return findings.map((finding) => {
    const note = Object.hasOwn(NOTES, finding.id) ? NOTES[finding.id] : undefined;
    if (note === undefined) return finding;
    const command = finding.command === null ? undefined : commands[finding.command];
    const isFor = note.isFor === undefined || (command !== undefined && note.isFor(command));
    return isFor ? { ...finding, message: note.text } : finding;
  });
}

const MEANINGS: Readonly<Record<string, string>> = {
  'No lines matched.': 'No matches found',
  'The files differ.': 'Files differ',
  'Some directories were inaccessible, or an argument is wrong: see stderr.': 'Some directories were inaccessible',
  'The condition is false.': 'Condition is false',
};

export function nameMeaning(meaning: string | null): string | null {
  return meaning !== null && Object.hasOwn(MEANINGS, meaning) ? (MEANINGS[meaning] as string) : meaning;
}
