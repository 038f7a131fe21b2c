// mktemp: the file or folder that it creates. Refuses to guess the temporary folder, which the environment sets.

import type { WordValue } from '../../../core/facts.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { entryOf, plainName } from '../words/file-words.ts';

export const mktemp: ProgramAnalyser = (args, sink) => {
  if (args.has('-u --dry-run --help --version')) return;
  const [template] = args.operands;
  const folder = args.value('-p') ?? args.value('--tmpdir');
  const isBelowTemporary = folder === undefined && (template === undefined || args.has('-t --tmpdir'));
  if (isBelowTemporary) sink.changes('create a temporary file');
  else if (folder === undefined) sink.path('write', filled(template as WordValue));
  else if (template === undefined) sink.path('write', plainName(folder), { recursive: true });
  else sink.path('write', entryOf(folder, filled(template)));
};

function filled(template: WordValue): WordValue {
  const text = literal(template);
  if (text === null) return template;
  const start = text.search(/X{3,}[^X/]*$/);
  const head = start === -1 ? text : text.slice(0, start);
  return { kind: 'pattern', glob: `${head}*`, head, span: template.span };
}
