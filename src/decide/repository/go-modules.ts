// `go list` and `go doc` download the modules in go.mod that are not in the module cache, from servers that go.mod names.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { CommandCheck } from '../check.ts';
import { foldersUp } from './folders-up.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 262_144;
const REQUIRES = 'module m\n\ngo 1.18\n\nrequire (\n\texample.com/Dep v1.2.3 // indirect\n)\n';

export const goModules: CommandCheck = {
  id: 'go-modules',
  layer: 'repository',
  severity: 'medium',
  verdict: 'ask',
  names: ['go'],
  message: 'This downloads the modules that go.mod requires.',
  instead: '`go mod download` gets them first; then nothing is left to download.',
  examples: {
    matches: [
      { command: 'go list ./...', files: { [`${P}/go.mod`]: REQUIRES } },
      { command: 'go doc ./x', cwd: `${P}/sub`, files: { [`${P}/go.mod`]: 'require example.com/x v1.0.0\n' } },
      { command: 'go -C sub list ./...', files: { [`${P}/sub/go.mod`]: REQUIRES } },
      {
        command: 'go list ./...',
        files: { [`${P}/go.work`]: 'go 1.18\nuse (\n ./a\n)\n', [`${P}/a/go.mod`]: REQUIRES },
      },
      { command: 'cd "$X" && go list' },
    ],
    passes: [
      'go list ./...',
      { command: 'go list ./...', files: { [`${P}/go.mod`]: 'module m\n\ngo 1.18\n' } },
      {
        command: 'go list ./...',
        files: { [`${P}/go.mod`]: REQUIRES, '/home/u/go/pkg/mod/example.com/!dep@v1.2.3/a.go': '' },
      },
      { command: 'go list ./...', files: { [`${P}/go.mod`]: REQUIRES, [`${P}/vendor/modules.txt`]: '' } },
      {
        command: 'go list ./...',
        files: { [`${P}/go.mod`]: 'require example.com/x v1.0.0\nreplace example.com/x => ../x\n' },
      },
      { command: 'go version', files: { [`${P}/go.mod`]: REQUIRES } },
    ],
  },
  inspect(command, { context: { probe, home } }) {
    const verb = command.invocation?.path[1];
    const isAsked = command.readOnly && command.elsewhere === null && (verb === 'list' || verb === 'doc');
    if (probe === null || !isAsked) return null;
    const { span } = command;
    const folders = foldersOf(command);
    if (folders === null) return { span, message: 'The folder that go works in is unknown.' };
    const cache = home === null ? null : posix.join(home, 'go/pkg/mod');
    for (const folder of folders) {
      const missing = findMissing(folder, cache, probe);
      if (missing !== null) return { span, message: `It would download ${missing}.` };
    }
    return null;
  },
};

function foldersOf({ cwd, invocation }: CommandFact): readonly string[] | null {
  const given = (invocation?.leading ?? []).filter(({ names }) => names.includes('-C'));
  if (cwd === null || given.some(({ value }) => value === null)) return null;
  return cwd.map((folder) => given.reduce((at, { value }) => posix.resolve(at, value ?? '.'), folder));
}

function findMissing(folder: string, cache: string | null, probe: Probe): string | null {
  const up = foldersUp(folder, probe);
  const at = (name: string) => up.find((each) => probe.kind(posix.join(each, name)) !== 'absent');
  const workspace = at('go.work');
  if (workspace !== undefined) {
    const text = probe.readText(posix.join(workspace, 'go.work'), FILE_LIMIT_BYTES);
    if (text === null) return `unknown modules (${workspace}/go.work cannot be read)`;
    const used = linesOf(text, 'use').map(([path = '.']) => posix.resolve(workspace, path));
    return firstMissing(used, linesOf(text, 'replace'), cache, probe);
  }
  const module = at('go.mod');
  if (module === undefined || probe.kind(posix.join(module, 'vendor/modules.txt')) !== 'absent') return null;
  return firstMissing([module], [], cache, probe);
}

function firstMissing(
  folders: readonly string[],
  replaced: readonly (readonly string[])[],
  cache: string | null,
  probe: Probe,
): string | null {
  for (const folder of folders) {
    const file = posix.join(folder, 'go.mod');
    const text = probe.readText(file, FILE_LIMIT_BYTES);
    if (text === null) return probe.kind(file) === 'absent' ? null : `unknown modules (${file} cannot be read)`;
    const replacements = [...replaced, ...linesOf(text, 'replace')];
    for (const [path = '', version = ''] of linesOf(text, 'require')) {
      const target = replacements.find(([from]) => from === path);
      const [name, number] = target === undefined ? [path, version] : target.slice(target.indexOf('=>') + 1);
      // A folder on the disk.
      if (name === undefined || /^\.{0,2}\//.test(name)) continue;
      const place = `${escaped(name)}@${escaped(number ?? '')}`;
      if (cache === null || probe.kind(posix.join(cache, place)) !== 'folder')
        return `${name} ${number ?? ''} (${file})`;
    }
  }
  return null;
}

/** `verb a b` and `verb (⏎ a b⏎ … )`: the words after the verb. */
function linesOf(text: string, verb: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let isInside = false;
  for (const line of text.split(/[\r\n]+/)) {
    const words = line
      .replace(/\/\/.*$/, '')
      .split(/[\s"`]+/)
      .filter((word) => word !== '');
    const [first, second] = words;
    if (isInside && first === ')') isInside = false;
    else if (isInside && words.length > 0) lines.push(words);
    else if (first === verb && second === '(') isInside = true;
    else if (first === `${verb}(`) isInside = true;
    else if (first === verb && words.length > 1) lines.push(words.slice(1));
  }
  return lines;
}

/** Upper case letters are written as `!` and the lower case letter (module.EscapePath). */
function escaped(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}
