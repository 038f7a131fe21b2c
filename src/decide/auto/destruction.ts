// A command → whether it would destroy work of the project for which there is no copy: what it deletes, overwrites or
// discards. Only what the command itself says: what its scripts do is not known here.

import { posix } from 'node:path';
import type { CommandFact, PathEffect } from '../../core/facts.ts';
import { isAtOrBelow } from '../../core/values/containment.ts';
import { wordSet } from '../../core/values/once.ts';
import type { Finding } from '../../core/verdict.ts';
import type { Subject } from '../check.ts';
import { hasOption, isCall, operandsOf } from '../checks/safety/terms/words.ts';
import { isGlob, matchesName } from '../paths/glob.ts';
import { judgePath, type PathUse } from '../paths/place.ts';
import { isHarmlessTarget } from '../rules/patterns/bash-pattern.ts';
import { KeptWork } from './kept-work.ts';

/** Warnings about work that is in no file, or only in files that git is told to discard. */
const DISCARDS: ReadonlySet<string> = new Set([
  ...['git-reset-hard', 'git-clean', 'git-discard', 'git-stash-drop', 'git-branch-delete', 'git-unreachable'],
  ...['sql-drop', 'sql-delete-all', 'emptied-file'],
]);

/** Their targets lose what was in them. Editors (`sed -i`), formatters and compilers are not meant. */
const OVERWRITES = wordSet('cp mv install dd tee rsync ln');

/** The work tree, or all of history. */
const REWRITES = ['checkout-index', 'read-tree', 'filter-branch', 'filter-repo'];

export class Destruction {
  readonly #subject: Subject;
  readonly #discarding: ReadonlySet<string>;
  readonly #kept: KeptWork | null;

  constructor(subject: Subject, findings: readonly Finding[]) {
    this.#subject = subject;
    const { probe } = subject.context;
    this.#kept = probe === null ? null : new KeptWork(probe);
    // By its text: several commands of a loop share one finding.
    this.#discarding = new Set(findings.filter(({ id }) => DISCARDS.has(id)).map(({ span }) => `${span}`));
  }

  isBy(command: CommandFact): boolean {
    if (this.#discarding.has(`${command.span}`)) return true;
    if (isCall(command, 'git')) return this.#isByGit(command);
    return (
      (!this.#isMove(command) && command.effects.deletes.some((effect) => this.#isLost(effect, 'delete', command))) ||
      this.#overwritten(command).some((effect) => this.#isLost(effect, 'write', command))
    );
  }

  /** Unless it moves files out of the project. */
  #isMove({ name, effects }: CommandFact): boolean {
    return name === 'mv' && !effects.writes.some(({ path }) => path === null || this.#isTemporary(path));
  }

  /** `git rm` and `git mv` refuse to lose changes; `git checkout NAME` discards those of a file of that name. */
  #isByGit(command: CommandFact): boolean {
    if (isCall(command, 'git', 'rm') || isCall(command, 'git', 'mv')) return hasOption(command, '-f', '--force');
    if (REWRITES.some((name) => isCall(command, 'git', name))) return true;
    if (isCall(command, 'git', 'checkout') && !hasOption(command, '-b', '-B', '--orphan')) {
      const folders = command.cwd;
      const paths = operandsOf(command).flatMap((word) => folders?.map((folder) => `${folder}/${word}`) ?? [null]);
      return paths.some((path) => this.#isLost({ path }, 'write', command));
    }
    return command.effects.deletes.some((effect) => this.#isLost(effect, 'delete', command));
  }

  #overwritten({ name, effects, redirects }: CommandFact): readonly PathEffect[] {
    if (name !== null && OVERWRITES.has(name)) return effects.writes;
    const targets = redirects.filter(({ kind }) => kind === 'write').map(({ target }) => target);
    if (targets.length === 0) return [];
    if (targets.some((target) => target?.kind !== 'literal')) return effects.writes;
    const names = targets.map((target) =>
      target?.kind === 'literal' ? target.value.replace(/^(?:\.\.?\/)+/, '') : '',
    );
    return effects.writes.filter(({ path }) => path === null || names.some((each) => path.endsWith(each)));
  }

  #isLost(effect: PathEffect, use: PathUse, command: CommandFact): boolean {
    const { path } = effect;
    if (path === null) return true;
    if (isHarmlessTarget(path) || this.#isTemporary(path)) return false;
    const kept = this.#kept;
    if (kept === null) return true;
    const { forms, where } = judgePath(effect, use, command, this.#subject);
    // Elsewhere the kernel refuses it.
    if (where === 'outside' || where === 'escapes') return false;
    if (where === 'unknown') return true;
    return forms.some((form) => this.#namesOf(form)?.every((name) => this.#isKept(name, use, kept)) !== true);
  }

  /** A copy into a folder adds names to it. */
  #isKept(path: string, use: PathUse, kept: KeptWork): boolean {
    return (use === 'write' && this.#subject.context.probe?.kind(path) === 'folder') || kept.has(path);
  }

  /** Of a pattern its matches; `null` if they are not known. */
  #namesOf(form: string): readonly string[] | null {
    if (!isGlob(form)) return [form];
    const folder = posix.dirname(form);
    const names = isGlob(folder) ? null : (this.#subject.context.probe?.list(folder) ?? null);
    const pattern = posix.basename(form);
    return names?.filter((name) => matchesName(pattern, name)).map((name) => posix.join(folder, name)) ?? null;
  }

  /** Commands have a private folder for temporary files. */
  #isTemporary(path: string): boolean {
    const { temporary, cwd, project } = this.#subject.context;
    return temporary.some((folder) => isAtOrBelow(path, folder) && !isAtOrBelow(project ?? cwd, folder));
  }
}
