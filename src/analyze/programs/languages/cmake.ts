// cmake: its modes (configure, --build, -P, -E, help) → effects (cmake(1)).
// A CMakeLists.txt is a program: everything but help, the cache view and the `-E` tools runs it.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, type ProgramAnalyser } from '../program.ts';
import { afterHead, headOf, isOneWord, lastSpan, readAssignment } from '../words/wrapper-words.ts';

const HELP_WITHOUT_VALUE = /^(?:--?version|--?help|-h|--help-(?:command|module|policy|property|variable|manual)-list)$/;
const HELP_WITH_VALUE = /^--help-(?:command|module|policy|property|variable)$/;

export const cmake: ProgramAnalyser = (args, sink) => {
  const { words } = args;
  const texts = words.map((word) => literal(word));
  const first = texts[0] ?? null;
  if (words.length === 0) return;
  // Another word names a file that the help is written to.
  if (first !== null && HELP_WITHOUT_VALUE.test(first) && words.length === 1) return;
  if (first !== null && HELP_WITH_VALUE.test(first) && words.length === 2 && words.every(isOneWord)) return;
  if (first === '-E') return runTool(texts[1] ?? null, words.slice(2), sink);
  if (texts.includes('-N') && texts.every((text) => text !== null && /^(?:-N|-L[AH]*|[^-].*)$/.test(text))) {
    for (const [index, text] of texts.entries())
      if (text?.startsWith('-') === false) sink.path('read', words[index] as WordValue);
    return;
  }
  const script = texts.indexOf('-P');
  if (script >= 0) sink.executes('file', words[script + 1] ?? null);
  else sink.executes('hook', null);
  sink.changes('change the build tree');
  for (const [index, word] of words.entries()) {
    const text = headOf(word);
    const next = words[index + 1];
    if (/^(?:-B|--build|--install|--prefix)$/.test(text) && next !== undefined)
      sink.path('write', next, { recursive: true });
    else if (/^-B./.test(text)) sink.path('write', afterHead(word, 2), { recursive: true });
    else if (text.startsWith('--graphviz=')) sink.path('write', afterHead(word, 11));
  }
};

const READS = /^(?:cat|compare_files|(?:md5|sha1|sha224|sha256|sha384|sha512)sum)$/;

function runTool(name: string | null, words: readonly WordValue[], sink: EffectSink): void {
  const operands = words.filter((word) => !headOf(word).startsWith('-'));
  const all = (role: 'read' | 'write' | 'delete', list: readonly WordValue[], recursive = false): void => {
    for (const word of list) sink.path(role, word, { recursive });
  };
  if (name === null) return sink.unknown('an unknown tool of cmake -E');
  if (READS.test(name)) return all('read', operands);
  switch (name) {
    case 'echo':
    case 'echo_append':
    case 'true':
    case 'false':
    case 'sleep':
    case 'capabilities':
      return;
    case 'environment':
      return sink.discloses('environment');
    case 'touch':
    case 'touch_nocreate':
    case 'make_directory':
      return all('write', operands);
    case 'rm':
    case 'remove':
    case 'remove_directory':
      return all('delete', operands, name !== 'remove');
    case 'copy':
    case 'copy_if_different':
    case 'copy_directory':
    case 'copy_directory_if_different':
      all('read', operands.slice(0, -1), true);
      return all('write', operands.slice(-1), true);
    case 'rename': {
      const source = operands[0];
      if (source !== undefined) sink.path('move', source);
      return all('write', operands.slice(1));
    }
    case 'create_symlink':
    case 'create_hardlink':
      return all('write', operands.slice(1));
    case 'time':
      return run(words, 'cmake -E time', sink);
    case 'chdir': {
      const folder = words[0];
      if (folder !== undefined) sink.chdir(folder);
      return run(words.slice(1), 'cmake -E chdir', sink);
    }
    case 'env':
      return runEnvironment(words, sink);
    default:
      return sink.unknown(`cmake -E ${name}`);
  }
}

function run(words: readonly WordValue[], via: string, sink: EffectSink): void {
  if (words.length > 0) sink.run(words, via);
}

function runEnvironment(words: readonly WordValue[], sink: EffectSink): void {
  const environment = new Map<string, WordValue | null>();
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as WordValue;
    const text = literal(word);
    if (text === '--') {
      index++;
      break;
    }
    const assignment = readAssignment(word);
    if (text?.startsWith('--unset=') === true) environment.set(text.slice(8), null);
    else if (text?.startsWith('-') === true || (text === null && assignment === null)) {
      return sink.cannotTell(
        'wrapper-arguments',
        'the words before the command of cmake -E env are unknown',
        lastSpan(words),
      );
    } else if (assignment !== null) environment.set(assignment.name, assignment.value);
    else break;
  }
  const command = words.slice(index);
  if (command.length > 0) sink.run(command, 'cmake -E env', { environment });
}
