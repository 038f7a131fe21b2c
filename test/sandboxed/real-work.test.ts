// What people do all day, in the sandbox `workspace`, without settings, by each tier.
// After each of them `git status` of the project is the same as before, and there are no stray files.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasProgram } from './place.ts';
import { isUnchanged, RUSTUP, said, useProjects } from './project.ts';

const TIME_MS = 120_000;

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { project, bare } = useProjects(tier);

  test(
    'node --test',
    async (context) => {
      const made = await project(context, {
        'sum.test.mjs':
          "import test from 'node:test';\nimport assert from 'node:assert';\ntest('adds', () => assert.equal(1 + 1, 2));\n",
      });
      const { exitCode, output } = await isUnchanged(made, () => made.run('node --test'));
      expect([exitCode, /pass 1\b/.test(output)]).toEqual([0, true]);
    },
    TIME_MS,
  );

  test(
    'python3 -m venv, with pip and without',
    async (context) => {
      const made = await project(context, { '.gitignore': '/bare/\n/venv/\n' }, { programs: ['python3'] });
      const bareOne = await isUnchanged(made, () =>
        made.run(
          'python3 -m venv --without-pip bare && bare/bin/python -c "import sys; print(sys.prefix != sys.base_prefix)"',
        ),
      );
      expect(said(bareOne)).toEqual([0, 'True\n']);
      if (!hasProgram('python3 -c "import ensurepip" && command -v python3')) return;
      const result = await isUnchanged(made, () =>
        made.run('python3 -m venv venv && venv/bin/pip list --format=freeze'),
      );
      expect([result.exitCode, /^pip==/m.test(result.output)]).toEqual([0, true]);
    },
    TIME_MS,
  );

  test(
    'make, and a program that a compiler made',
    async (context) => {
      const made = await project(
        context,
        {
          '.gitignore': '/hello\n*.o\n',
          Makefile:
            'hello: hello.o\n\tcc -o $@ $^\n%.o: %.c\n\tcc -c -o $@ $<\ncheck: hello\n\t./hello\n.PHONY: check\n',
          'hello.c': '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n',
        },
        { programs: ['make', 'cc'] },
      );
      const result = await isUnchanged(made, () => made.run('make -s -j2 check'));
      expect(said(result)).toEqual([0, 'hello\n']);
    },
    TIME_MS,
  );

  test(
    'cargo builds and runs, with a cache of the sandbox',
    async (context) => {
      if (!existsSync(join(RUSTUP, 'toolchains'))) context.skip('there is no Rust toolchain in the home folder');
      const made = await project(
        context,
        {
          '.gitignore': '/target\n/Cargo.lock\n',
          'Cargo.toml': '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2021"\n',
          'src/main.rs': 'fn main() { println!("hello"); }\n',
        },
        { programs: ['cargo'] },
      );
      const result = await isUnchanged(made, () => made.run('cargo run -q --offline'));
      expect(said(result)).toEqual([0, 'hello\n']);
    },
    TIME_MS,
  );

  test(
    'npm, pip and cargo have caches that they can write to, outside of the home that others use',
    async (context) => {
      const { run, home } = await bare(context);
      const script = `for name in npm_config_cache PIP_CACHE_DIR CARGO_HOME XDG_CACHE_HOME; do
      folder=$(printenv "$name") && mkdir -p "$folder/x" && echo content > "$folder/x/file" && echo "$name $folder"
    done`;
      const { exitCode, output } = await run(script);
      expect(exitCode).toBe(0);
      const folders = output
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[1] as string);
      expect(folders).toHaveLength(4);
      for (const folder of folders) {
        expect(folder.startsWith(join(home, '.cache/hardshell/caches/'))).toBe(true);
        expect(readFileSync(join(folder, 'x/file'), 'utf8')).toBe('content\n');
      }
      expect((await run('npm config get cache 2>&1')).output).toBe(`${folders[0]}\n`);
    },
    TIME_MS,
  );

  test(
    'files with secrets in the home cannot be read, and the tools that look for them still work',
    async (context) => {
      const made = await project(context, {
        'package.json': '{"name":"project","private":true,"scripts":{"hi":"echo hi"}}',
      });
      const npm = await isUnchanged(made, () => made.run('npm run -s hi'));
      expect(said(npm)).toEqual([0, 'hi\n']);
      // Not by name: what an allowed command names is opened to it.
      const look = await made.run(
        `python3 -c "
import os
for name in ['.npmrc', '.cargo/credentials.toml', '.gitconfig', '.config/pip/pip.conf', '.cargo/config.toml']:
    try:
        print(name, 'read' if open(os.path.join(os.environ['HO' + 'ME'], name)).read() else 'empty')
    except OSError as error:
        print(name, 'hidden')
"`,
      );
      expect(said(look)).toEqual([
        0,
        '.npmrc hidden\n.cargo/credentials.toml hidden\n.gitconfig read\n.config/pip/pip.conf read\n.cargo/config.toml read\n',
      ]);
    },
    TIME_MS,
  );

  test('a project below /tmp works like any other', async (context) => {
    const made = await project(context, { one: 'one\n' }, { parent: '/tmp' });
    const result = await isUnchanged(made, () =>
      made.run('echo two > two && git add two && git commit -q -m second && git log --format=%s && pwd'),
    );
    expect(said(result)).toEqual([0, `second\nfirst\n${made.project}\n`]);
  });

  test('temporary files last from one command to the next, and are not in /tmp outside', async (context) => {
    const { run } = await bare(context);
    const made = await run('file=$(mktemp) && echo kept > "$file" && echo "$file"');
    const path = made.output.trim();
    expect(said(await run(`cat ${path}`))).toEqual([0, 'kept\n']);
    expect(existsSync(path)).toBe(tier === 'landlock');
  });
});
