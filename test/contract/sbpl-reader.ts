// Reads a Seatbelt profile and says what it allows, as far as our profiles go: the last rule that matches counts.
// Refuses every word that it does not know, so that a rule that means nothing to it cannot pass as one that denies.

interface Text {
  readonly text: string;
}
type Node = string | Text | Node[];

interface End {
  readonly kind: 'tcp' | 'udp' | 'unix';
  readonly host?: string;
  readonly port?: number;
}

/** An operation that is asked for; which filters it can match depends on what is given. */
export interface Operation {
  readonly name: string;
  readonly path?: string;
  readonly vnode?: 'REGULAR-FILE' | 'DIRECTORY' | 'SYMLINK' | 'BLOCK-DEVICE' | 'CHARACTER-DEVICE';
  readonly extension?: string;
  readonly remote?: End;
  readonly local?: End;
  readonly target?: 'same-sandbox' | 'others';
  readonly value?: string;
  readonly isSetuid?: boolean;
}

const BLANK = /^(?:\s+|;[^\n]*)+/;
/** `"…"` knows backslashes, `#"…"` does not. */
const TOKEN = /^(?:[()]|#"([^"]*)"|"((?:[^"\\]|\\.)*)"|[^\s()";]+)/s;

export function parseProfile(source: string): Node[] {
  let at = 0;
  const list = (isInner: boolean): Node[] => {
    const nodes: Node[] = [];
    for (;;) {
      at += BLANK.exec(source.slice(at))?.[0].length ?? 0;
      const rest = source.slice(at);
      if (rest === '' && !isInner) return nodes;
      const token = TOKEN.exec(rest);
      if (token === null) throw new SyntaxError(`cannot read: ${rest.slice(0, 40)}`);
      at += token[0].length;
      if (token[0] === '(') nodes.push(list(true));
      else if (token[0] === ')') {
        if (!isInner) throw new SyntaxError('a list has no beginning');
        return nodes;
      } else if (token[1] !== undefined) nodes.push({ text: token[1] });
      else if (token[2] !== undefined) nodes.push({ text: token[2].replace(/\\(.)/gs, '$1') });
      else nodes.push(token[0]);
    }
  };
  return list(false);
}

const NAMES = new Set(
  `default process-fork process-exec process-info* signal mach-priv-task-port sysctl-read user-preference-read iokit-open
  ipc-posix-sem ipc-posix-shm-read* mach-lookup file-read* file-read-metadata file-map-executable file-write*
  file-write-data file-write-create file-write-unlink file-ioctl pseudo-tty network-outbound network-bind
  network-inbound system-socket`.split(/\s+/),
);

interface Rule {
  readonly isAllowing: boolean;
  readonly names: readonly string[];
  readonly filters: readonly Node[][];
}

function readRule(node: Node): Rule {
  if (!Array.isArray(node)) throw new SyntaxError(`no rule: ${JSON.stringify(node)}`);
  const [action, ...rest] = node;
  if (action !== 'allow' && action !== 'deny') throw new SyntaxError(`no action: ${JSON.stringify(action)}`);
  const names = rest.filter((part) => typeof part === 'string');
  const filters = rest.filter((part) => Array.isArray(part));
  const unknown = names.filter((name) => !NAMES.has(name));
  if (unknown.length > 0 || names.length === 0 || names.length + filters.length !== rest.length)
    throw new SyntaxError(`unknown: ${JSON.stringify(node)}`);
  return { isAllowing: action === 'allow', names, filters };
}

export class Profile {
  readonly #rules: readonly Rule[];
  readonly #parameters: ReadonlyMap<string, string>;

  constructor(source: string, parameters: ReadonlyMap<string, string>) {
    const [version, ...rules] = parseProfile(source);
    if (JSON.stringify(version) !== '["version","1"]') throw new SyntaxError('no version');
    this.#parameters = parameters;
    this.#rules = rules.map(readRule);
    // Every filter is walked once, so that an unreadable one is found for any query.
    for (const { filters } of this.#rules) for (const filter of filters) this.#matches(filter, { name: 'none' });
  }

  get size(): number {
    return this.#rules.length;
  }

  allows(operation: Operation): boolean {
    let isAllowed = false;
    for (const { isAllowing, names, filters } of this.#rules) {
      const isNamed = names.some(
        (name) =>
          name === 'default' ||
          name === operation.name ||
          (name.endsWith('*') && operation.name.startsWith(name.slice(0, -1))),
      );
      if (isNamed && (filters.length === 0 || filters.some((filter) => this.#matches(filter, operation))))
        isAllowed = isAllowing;
    }
    return isAllowed;
  }

  #text(node: Node | undefined): string {
    if (Array.isArray(node) && node[0] === 'param') {
      const value = this.#parameters.get(this.#text(node[1]));
      if (value !== undefined) return value;
    } else if (typeof node === 'object' && 'text' in node) return node.text;
    throw new SyntaxError(`no text: ${JSON.stringify(node)}`);
  }

  #every(nodes: readonly Node[], operation: Operation): boolean[] {
    return nodes.map((node) => {
      if (!Array.isArray(node)) throw new SyntaxError(`no filter: ${JSON.stringify(node)}`);
      return this.#matches(node, operation);
    });
  }

  #matches(filter: Node[], operation: Operation): boolean {
    const [kind, first, ...more] = filter;
    const { path } = operation;
    switch (kind) {
      case 'require-all':
        return this.#every(filter.slice(1), operation).every(Boolean);
      case 'literal':
      case 'path-literal':
        return path === this.#text(first);
      case 'subpath': {
        const folder = this.#text(first);
        return path !== undefined && (path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`));
      }
      case 'regex': {
        const pattern = new RegExp(this.#text(first), 's');
        return path !== undefined && pattern.test(path);
      }
      case 'vnode-type':
        return operation.vnode === first;
      case 'extension':
        return operation.extension === this.#text(first);
      case 'target':
        return operation.target === first;
      case 'file-mode':
        return operation.isSetuid === true;
      case 'global-name':
      case 'ipc-posix-name':
      case 'iokit-registry-entry-class':
        return operation.value === this.#text(first);
      case 'ipc-posix-name-prefix':
        return operation.value?.startsWith(this.#text(first)) ?? false;
      case 'socket-domain':
        return operation.value === first;
      case 'remote':
      case 'local':
        return this.#meets(operation[kind], first, more, operation);
      default:
        throw new SyntaxError(`unknown filter: ${JSON.stringify(filter)}`);
    }
  }

  #meets(end: End | undefined, kind: Node | undefined, what: readonly Node[], operation: Operation): boolean {
    if (kind === 'unix-socket') return this.#every(what, operation).every(Boolean) && end?.kind === 'unix';
    if (kind !== 'ip' && kind !== 'tcp') throw new SyntaxError(`unknown end: ${JSON.stringify(kind)}`);
    const place = /^(\*|localhost):(\*|\d{1,5})$/.exec(this.#text(what[0]));
    if (place === null) throw new SyntaxError(`the kernel takes * and localhost alone: ${this.#text(what[0])}`);
    if (end === undefined || end.kind === 'unix' || (kind === 'tcp' && end.kind !== 'tcp')) return false;
    const isHost = place[1] === '*' || end.host === '127.0.0.1' || end.host === '::1';
    return isHost && (place[2] === '*' || Number(place[2]) === end.port);
  }
}
