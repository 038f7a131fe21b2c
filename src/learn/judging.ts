// One observed run → what the command needs beyond the settings, what it read in vain, and what learning never grants.
// Decides nothing about the run itself: observations can be forged by the command, so a need is a proposal to a person.

import { existsSync, realpathSync } from 'node:fs';
import type { ConfinementSpec } from '../confine/port.ts';
import type { SandboxViolation } from '../core/confinement.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { secretTable } from '../decide/paths/tables/secret-paths.ts';
import { viewOf } from './confined-view.ts';
import type { Seen, Watch } from './observing-runner.ts';
import { type ClosedPlaces, placeChange, realPlace } from './places.ts';
import type { Excess } from './report.ts';

/** What was opened for one run, besides the settings. */
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
  /** Refused ones: those that were let through are not told. */
  readonly domains: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  readonly beyond: ReadonlyMap<string, Excess>;
}

export interface JudgeInputs {
  readonly watch: Watch & { readonly spec: ConfinementSpec };
  readonly violations: readonly SandboxViolation[];
  readonly granted: TrialGrants;
  readonly closed: ClosedPlaces;
  /** Of this machine, on which somebody listens. */
  readonly isListening: (port: number) => boolean;
  /** Folders of ours, which nobody is given. */
  readonly own: readonly string[];
}

const MAX_EACH = 200;
const MAX_USES = 5;

export function judge(inputs: JudgeInputs): Judged {
  const { watch, violations } = inputs;
  const judging = new Judging(inputs);
  for (const seen of watch.seen) judging.look(seen);
  for (const path of watch.undone)
    judging.refuse('write', path, 'It is protected: it decides what runs outside of the sandbox. Make it yourself.');
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

  look({ operation, target }: Seen): void {
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
    }
  }

  /** The proxy's own words: host and port, and whether a rule denies them. */
  hear({ kind, target, rule, operation }: SandboxViolation): void {
    if (kind !== 'network' || operation !== 'connect' || !rule.startsWith('domains')) return;
    if (rule.startsWith('domains.deny'))
      return this.refuse(
        'connect',
        target,
        `The settings deny it (${rule}); a denied host is never allowed by learning.`,
      );
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
    const { view, isGranted } = viewOf(path, watch.spec, granted.writes);
    // Without a mount namespace modes, owners and times are not confined.
    if (view === 'open' || (operation === 'change' && watch.spec.tier === 'landlock')) return;
    if (view === 'guarded')
      return this.refuse(
        'write',
        path,
        'It is protected: it decides what runs outside of the sandbox. Change it yourself.',
      );
    if (view === 'hidden') return this.refuse('write', path, 'It is hidden, because secrets lie there.');
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
    const path = real(target);
    if (path === null) return;
    const { view } = viewOf(path, watch.spec, granted.writes);
    if (view === 'covered')
      this.refuse(
        'read',
        path,
        'Its folder for temporary files is its own, and what others put there is not in it. To show it, open it with --allow-write.',
      );
    if (view !== 'hidden') return;
    if (own.some((folder) => isAtOrBelow(path, folder)))
      this.refuse('read', path, 'It belongs to hardshell itself, and no command may see it.');
    else if (this.secrets.size < MAX_EACH) this.secrets.add(path);
  }

  #lookAtSocket(target: string): void {
    const { watch, own, closed } = this.#inputs;
    const path = real(target);
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
        'Whoever reaches it can have things done outside of the sandbox. Allow it by hand, if you must.',
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
      // Where nobody listens outside, it talks to itself, or to nobody.
      if (port !== spec.proxyPort && !isOpen && port !== 53 && isListening(port)) this.ports.add(port);
    } else if (port === 53)
      this.refuse('connect', 'the name server', 'It looks names up by itself. In the sandbox only the proxy does.');
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
    else this.refuse('connect', target, 'It wants to listen on any port; without namespaces it must name one.');
  }
}

/** Names that look like others, or end a line, are not put in front of a person as settings; U+FFFD stands for lost bytes. */
const UNSEEN = /[\p{C}\p{DI}\p{Zl}\p{Zp}\ufffd]/u;
const HOSTILE = 'Its name holds characters that cannot be seen. Rename it, if you want to allow it.';
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** Services that start programs, or act for whoever asks. */
const DOORS =
  /\/(?:(?:docker|podman|containerd|crio|lxd?|libvirt-sock|snapd)[\w.-]*|system_bus_socket|bus|private)$|\/(?:\.X11-unix|systemd|dbus-[^/]+|S\.gpg-agent[^/]*|keyring|ssh-[^/]+|tmux-\d+|agent\.\d+)(?:\/|$)/;

function real(path: string): string | null {
  try {
    return existsSync(path) ? realpathSync(path) : null;
  } catch {
    return null;
  }
}
