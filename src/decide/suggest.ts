// Commands that no rule covers → rules that would allow them permanently, each as narrow as is useful.
// Never suggests a prefix for programs that run others or destroy files, nor anything for an unknown command.

import type { CommandFact, RedirectFact } from '../core/facts.ts';
import { wordSet } from '../core/values/once.ts';
import { quoteWord } from '../core/values/shell-words.ts';
import type { Subject } from './check.ts';
import { isSafeVariable, unsafeVariables } from './rules/forms.ts';
import { isHarmlessTarget } from './rules/patterns/bash-pattern.ts';
import { parseRule } from './rules/patterns/grammar.ts';

const MAX_LENGTH = 500;

/** Never a rule: the question is worth asking each time. */
const NEVER = wordSet('rm rmdir unlink shred dd mkfs wipefs fdisk parted sudo doas su pkexec run0 eval source . exec');

/** They run their arguments, or are too dangerous with some arguments to be allowed permanently. */
const EXACT_ONLY = wordSet(
  'sh bash dash zsh fish ksh csh tcsh ash busybox python python2 python3 pypy pypy3 ipython node nodejs deno bun tsx ts-node ' +
    'ruby irb perl php lua luajit Rscript R julia java scala groovy kotlin swift osascript tclsh wish expect awk gawk mawk ' +
    'sed make gmake just task rake npx bunx pnpx uvx pipx uv env timeout nice nohup setsid stdbuf time command builtin xargs ' +
    'find fd fdfind parallel watch entr flock script chroot unshare nsenter strace ltrace gdb lldb ionice chrt taskset numactl ' +
    'ssh scp sftp rsync mosh telnet nc ncat netcat socat curl wget aria2c http https xh tmux screen at batch crontab ' +
    'systemd-run systemctl launchctl service kubectl-exec chmod chown chgrp chattr setfacl kill pkill killall mount umount ' +
    'trap alias hash enable export declare typeset local readonly set shopt tee cp mv ln install truncate git-shell vim vi ' +
    'nvim emacs nano ed ex less more man psql mysql sqlite3 redis-cli mongosh gcc g++ cc clang make cmake ninja',
);

/** Subcommands that run the words after them, or that set what other commands run. */
const EXACT_SUBCOMMANDS = wordSet(
  'docker:run docker:exec docker:compose:run docker:compose:exec docker:create podman:run podman:exec podman:create ' +
    'nerdctl:run nerdctl:exec kubectl:exec kubectl:run kubectl:debug kubectl:delete npm:exec npm:x npm:config npm:set ' +
    'pnpm:dlx pnpm:exec pnpm:config yarn:dlx yarn:exec yarn:config bun:x bun:run cargo:run cargo:install go:run go:generate ' +
    'go:install dotnet:run dotnet:script poetry:run pipenv:run pdm:run hatch:run rye:run conda:run mamba:run bundle:exec ' +
    'mise:exec mise:x asdf:exec nix:run nix:shell nix:develop direnv:exec git:config git:bisect git:submodule git:rebase ' +
    'git:filter-branch git:filter-repo git:clean git:reset git:rm git:difftool git:mergetool gh:api gh:alias gh:extension ' +
    'gh:codespace heroku:run fly:ssh vagrant:ssh gcloud:compute aws:s3 terraform:destroy terraform:apply helm:uninstall ' +
    'rails:runner rails:console op:run doppler:run dotenvx:run lerna:exec nx:exec volta:run',
);

/** The rules to save for "always"; empty if none should be. */
export function suggestRules(subject: Subject, uncovered: readonly number[]): readonly string[] {
  const { facts } = subject;
  if (facts.status === 'cannot-tell' || facts.command.length > MAX_LENGTH || /[\n\r]/.test(facts.command.trim()))
    return [];
  const rules = new Set<string>();
  const exact = new Set<number>();
  for (const index of [...uncovered].sort((a, b) => a - b)) {
    const fact = facts.commands[index];
    if (fact === undefined || isNever(fact)) return [];
    // An exact rule matches these very words, and therefore what they run.
    if (isBelow(facts.commands, fact, exact) && fact.redirects.length === 0) continue;
    const suggestion = suggestionFor(subject, fact);
    // A part that no rule should allow blocks the whole command: the other rules would not help.
    if (suggestion === null || !parseRule(suggestion.rule).ok) return [];
    if (suggestion.isExact) exact.add(index);
    rules.add(suggestion.rule);
  }
  return [...rules];
}

function isNever({ name, effects, kind }: CommandFact): boolean {
  if (kind === 'redirect') return false;
  return kind === 'function' || name === null || NEVER.has(name) || name.startsWith('mkfs') || effects.privilege;
}

