// Help teaches: every verb shows examples, which are lines that it understands, fits 80 columns, and a slip of the finger is answered with what was meant.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/surfaces/cli/program.ts';
import { VERBS } from '../../src/surfaces/cli/verbs/table.ts';
import { runVerb } from '../run-verb.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function run(...args: string[]) {
  return runVerb(args, { env: { PATH: process.env.PATH, HOME: '/home/u', COLUMNS: '80' } });
}

const TOP = Object.keys(VERBS);

/** Every verb and every verb of a verb, as the program itself knows them. */
function commandsOf(command: Command, path: readonly string[] = []): { path: readonly string[]; command: Command }[] {
  return command.commands.flatMap((each) => {
    const here = [...path, each.name()];
    return [{ path: here, command: each }, ...commandsOf(each, here)];
  });
}

async function allCommands() {
  return commandsOf(await createProgram(VERBS, undefined, () => {}));
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

function examplesOf(help: string): string[] {
  if (!help.includes('\nExamples:\n')) return [];
  const section = help.slice(help.indexOf('\nExamples:\n'));
  return [...section.matchAll(/^ {2}(?:[^'\n]*\| )?(hardshell\b.*)$/gm)].map(([, line]) => line as string);
}

/** The arguments in a line: up to a comment (after two blanks), another command, or a redirect. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [all, single, double, bare] of line.matchAll(/ {2,}|'([^']*)'|"([^"]*)"|(\S+)/g)) {
    if (all.startsWith('  ') || /^(?:\||&&|;|<|>>?)$/.test(bare ?? '')) break;
    // Folders that options name must exist.
    words.push(single ?? double ?? (bare as string).replace(/^~\/out$/, '.'));
  }
  return words;
}

const found = await allCommands();

describe.each(found.map(({ path, command }) => ({ verb: path.join(' '), path, command })))(
  'hardshell $verb --help',
  ({ path, command }) => {
    const examples = examplesOf(helpOf(command));
    const isOwn = (line: string) =>
      wordsOf(line)
        .slice(1, path.length + 1)
        .join(' ') === path.join(' ');

    test('has examples of itself', async () => {
      // The three about approvals share theirs.
      const least = path.length === 1 && !['approve', 'deny'].includes(path[0] as string) ? 2 : 1;
      expect(examples.filter(isOwn).length).toBeGreaterThanOrEqual(least);
    });

    test.each(examples)('%s', async (line) => {
      const used: string[] = [];
      const program = await createProgram(VERBS, undefined, () => {});
      for (const { path: where, command: each } of commandsOf(program))
        each.exitOverride().action(() => void used.push(where.join(' ')));
      await program.parseAsync(wordsOf(line).slice(1), { from: 'user' });
      expect(used).toHaveLength(1);
    });
  },
);

test('the first page lists every verb, where to start, and the exit codes, in 80 columns', async () => {
  const { stdout } = await run('--help');
  for (const verb of TOP) expect(stdout).toMatch(new RegExp(`^  ${verb}\\b`, 'm'));
  expect(stdout).toMatch(/Start here:[\s\S]*Exit codes: 0 done; 2 usage error/);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each(['check', 'explain', 'analyze', 'hook', 'install', 'init', 'completions', 'mcp', 'doctor'])(
  '%s fits 80 columns',
  async (verb) => {
    expect((await run(verb, '--help')).stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  },
);

test.each([
  [['chek', 'ls'], /Unknown subcommand 'chek'\. Did you mean check\?\n/],
  [['check', '--jsn', 'ls'], /Unknown option '--jsn'\. Did you mean --json\?\n/],
  [['isntall'], /Did you mean install\?/],
  [['tasks', 'lst'], /Unknown subcommand 'lst'\. Did you mean list\?/],
  [['audit', 'qery'], /Did you mean query\?/],
  [['install', 'clade-code'], /Did you mean claude-code\?\n {2}hardshell install --help/],
  [['check', '--mode', 'bypas', 'ls'], /Did you mean bypass\?/],
  [['config', 'add', 'alow', 'Bash(x)'], /Unknown list: "alow"\. Did you mean allow\?/],
  [['run', 'ls', '--timout', '5'], /Unexpected argument: --timout\. Did you mean --timeout\?/],
  [['config'], /No subcommand was given\.\n {2}hardshell config --help/],
  [['check'], /No command was given\.\n.*hardshell check 'ls -l'/],
  [['run'], /hardshell run 'ls -l'/],
  [['learn', '--jsn', 'ls'], /Did you mean --json\?\n.*hardshell learn 'ls -l'/],
  [['mcp', '--htp'], /Did you mean --http\?\n {2}hardshell mcp --help/],
  [['config', 'sho'], /Did you mean show\?/],
])('%j', async (args, message) => {
  expect(await run(...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(message) });
});

test('the bundle and the modules of dist/ say the same', async () => {
  const whole = (...args: string[]) => {
    const main = JSON.stringify(join(ROOT, 'dist/surfaces/cli/main.js'));
    const code = `import(${main}).then(({ main }) => main(process.argv.slice(1)))`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', code, '--', ...args], {
      env: { PATH: process.env.PATH, HOME: '/home/u', COLUMNS: '80' },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  for (const args of [
    ['check', '--help'],
    ['check', 'git push --force && npm run x; kubectl delete pod a | tee b'],
    ['check', '--json', 'docker run -v /:/h alpine sh -c "rm -rf /h"; ip link; npm publish; find . -delete'],
    ['check', '--nope'],
    ['analyze', '--json', 'tar xzf a.tgz -C /tmp && make -j4 && sudo systemctl restart x'],
    ['explain', '--no-color', 'nosuchprogram --x | sort'],
    ['hook', '--help'],
    ['--version'],
  ]) {
    // Times differ from run to run.
    const plain = ({ stdout, ...rest }: { stdout: string }) => ({
      ...rest,
      stdout: stdout.replace(/[\d.,]+ (?:µs|us)|median of [\d,]+/g, 'T'),
    });
    expect(plain(await run(...args))).toEqual(plain(whole(...args)));
  }
}, 60_000);

test.each([
  [['help'], ['--help']],
  [
    ['help', 'explain'],
    ['explain', '--help'],
  ],
  [
    ['help', 'tasks', 'list'],
    ['tasks', 'list', '--help'],
  ],
  [
    ['tasks', 'help', 'list'],
    ['tasks', 'list', '--help'],
  ],
])('%j is %j', async (words, same) => {
  expect(await run(...words)).toEqual(await run(...same));
  expect((await run(...words)).status).toBe(0);
});

test('help for an unknown verb is an error', async () => {
  expect(await run('help', 'explian')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining("Unknown subcommand 'explian'. Did you mean explain?"),
  });
});
