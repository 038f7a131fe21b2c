// Receives the meaning of a command's words and turns it into effects of its draft, or into further commands.

import type { EditFact, ExecuteKind, NetworkEffect, ReasonId, Span, WordValue } from '../../core/facts.ts';
import { type Machine, SCRIPT_STDIN, type Scope } from '../machine.ts';
import type { EffectSink, PathRole, RunOptions, ShellOptions } from '../programs/program.ts';
import type { State } from '../state.ts';
import type { Draft } from './draft.ts';
import { hostAndPort, hostOfAddress, hostOfUrl, hostOfWord, isRemotePath, UNKNOWN_HOST } from './hosts.ts';
import { foldPath, inFolder, resolvePath } from './paths.ts';

export class DraftSink implements EffectSink {
  private folders: readonly string[] | null;
  private contactsSome = false;
  private readonly draft: Draft;
  private readonly machine: Machine;
  private readonly state: State;
  /** The scope of commands that this command runs: their parent is this command. */
  private readonly scope: Scope;

  constructor(draft: Draft, machine: Machine, state: State, scope: Scope) {
    this.draft = draft;
    this.machine = machine;
    this.state = state;
    this.scope = scope;
    this.folders = state.folders;
  }

  path(role: PathRole, word: WordValue, options: { readonly recursive?: boolean } = {}): void {
    const isStream = word.kind === 'literal' && word.value === '-' && (role === 'read' || role === 'write');
    if (isStream || (word.kind === 'literal' && word.value === '')) return;
    // `/proc/$$/environ`: the environment of some process.
    if (word.kind === 'dynamic' && word.head.startsWith('/proc/')) this.discloses('process-environment');
    for (const resolved of resolvePath(word, this.folders)) {
      // A folder moves with its content.
      const isTree = options.recursive || role === 'move';
      const effect = isTree ? { ...resolved, recursive: true as const } : resolved;
      if (role === 'read' || role === 'edit' || role === 'move') this.draft.add('reads', effect);
      if (role === 'write' || role === 'edit') this.draft.addWrite(effect, this.state.descriptors);
      if (role === 'delete' || role === 'move') this.draft.add('deletes', effect);
    }
  }

  host(word: WordValue): void {
    this.checkAddress(word);
    this.contact(hostOfWord(word, hostAndPort));
  }

  url(word: WordValue): void {
    this.checkAddress(word);
    const looksLocal = word.kind === 'literal' && hostOfUrl(word.value) === null && /^[./~]|^file:/i.test(word.value);
    if (looksLocal) this.path('read', word);
    else this.contact(hostOfWord(word, (text) => hostOfUrl(text) ?? hostOfAddress(text)));
  }

  remote(role: 'read' | 'write', word: WordValue): void {
    if (word.kind === 'literal' && !isRemotePath(word.value)) this.path(role, word);
    else if (word.kind === 'literal')
      this.contact(hostOfUrl(word.value) ?? hostAndPort(word.value.split(':', 1)[0] ?? ''));
    else {
      this.path(role, word);
      if (mayNameHost(word)) this.contact(UNKNOWN_HOST);
    }
  }

  executes(kind: ExecuteKind, word: WordValue | null): void {
    const text = word?.kind === 'literal' ? word.value : null;
    this.draft.add('executes', { kind, text });
    if (kind === 'shell' && text === null) {
      this.cannotTell(
        'dynamic-code',
        `${this.draft.name} runs shell text that is known only at run time`,
        this.draft.span,
      );
    }
  }

  run(argv: readonly WordValue[], via: string, options: RunOptions = {}): void {
    this.machine.runProgram(argv, this.inFolders(options), this.inside(via, options), this.withEnvironment(options));
  }

  shell(text: WordValue, via: string, options: ShellOptions = {}): void {
    if (text.kind !== 'literal') {
      this.draft.add('executes', { kind: 'shell', text: null });
      this.cannotTell('dynamic-code', `${via} runs text that is known only at run time`, text.span);
      return;
    }
    const shell = options.shell ?? 'sh';
    const positional = options.positional ?? [];
    const nested = { text, via, shell, positional };
    this.machine.runShellText(
      nested,
      this.inFolders(options),
      this.inside(via, options),
      this.withEnvironment(options),
    );
  }

  shellFromInput(via: string, options: ShellOptions = {}): void {
    const { stdin } = this.scope;
    if (stdin.kind === 'text') {
      const reader = new DraftSink(this.draft, this.machine, this.state, { ...this.scope, stdin: SCRIPT_STDIN });
      reader.shell({ kind: 'literal', value: stdin.text, span: this.draft.span }, via, options);
      return;
    }
    if (stdin.kind === 'file') {
      this.draft.add('executes', { kind: 'file', text: stdin.path });
      return;
    }
    this.draft.add('executes', { kind: 'shell', text: null });
    // Input sent to another machine is up to the caller; here it would run unseen.
    if (stdin.kind === 'outside' && options.elsewhere !== undefined) return;
    this.cannotTell('code-from-input', `${via} runs whatever it reads from standard input`, this.draft.span);
  }

  input(): string | null {
    const { stdin } = this.scope;
    return stdin.kind === 'text' ? stdin.text : null;
  }

  changes(what: string): void {
    this.draft.add('changes', what);
  }

  network(): void {
    this.contactsSome = true;
  }

  /** A command that contacts hosts and names none contacts an unknown host. */
  finish(): void {
    if (this.contactsSome && this.draft.network.length === 0) this.contact(UNKNOWN_HOST);
  }

  discloses(what: string): void {
    this.draft.add('discloses', what);
  }

  privilege(): void {
    this.draft.privilege = true;
  }

  chdir(word: WordValue): void {
    const path = word.kind === 'literal' ? word.value : null;
    this.folders = path === null ? null : (this.folders?.map((folder) => foldPath(inFolder(folder, path))) ?? null);
    if (path?.startsWith('/')) this.folders = [foldPath(path)];
  }

  unknown(why: string): void {
    this.draft.add('unknown', why);
  }

  cannotTell(id: ReasonId, message: string, span: Span): void {
    this.machine.recorder.cannotTell(id, message, span);
  }

  edit(edit: Omit<EditFact, 'file'>, file: WordValue): void {
    for (const { path, glob } of resolvePath(file, this.folders)) {
      if (path !== null && glob === undefined) this.draft.add('edits', { file: path, ...edit });
    }
  }

  /** An address that is not literal can leak any data, even in a read request. */
  private checkAddress(word: WordValue): void {
    if (word.kind !== 'literal') this.unknown('the address to contact is unknown');
  }

  private contact(effect: NetworkEffect | null): void {
    if (effect) this.draft.add('network', effect);
  }

  /** Programs that change privileges also select the variables that they pass on. */
  private withEnvironment(options: RunOptions): RunOptions {
    return this.draft.privilege ? { ...options, cleanEnvironment: true } : options;
  }

  private inFolders(options: RunOptions): State {
    if (options.elsewhere !== undefined || options.anyFolder) return { ...this.state, folders: null };
    return this.folders === this.state.folders ? this.state : { ...this.state, folders: this.folders };
  }

  private inside(via: string, options: RunOptions): Scope {
    const elsewhere = options.elsewhere ?? this.scope.elsewhere;
    return {
      ...this.scope,
      elsewhere,
      via: [...this.scope.via, via],
      span: this.draft.span,
      depth: this.scope.depth + 1,
    };
  }
}

function mayNameHost(word: WordValue): boolean {
  if (word.kind === 'literal') return true;
  return !/^[./~]/.test(word.head);
}