function isBelow(commands: readonly CommandFact[], { parent }: CommandFact, exact: ReadonlySet<number>): boolean {
  let at = parent;
  for (let left = 16; at !== null && left > 0; left--) {
    if (exact.has(at)) return true;
    at = commands[at]?.parent ?? null;
  }
  return false;
}

function suggestionFor(
  subject: Subject,
  fact: CommandFact,
): { readonly rule: string; readonly isExact: boolean } | null {
  if (fact.kind === 'redirect') {
    const rule = editRule(fact);
    return rule === null ? null : { rule, isExact: false };
  }
  if (typeof fact.argv[0] !== 'string' || fact.elsewhere !== null) return null;
  const own = new Set(fact.assignments.map((assignment) => assignment.name));
  const unsafe = unsafeVariables(subject.facts, fact);
  // Variables exported earlier, or given to a wrapper, cannot be in a rule.
  for (const variable of unsafe) if (!own.has(variable)) return null;
  const prefix = unsafe.size === 0 ? prefixOf(fact) : null;
  const words = prefix === null ? exactWords(fact) : `${prefix.map(quote).join(' ')}:*`;
  const redirects = fact.redirects.map((redirect) => redirectPart(fact, redirect, prefix !== null));
  if (words === null || redirects.includes(null)) return null;
  const rule = `Bash(${[words, ...new Set(redirects)].filter((part) => part !== '').join(' ')})`;
  return { rule, isExact: prefix === null && unsafe.size === 0 };
}

/** `git commit`, `npm run`, `docker compose up`; `null` if only the exact command should be allowed. */
function prefixOf(fact: CommandFact): readonly string[] | null {
  const { name, argv, invocation } = fact;
  const program = argv[0] as string;
  if (program !== name || EXACT_ONLY.has(program) || /\d$/.test(program)) return null;
  if (invocation === null) {
    const second = argv[1];
    if (typeof second !== 'string' || !/^[a-z][a-z-]+[a-z]$/.test(second)) return null;
    return EXACT_ONLY.has(second) || NEVER.has(second) || RUNNERS.has(second) ? null : [program, second];
  }
  const { path } = invocation;
  if (path.length < 2 || path[0] !== program || !path.every((word, i) => argv[i] === word)) return null;
  const runs = path.some((_, i) => EXACT_SUBCOMMANDS.has(path.slice(0, i + 1).join(':')));
  return runs || path.slice(1).some((word) => NEVER.has(word)) ? null : path;
}

/** Common subcommands that run another program, for unknown programs. */
const RUNNERS = wordSet('run exec eval shell ssh dlx do call with wrap spawn start launch invoke sudo');

function exactWords({ argv, assignments }: CommandFact): string | null {
  const words: string[] = [];
  for (const { name, value } of assignments) {
    if (isSafeVariable(name)) continue;
    if (value === null) return null;
    words.push(`${name}=${quote(value)}`);
  }
  for (const word of argv) {
    if (word === null) return null;
    words.push(quote(word));
  }
  return words.join(' ');
}

/** Empty for one that never matters, `null` for one that no rule can express. */
function redirectPart(fact: CommandFact, { kind, target }: RedirectFact, isPrefix: boolean): string | null {
  if (kind !== 'write' && kind !== 'append' && kind !== 'read-write') return '';
  if (target?.kind !== 'literal') return null;
  const { value } = target;
  if (isHarmlessTarget(value)) return '';
  const names = value.split('/');
  if (names.includes('..') || fact.cwd?.length !== 1) return null;
  const folder = names.slice(0, -1).join('/');
  // A file at the top, or outside the project, is named itself: its folder would be too wide.
  if (!isPrefix || value.startsWith('/') || folder === '' || folder === '.') return `> ${quotePath(value)}`;
  return `> ${quotePath(folder)}/**`;
}

function editRule(fact: CommandFact): string | null {
  const paths = fact.effects.writes.map(({ path, glob, unfolded }) => (glob || unfolded !== undefined ? null : path));
  const [path] = paths;
  if (paths.length !== 1 || path === null || path === undefined || fact.redirects.length !== 1) return null;
  return `Edit(/${path.replace(/[\\*?[]/g, '\\$&')})`;
}

const PLAIN = /^[A-Za-z0-9_@%+=./-][A-Za-z0-9_@%+=:./-]*$/;

function quote(word: string): string {
  if (PLAIN.test(word) && !/^\+-|^except$/.test(word)) return word;
  return quoteWord(word);
}

function quotePath(path: string): string {
  return PLAIN.test(path) ? path : quoteWord(path);
}
