// tar: its mode decides what is read, packed, unpacked or removed; -C changes the folder for the following words.
// The table has already handled the options that run something; only --checkpoint-action is left.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { currentFolder, plainName, valuesOf } from '../words/file-words.ts';
import { afterHead, headOf, unknownWord } from '../words/wrapper-words.ts';

type Mode = 'create' | 'change' | 'list' | 'extract' | 'compare' | 'none';

export const tar: ProgramAnalyser = (args, sink) => {
  for (const action of valuesOf(args, '--checkpoint-action')) judgeAction(action, sink);
  if (args.has('--help --usage --version --show-defaults -?')) return;
  const mode = modeOf(args);
  if (mode === 'none') sink.unknown('tar: no mode is given');
  for (const file of valuesOf(args, '-f')) nameArchive(file, mode, args, sink);
  readLists(args, sink);
  walkWords(mode, args, sink);
};

function modeOf(args: ParsedArguments): Mode {
  // Several modes are an error; the most serious one counts.
  if (args.has('-x --extract --get')) return 'extract';
  if (args.has('-r --append -u --update -A --catenate --concatenate --delete')) return 'change';
  if (args.has('-c --create')) return 'create';
  if (args.has('-d --diff --compare')) return 'compare';
  return args.has('-t --list --test-label') ? 'list' : 'none';
}

function nameArchive(file: WordValue, mode: Mode, args: ParsedArguments, sink: EffectSink): void {
  const reads = mode !== 'create';
  const writes = mode === 'create' || mode === 'change';
  // `host:file` is reached through a remote shell.
  const isLocal = args.has('--force-local');
  if (reads) isLocal ? sink.path('read', file) : sink.remote('read', file);
  if (writes) isLocal ? sink.path('write', file) : sink.remote('write', file);
}

function readLists(args: ParsedArguments, sink: EffectSink): void {
  for (const list of valuesOf(args, '-T')) {
    sink.path('read', list);
    sink.path('read', unknownWord(list.span, '', 'many'), { recursive: true });
    // Lines that start with a dash are options (tar manual, 6.3).
    if (!args.has('--null --verbatim-files-from')) sink.unknown('tar: the list of files may contain options');
  }
  for (const file of valuesOf(args, '--add-file')) sink.path('read', file, { recursive: true });
}

/** Operands and -C in the order in which they were written. */
function walkWords(mode: Mode, args: ParsedArguments, sink: EffectSink): void {
  const steps = [
    ...args.options.flatMap(({ name, value, span }) =>
      name === '-C' && value ? [{ at: span[0], folder: value }] : [],
    ),
    ...args.operands.map((member) => ({ at: member.span[0], member })),
  ].sort((a, b) => a.at - b.at);
  let isInFolder = false;
  for (const step of steps) {
    if ('folder' in step) {
      if (mode === 'extract' && !isInFolder) sink.path('read', step.folder);
      sink.chdir(step.folder);
      isInFolder = true;
    } else if (mode === 'create' || mode === 'change') packMember(step.member, args, sink);
  }
  if (mode === 'extract') unpack(args, sink);
  if (mode === 'compare') sink.path('read', currentFolder(args.words), { recursive: true });
}

function packMember(member: WordValue, args: ParsedArguments, sink: EffectSink): void {
  if (args.has('--delete')) return;
  // bsdtar reads `@archive` as the members of another archive.
  const file = member.kind === 'literal' && member.value.startsWith('@') ? afterHead(member, 1) : member;
  sink.path('read', plainName(file), { recursive: true });
  if (args.has('--remove-files')) sink.path('delete', file, { recursive: true });
}

function unpack(args: ParsedArguments, sink: EffectSink): void {
  if (args.has('-O --to-stdout --to-command')) return;
  const here = currentFolder(args.words);
  const anywhere = unknownWord(here.span, '', 'many');
  const isRenamed = args.has('--strip-components --transform --xform -s --one-top-level --wildcards -T');
  if (args.has('-P --absolute-names --absolute-paths --insecure')) sink.path('write', anywhere, { recursive: true });
  else if (args.operands.length === 0 || isRenamed) sink.path('write', here, { recursive: true });
  else for (const member of args.operands) sink.path('write', plainName(member), { recursive: true });
  if (args.has('--recursive-unlink')) sink.path('delete', here, { recursive: true });
}

function judgeAction(action: WordValue, sink: EffectSink): void {
  const head = headOf(action);
  if (head.startsWith('exec=')) sink.shell(afterHead(action, 5), 'tar --checkpoint-action');
  else if (!/^(?:echo|ttyout|sleep|wait)=/.test(head) && !/^(?:dot|\.|echo|bell|totals)$/.test(literal(action) ?? '')) {
    sink.unknown('tar: the checkpoint action is unknown');
  }
}
