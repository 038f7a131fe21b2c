// Writes and deletes → those that reach a protected file, by its own name, through a link, or with a parent folder.
// Roots do not disable it: a home folder that is a project keeps its keys protected.

import { posix } from 'node:path';
import type { CommandFact, PathEffect } from '../../core/facts.ts';
import { isAtOrBelow } from '../../core/values/containment.ts';
import type { CommandCheck, Hit, Subject } from '../check.ts';
import { judgePath, type Place } from './place.ts';
import { findPlace, homeOf, tableOfPolicy } from './tables/path-table.ts';
import { type Protection, protectedTable } from './tables/protected-paths.ts';

const REPOSITORY = { '/home/u/project/.git/config': '', '/home/u/project/src/a': '' };
/** They copy a whole tree, with any content. */
const TAKES_ALL = new Set(['rm', 'mv', 'shred', 'srm', 'trash', 'rimraf', 'find']);
const CHANGES_MODES = new Set(['chmod', 'chown', 'chgrp', 'setfacl', 'chattr']);
const FIND_CHOOSES = /^-(?:i?l?name|i?path|i?wholename|i?regex|empty|size|[acm]time|[acm]min|newer.*|user|group|perm)$/;

export const protectedPath: CommandCheck = {
  id: 'protected-path',
  touches: ['writes', 'deletes'],
  layer: 'paths',
  severity: 'high',
  verdict: 'deny',
  message: 'It would change a file that runs code, contains keys or controls permissions.',
  instead: 'Ask the user to make this change.',
  examples: {
    matches: [
      'echo x > .git/hooks/pre-commit',
      'echo x >> ~/.bashrc',
      'cp hook .git/hooks/',
      'chmod +x .git/hooks/post-checkout',
      'ln -sf ../../x .git/hooks/pre-push',
      'mv evil .git/config',
      'sed -i s/a/b/ .git/config',
      'echo x | tee -a ~/.ssh/authorized_keys',
      'rm -rf ~/.ssh',
      'tee .git/modules/a/config < x',
      'rm .git/h*/pre-commit',
      'cp evil .claude/settings.json',
      'echo {} > .hardshell/settings.json',
      'echo x > /etc/profile.d/x.sh',
      'echo x > /home/other/.zshrc',
      'touch .vscode/tasks.json',
      'echo x > .envrc',
      'echo x > sub/../.git/config',
      'tar xf a.tar -C ~',
      { command: 'rm -rf .', files: REPOSITORY },
      { command: 'rm -rf .', context: { probe: null } },
      { command: 'rm -rf ~', policy: { roots: ['/home/u'] } },
      { command: 'find . -delete', files: REPOSITORY },
      { command: 'find . ! -name keep -type f -delete', files: REPOSITORY },
      { command: 'rm -rf .git', files: REPOSITORY },
      { command: 'echo x > a', files: { '/home/u/project/a': { link: '/home/u/project/.git/config' } } },
      { command: 'echo x > .bashrc', cwd: '/home/u', policy: { roots: ['/home/u'] } },
      { command: 'echo x > prod.yaml', policy: { protectedPaths: ['prod.yaml'] } },
      { command: 'rm deploy/a/b', policy: { protectedPaths: ['./deploy'] } },
    ],
    passes: [
      'git config user.name x',
      'git remote add o https://example.com/x.git',
      'git commit -m x',
      'cat .git/config',
      'echo x > .gitignore',
      'rm .git/index.lock',
      'echo x > src/config',
      'tar xf a.tar',
      'cp -r a .',
      'git clean -fd',
      'chmod +x build.sh',
      'mkdir -p .github/workflows',
      { command: "find . -name '*.pyc' -delete", files: REPOSITORY },
      { command: 'rm -rf src', files: REPOSITORY },
      { command: 'rm -rf /tmp/clone', files: { '/tmp/clone/.git/config': '' } },
    ],
  },
  inspect(command, subject) {
    if (command.elsewhere !== null) return null;
    const hits = new Map<string, Hit>();
    for (const use of ['delete', 'write'] as const) {
      for (const effect of use === 'delete' ? command.effects.deletes : command.effects.writes) {
        const place = judgePath(effect, use, command, subject);
        const own = findProtection(place, subject);
        const found = own?.verdict === 'deny' ? own : (findAround(effect, place, use, command, subject) ?? own);
        if (found === null || hits.has(place.path ?? '')) continue;
        hits.set(place.path ?? '', {
          span: command.span,
          verdict: found.verdict,
          severity: found.verdict === 'deny' ? 'high' : 'medium',
          message: `It would ${use} ${place.path}: ${found.why}.`,
        });
      }
    }
    return [...hits.values()];
  },
};

function findProtection(place: Place, subject: Subject): Protection | null {
  const own = tableOfPolicy(subject.policy.protectedPaths, subject);
  const named = own === null ? null : findPlace(own, place, subject);
  if (named !== null) return { verdict: 'deny', why: `the settings protect ${named}` };
  return findPlace(protectedTable(), place, subject);
}

/** A folder that contains protected files: changes of the folder affect them. */
function findAround(
  effect: PathEffect,
  place: Place,
  use: 'write' | 'delete',
  command: CommandFact,
  subject: Subject,
): Protection | null {
  if (effect.recursive !== true || effect.glob === true) return null;
  const { context } = subject;
  for (const form of place.forms) {
    const isHome = context.home === null ? false : isAtOrBelow(context.home, form);
    if (isHome || homeOf(form, null) === form || form === '/etc') {
      if (use === 'delete' && takesAll(command)) return around(form, 'deny');
      if (CHANGES_MODES.has(command.name ?? '')) return around(form, 'deny');
      // An archive or a folder of dot files can overwrite keys and startup files.
      if (use === 'write') return around(form, 'ask');
    }
    const isGitFolder = form.endsWith('/.git');
    if (isAtOrBelow(context.cwd, isGitFolder ? posix.dirname(form) : form)) {
      const isThere = isGitFolder || mayHold(form, '.git', subject) || mayHold(form, '.hardshell', subject);
      if (isThere && use === 'delete' && takesAll(command)) return around(form, 'deny');
      if (isThere && CHANGES_MODES.has(command.name ?? '')) return around(form, 'ask');
    }
  }
  return null;
}

function around(folder: string, verdict: Protection['verdict']): Protection {
  return { verdict, why: `${folder} contains protected files (startup files, keys, git's own settings)` };
}

function mayHold(folder: string, name: string, { context }: Subject): boolean {
  return context.probe === null || context.probe.kind(posix.join(folder, name)) !== 'absent';
}

function takesAll({ name, argv }: CommandFact): boolean {
  if (name === null || !TAKES_ALL.has(name)) return false;
  if (name !== 'find') return true;
  const chosen = argv.filter((word) => word === null || FIND_CHOOSES.test(word)).length;
  // `! -name keep` excludes one file and takes the rest.
  return chosen <= argv.filter((word) => word === '!' || word === '-not').length;
}
