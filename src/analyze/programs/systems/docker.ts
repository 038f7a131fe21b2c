// docker run, exec and similar: image or container, mounts from this machine, and the command inside.
// The command runs in the container; its possible effects on mounted folders are reported here.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { headOf, isCommandUncertain, unknownWord } from '../words/wrapper-words.ts';

function mountFolder(source: WordValue, isReadOnly: boolean, sink: EffectSink): void {
  sink.path(isReadOnly ? 'read' : 'write', source, { recursive: true });
}

/** `-v /here:/there:ro`; a name without `/` is a volume, not a folder. */
function judgeVolume(value: WordValue, sink: EffectSink): void {
  const text = headOf(value);
  const at = text.indexOf(':');
  if (at < 0 && value.kind !== 'literal') return mountFolder(unknownWord(value.span, text, 'one'), false, sink);
  const source = at < 0 ? '' : text.slice(0, at);
  if (!/^[./~]/.test(source)) return;
  const isReadOnly = value.kind === 'literal' && /:[^:/]*\bro\b[^:/]*$/.test(text);
  mountFolder(literalWord(source, value), isReadOnly, sink);
}

function judgeMount(value: WordValue, sink: EffectSink): void {
  const text = literal(value);
  if (text === null) return mountFolder(unknownWord(value.span, '', 'one'), false, sink);
  const fields = new Map(text.split(',').map((field) => field.split('=', 2) as [string, string | undefined]));
  const source = fields.get('source') ?? fields.get('src');
  if (source === undefined || fields.get('type') !== 'bind') return;
  const flag = ['readonly', 'ro'].find((name) => fields.has(name));
  mountFolder(literalWord(source, value), flag !== undefined && fields.get(flag) !== 'false', sink);
}

export const docker: ProgramAnalyser = (args, sink) => {
  for (const { name, value } of args.options) {
    if (value === null) continue;
    if (name === '-v') judgeVolume(value, sink);
    else if (name === '--mount') judgeMount(value, sink);
  }
  if (isCommandUncertain(args, 1, sink, 'docker')) return;
  const [target, ...words] = args.operands;
  if (target === undefined) return;
  const entrypoint = args.value('--entrypoint');
  const command = entrypoint === undefined || literal(entrypoint) === '' ? words : [entrypoint, ...words];
  if (command.length > 0) sink.run(command, 'docker', { elsewhere: `docker ${literal(target) ?? '?'}` });
  else sink.executes('program', null);
};

/** docker cp: `container:path` is in the container, the other side is here. */
export const dockerCopy: ProgramAnalyser = (args, sink) => {
  const [source, target] = args.operands;
  const isInside = (word: WordValue): boolean => /^[^./:][^/:]*:/.test(headOf(word));
  if (source !== undefined && literal(source) !== '-' && !isInside(source))
    sink.path('read', source, { recursive: true });
  if (target !== undefined && literal(target) !== '-' && !isInside(target))
    sink.path('write', target, { recursive: true });
};
