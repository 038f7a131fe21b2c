// Paths → files that are not what they seem to be, or that contain more than they seem to.

import type { Check } from '../../check.ts';
import { hitsAt } from './characters.ts';
import { isAmongCjk, pathsOf } from './look-alikes.ts';
import { isAmong, nameCharacter } from './reading/code-points.ts';
import { readLayout } from './reading/layout.ts';
import { PLAIN } from './reading/text.ts';
import { showText } from './reading/words.ts';

const MODULE_PATTERN: ReadonlySet<string> = new Set(['go', 'bazel', 'staticcheck', 'golangci-lint', 'gofmt', 'buck2']);

function oddComponent(path: string): string | null {
  if (!/\.\.\.|\s(?:\/|$)/.test(path)) return null;
  for (const part of path.split('/')) {
    if (/^\.{3,}$/.test(part)) return 'a name made only of dots, which looks like a parent folder';
    if (part !== part.trimEnd() && part.trim() !== part) return 'a name that ends with a blank';
    if (/^\s+$/.test(part)) return 'a name made only of blanks';
  }
  return null;
}

const EXPANDS_TO_OPTIONS = ['rm', 'mv', 'cp', 'chmod', 'chown', 'chgrp', 'tar', 'rsync', 'zip', 'scp'];

const isSlash = isAmong('2044 2215-2216 2571 29f5 29f8 fe68 ff0f ff3c');

export const PATH_NAME_CHECKS: readonly Check[] = [
  {
    id: 'process-environment',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The environment or memory of a process is read: it often contains passwords and tokens.',
    instead: 'Print only the variable that you need: `printenv NAME`.',
    inspect(command) {
      const path = pathsOf(command).find(
        (each) => each.startsWith('/proc/') && /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/(?:environ|mem)$/.test(each),
      );
      const isShown = command.effects.discloses.includes('process-environment');
      if (path === undefined && !isShown) return null;
      return {
        span: command.span,
        message: `${showText(path ?? 'The environment of a process')} is read: it often contains passwords and tokens.`,
      };
    },
    examples: {
      matches: [
        'cat /proc/self/environ',
        "tr '\\0' '\\n' < /proc/1/environ",
        'strings /proc/*/environ',
        'head /proc/self/task/1/environ',
        'cd /proc/1 && cat environ',
        'xxd /proc/1/mem',
      ],
      passes: ['cat /proc/cpuinfo', 'cat /proc/self/status', 'cat environ', 'echo /proc/self/environ'],
    },
  },
  {
    id: 'glob-as-options',
    layer: 'confusion',
    severity: 'low',
    verdict: 'allow',
    message: 'A file whose name starts with a dash is treated as an option.',
    instead: 'Write `./*` instead of `*`, or put `--` before it.',
    names: EXPANDS_TO_OPTIONS,
    inspect({ words }) {
      const end = words.findIndex((word) => word.kind === 'literal' && word.value === '--');
      const word = words
        .slice(1, end === -1 ? undefined : end)
        .find((each) => each.kind === 'pattern' && /^[*?[]/.test(each.glob));
      return word === undefined ? null : { span: word.span };
    },
    examples: {
      matches: ['rm *', 'tar cf a.tar *.txt', 'chmod 644 *'],
      passes: ['rm ./*', 'rm -- *', 'ls *', 'rm build/*', "rm '*'"],
    },
  },
  {
    id: 'odd-file-name',
    touches: ['writes', 'deletes'],
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'A file name is easy to overlook or to confuse with another one.',
    instead: 'Use a name without trailing blanks, and not made only of dots.',
    inspect(command) {
      if (MODULE_PATTERN.has(command.name ?? '')) return null;
      const { writes, deletes } = command.effects;
      if (writes.length + deletes.length === 0) return null;
      for (const { path } of [...writes, ...deletes]) {
        const odd = path === null ? null : oddComponent(path);
        if (odd !== null)
          return { span: command.span, message: `The path ${showText(JSON.stringify(path))} contains ${odd}.` };
      }
      return null;
    },
    examples: {
      matches: ['mkdir ...', 'cp x "/tmp/.../y"', 'echo x > "f "', 'rm "a /b"', 'mkdir " "'],
      passes: [
        'go test ./...',
        'git diff main...HEAD',
        'cat "a b"',
        'cp -r src/. dst/',
        'cat ../../x',
        'ls ..',
        'cat "f "',
      ],
    },
  },
  {
    id: 'newline-in-path',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message:
      'A newline in quotes is part of a path: the text that looks like the next line is not a command or a comment.',
    instead: 'Close the quote before the end of the line.',
    inspect(command, { facts }) {
      if (!facts.command.includes('\n') && !readLayout(facts).hasBackslash) return null;
      const path = pathsOf(command).find((each) => each.includes('\n'));
      if (path === undefined) return null;
      const hides = /\n\s*#/.test(path) ? 'Text that looks like a comment' : 'Text that looks like the next line';
      return { span: command.span, message: `${hides} is part of the path ${showText(JSON.stringify(path))}.` };
    },
    examples: {
      matches: ['rm "a\n# b"', "cat 'x\nrm y'", 'echo a > "f\ng"'],
      passes: [
        'git commit -m "a\n\n# b"',
        "python3 -c 'a = 1\n# b'",
        'echo "a\n# b"',
        'cat a\n# b',
        "cat <<'E'\n# x\nE",
      ],
    },
  },
  {
    id: 'slash-look-alike',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'A character looks like a slash, but it is part of a file name.',
    instead: 'Use the ASCII slash.',
    inspectWhole(subject) {
      if (
        readLayout(subject.facts).odd.length === 0 ||
        hitsAt(
          subject,
          ({ code }) => isSlash(code),
          () => '',
        ) === null
      )
        return null;
      const inPaths = new Set(
        subject.facts.commands.flatMap((command) => pathsOf(command).flatMap((path) => [...path])),
      );
      return hitsAt(
        subject,
        (place) =>
          isSlash(place.code) &&
          !isAmongCjk(place) &&
          (place.state === PLAIN || inPaths.has(String.fromCodePoint(place.code))),
        ({ code }) => `${nameCharacter(code, 'looks like a slash')} is not a slash: it is part of a file name.`,
      );
    },
    examples: {
      matches: ['cat \u2215etc\u2215hosts', 'rm "build\u2044x"', 'ls a\u29f8b'],
      passes: ['echo "1\u20442"', 'ls a/b', 'git commit -m "a\u2215b"'],
    },
  },
];
