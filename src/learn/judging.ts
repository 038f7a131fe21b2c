// One observed run → what the command needs beyond the settings, what it could not read, and what learning never grants.
// Does not decide about the run itself: the command can forge observations, so a need is only a proposal to a person.

import type { ConfinementSpec } from '../confine/port.ts';
import type { SandboxViolation } from '../core/confinement.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { secretTable } from '../decide/paths/tables/secret-paths.ts';
import { realPath } from '../local/real-path.ts';
import { createView } from './confined-view.ts';
import type { Observation, Watch } from './observing-runner.ts';
import { type ClosedPlaces, placeChange, realPlace } from './places.ts';
import type { Excess } from './report.ts';

/** What was opened for one run, in addition to the settings. */
export interface TrialGrants {
  readonly writes: readonly string[];
  readonly ports: readonly number[];
  readonly publish: readonly number[];
  readonly sockets: readonly string[];
  readonly domains: readonly string[];
}

export interface Judged {
  /** Place → paths that were tried there. */
  readonly writes: ReadonlyMap<string, readonly string[]>;
  readonly ports: ReadonlySet<number>;
  readonly publish: ReadonlySet<number>;
  readonly sockets: ReadonlySet<string>;
  /** Only refused ones: allowed ones are not reported. */
  readonly domains: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  readonly beyond: ReadonlyMap<string, Excess>;
}

export interface JudgeInputs {
  readonly watch: Watch & { readonly spec: ConfinementSpec };
  readonly violations: readonly SandboxViolation[];
  readonly granted: TrialGrants;
  readonly closed: ClosedPlaces;
  /** Ports of this machine on which a process listens. */
  readonly isListening: (port: number) => boolean;
  /** hardshell's own folders, which are never granted. */
  readonly own: readonly string[];
}

const MAX_EACH = 200;
const MAX_USES = 5;

export function judge(inputs: JudgeInputs): Judged {
  const { watch, violations } = inputs;
  const judging = new Judging(inputs);
  for (const seen of watch.seen) judging.look(seen);
  for (const path of watch.undone)
    judging.refuse(
      'write',
      path,
      'It is protected, because it controls what runs outside of the sandbox. Create it yourself.',
    );
  for (const violation of violations) judging.hear(violation);
  return judging;
}

class Judging implements Judged {
  readonly writes = new Map<string, string[]>();
  readonly ports = new Set<number>();
  readonly publish = new Set<number>();
  readonly sockets = new Set<string>();
  readonly domains = new Set<string>();
  readonly secrets = new Set<string>();
  readonly beyond = new Map<string, Excess>();
  readonly #inputs: JudgeInputs;

  constructor(inputs: JudgeInputs) {
    this.#inputs = inputs;
  }

  refuse(operation: Excess['operation'], target: string, why: string): void {
    if (this.beyond.size < MAX_EACH && !this.beyond.has(target)) this.beyond.set(target, { operation, target, why });
  }

  look({ operation, target }: Observation): void {
    switch (operation) {
      case 'write':
      case 'create':
      case 'delete':
      case 'change':
        return this.#lookAtChange(operation, target);
      case 'read':
      case 'execute':
        return this.#lookAtRead(target);
      case 'connect':
      case 'send':
        return target.startsWith('/') ? this.#lookAtSocket(target) : this.#lookAtConnection(target);
      case 'bind':
        return this.#lookAtListener(target);
      case 'configure':
        return this.refuse(
          'write',
          target,
          'Only settings of git that run no program can be changed. Change it yourself.',
        );
      case 'signal':
    }
  }

  /** The proxy's message: host and port, and whether a rule denies them. */
  hear({ kind, target, rule, operation }: SandboxViolation): void {
    if (kind !== 'network' || operation !== 'connect' || !rule.startsWith('domains')) return;
    if (rule.startsWith('domains.deny'))
      return this.refuse('connect', target, `The settings deny it (${rule}); learning never allows a denied host.`);
    const host = target.replace(/:(?:80|443)$/, '');
    if (this.#inputs.granted.domains.includes(host))
      return this.refuse(
        'connect',
        target,
        `It was refused although its name was allowed: ${rule.replace(/^domains: /, '')}.`,
      );
    if (this.domains.size < MAX_EACH) this.domains.add(host);
  }

  #lookAtChange(operation: 'write' | 'create' | 'delete' | 'change', target: string): void {
    const { watch, granted, closed } = this.#inputs;
    if (isAtOrBelow(target, '/proc') || isAtOrBelow(target, '/dev') || isAtOrBelow(target, '/sys')) return;
    const path = realPlace(target);
    const { view, isGranted } = createView(path, watch.spec, granted.writes);
    // Without a mount namespace modes, owners and times are not confined.
    if (view === 'open' || (operation === 'change' && watch.spec.tier === 'landlock')) return;
    if (view === 'guarded')
      return this.refuse(
        'write',
        path,
        'It is protected, because it controls what runs outside of the sandbox. Change it yourself.',
      );
    if (view === 'hidden') return this.refuse('write', path, 'It is hidden, because it contains secrets.');
    const placed = placeChange({ operation, path, startedAtMs: watch.startedAtMs, wasOpen: isGranted }, closed);
    if (placed.kind === 'beyond') this.refuse('write', placed.target, placed.why);
    if (placed.kind !== 'place') return;
    if (UNSEEN.test(placed.path)) return this.refuse('write', placed.path, HOSTILE);
    const uses = this.writes.get(placed.path);
    if (uses === undefined && this.writes.size < MAX_EACH) this.writes.set(placed.path, [path]);
    else if (uses !== undefined && uses.length < MAX_USES) uses.push(path);
  }

