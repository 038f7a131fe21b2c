// git's own options, before the subcommand: settings, folders, and aliases that a setting defines.
// The table has applied -C, -p and --exec-path.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { unknownWord } from '../words/wrapper-words.ts';
import { runAlias } from './git-alias.ts';
import { applySetting, readSetting, type Setting } from './git-config-keys.ts';

const CHANGES_WORK_TREE = new Set([
  ...['add', 'am', 'apply', 'bisect', 'checkout', 'checkout-index', 'cherry-pick', 'clean', 'merge', 'mv', 'pull'],
  ...['read-tree', 'rebase', 'reset', 'restore', 'revert', 'rm', 'sparse-checkout', 'stash', 'submodule', 'switch'],
]);

/** `--config-env=key=VARIABLE`: the value is in the environment. */
function readEnvironmentSetting(word: WordValue): Setting | null {
  const text = literal(word);
  const equals = text?.lastIndexOf('=') ?? -1;
  return text === null || equals < 0 ? null : { key: text.slice(0, equals), value: unknownWord(word.span, '', 'one') };
}

function reportFolders(args: ParsedArguments, sink: EffectSink): void {
  const repository = args.value('--git-dir');
  if (repository !== undefined) {
    sink.path('read', repository, { recursive: true });
    // A repository path may be any folder that was written earlier: its configuration decides what runs.
    if (!/(^|\/)\.git\/*$/.test(literal(repository) ?? '')) sink.executes('hook', repository);
  }
  const workTree = args.value('--work-tree');
  if (workTree === undefined) return;
  const subcommand = literal(args.operands[0]);
  const changes = subcommand === null || CHANGES_WORK_TREE.has(subcommand);
  sink.path(changes ? 'write' : 'read', workTree, { recursive: true });
}

function isAliasOf(key: string, subcommand: string | null): boolean {
  return subcommand !== null && key.toLowerCase() === `alias.${subcommand.toLowerCase()}`;
}

/** `git log --help -w` is `git help log -w`, which opens a browser: the options are no longer those of `log`. */
function reportHelp({ operands, options }: ParsedArguments, sink: EffectSink): void {
  const isHelp = literal(operands[1]) === '--help' || options.some(({ name }) => name === '-h' || name === '--help');
  const isPlain = (word: WordValue) => /^(?!-)|^--help$/.test(literal(word) ?? '-');
  if (isHelp && !operands.slice(1).every(isPlain)) sink.executes('hook', null);
}

export const git: ProgramAnalyser = (args, sink) => {
  reportFolders(args, sink);
  reportHelp(args, sink);
  const subcommand = literal(args.operands[0]);
  const given = args.options.filter((option) => option.name === '-c').flatMap((option) => option.value ?? []);
  for (const option of args.options) {
    if (option.value === null || (option.name !== '-c' && option.name !== '--config-env')) continue;
    const word = option.value;
    const setting = option.name === '-c' ? readSetting(word) : readEnvironmentSetting(word);
    if (setting === null) sink.unknown('an unknown git setting');
    else if (!isAliasOf(setting.key, subcommand)) applySetting(setting, sink, `git -c ${setting.key}`);
    else
      runAlias(
        setting.value,
        given.filter((other) => other !== word),
        args.operands,
        sink,
      );
  }
};