  #lookAtRead(target: string): void {
    const { watch, granted, own } = this.#inputs;
    if (isAtOrBelow(target, '/proc') || isAtOrBelow(target, '/dev') || isAtOrBelow(target, '/sys')) return;
    const path = realPath(target);
    if (path === null) return;
    const { view } = createView(path, watch.spec, granted.writes);
    if (view === 'covered')
      this.refuse(
        'read',
        path,
        'The command has a private folder for temporary files, without the files of other programs. To make this one visible, use --allow-write.',
      );
    if (view !== 'hidden') return;
    if (own.some((folder) => isAtOrBelow(path, folder)))
      this.refuse('read', path, 'It belongs to hardshell, and no command may read it.');
    else if (this.secrets.size < MAX_EACH) this.secrets.add(path);
  }

  #lookAtSocket(target: string): void {
    const { watch, own, closed } = this.#inputs;
    const path = realPath(target);
    if (path === null || watch.spec.unixSockets === 'any') return;
    const isOpen = (watch.spec.unixPaths ?? []).includes(path) && !this.#inputs.granted.sockets.includes(path);
    if (isOpen) return;
    const door = secretTable().find(path, closed.home)?.what ?? null;
    if (own.some((folder) => isAtOrBelow(path, folder)) || closed.hidden.some((place) => isAtOrBelow(path, place)))
      this.refuse('connect', path, 'It is hidden from commands.');
    else if (door !== null || DOORS.test(path))
      this.refuse(
        'connect',
        path,
        'It gives access to a program outside of the sandbox. If you need it, allow it in the settings yourself.',
      );
    else if (UNSEEN.test(path)) this.refuse('connect', path, HOSTILE);
    else if (this.sockets.size < MAX_EACH) this.sockets.add(path);
  }

  #lookAtConnection(target: string): void {
    const { watch, granted, isListening } = this.#inputs;
    const { spec } = watch;
    if (target.startsWith('@'))
      return this.refuse('connect', target, 'Sockets without a file cannot be allowed one by one.');
    const [, host, text] = /^\[?([^\]]*)\]?:(\d+)$/.exec(target) ?? [];
    if (host === undefined) return;
    const port = Number(text);
    if (LOOPBACK.test(host)) {
      const isOpen = (spec.hostPorts ?? []).includes(port) && !granted.ports.includes(port);
      // If no process listens outside, the command connects to itself, or to nothing; on a published port hardshell listens for it.
      const isOwn = port === spec.proxyPort || (spec.publishPorts ?? []).includes(port);
      if (!isOwn && !isOpen && port !== 53 && isListening(port)) this.ports.add(port);
    } else if (port === 53)
      this.refuse('connect', 'the name server', 'It resolves names itself. In the sandbox only the proxy can.');
    else if (!/^(?:0\.0\.0\.0|::)$/.test(host) && port !== 0)
      this.refuse(
        'connect',
        target,
        'It does not use the proxy that its environment names, and there is no other way out.',
      );
  }

  #lookAtListener(target: string): void {
    const port = Number(/:(\d+)$/.exec(target)?.[1] ?? 0);
    if (port > 0) this.publish.add(port);
    else
      this.refuse('connect', target, 'It needs to listen on an arbitrary port; without namespaces it must name one.');
  }
}

/** Names with look-alike characters or line breaks are not shown to a person as settings; U+FFFD stands for lost bytes. */
const UNSEEN = /[\p{C}\p{DI}\p{Zl}\p{Zp}\ufffd]/u;
const HOSTILE = 'Its name contains invisible characters. Rename it if you want to allow it.';
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** Services that start programs or act on behalf of any caller. */
const DOORS =
  /\/(?:(?:docker|podman|containerd|crio|lxd?|libvirt-sock|snapd)[\w.-]*|system_bus_socket|bus|private)$|\/(?:\.X11-unix|systemd|dbus-[^/]+|S\.gpg-agent[^/]*|keyring|ssh-[^/]+|tmux-\d+|agent\.\d+)(?:\/|$)/;
