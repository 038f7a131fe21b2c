// Text of a rule → its meaning. Refuses anything that it does not fully understand, with a reason and a fix:
// a deny rule that silently never matches is worse than none.

import { type Network, parseAddress, parseNetwork } from '../../../core/names/addresses.ts';
import { type BashRule, parseBash } from './bash-pattern.ts';
import { type PathPattern, parsePath } from './path-pattern.ts';
import { Refusal } from './rule-words.ts';

export type ParsedRule =
  /** `null`: every command. */
  | { readonly tool: 'bash'; readonly bash: BashRule | null }
  /** `null`: every path. */
  | { readonly tool: 'read' | 'edit' | 'delete'; readonly path: PathPattern | null }
  | { readonly tool: 'network'; readonly host: HostPattern | null };

export interface HostPattern {
  /** For an address, its canonical spelling. */
  readonly name: string;
  /** Every address in it, instead of a name. */
  readonly network?: Network;
  /** Subdomains of the name, not the name itself. */
  readonly isBelow: boolean;
  /** Absent: any port. */
  readonly port?: number;
}

export type RuleParse =
  | { readonly ok: true; readonly rule: ParsedRule }
  | { readonly ok: false; readonly why: string; readonly hint: string | null };

const MAX_LENGTH = 2000;

const TOOLS: ReadonlyMap<string, ParsedRule['tool']> = new Map([
  ['Bash', 'bash'],
  ['Read', 'read'],
  ['Edit', 'edit'],
  ['Write', 'edit'],
  ['Delete', 'delete'],
  ['Network', 'network'],
  ['WebFetch', 'network'],
]);

const PLAIN = /^[ -~]*$/;
// Control characters, blanks other than the plain one, joiners, direction marks, tags, and unpaired surrogates.
// A function: compiling such a pattern loads Unicode tables, and plain text needs none.
const INVISIBLE = () => /\p{C}|[^\P{Z} ]|[\u115f\u1160\u17b4\u17b5\u3164\uffa0]|\p{Variation_Selector}|\u034f/u;

export function parseRule(text: string): RuleParse {
  if (text.length > MAX_LENGTH) {
    return refuse(`The rule is longer than ${MAX_LENGTH} characters.`, 'Use a prefix: `Bash(git commit:*)`.');
  }
  const invisible = PLAIN.test(text) ? null : INVISIBLE().exec(text);
  if (invisible !== null) {
    const code = (invisible[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
    return refuse(`The rule contains an invisible character (U+${code}).`, 'Type the rule again by hand.');
  }
  const open = text.indexOf('(');
  const name = (open === -1 ? text : text.slice(0, open)).trim();
  const tool = TOOLS.get(name);
  if (tool === undefined) return refuseTool(name, text);
  if (text !== text.trim() || (open !== -1 && open !== name.length)) {
    return refuse('The rule has blanks around it.', `Write \`${text.replace(/\s+\(/, '(').trim()}\`.`);
  }
  if (open === -1) return accept(everything(tool));
  if (!text.endsWith(')')) {
    return refuse('The parentheses are not balanced.', `A rule ends in \`)\`: \`${name}(…)\`.`);
  }
  const body = text.slice(open + 1, -1).trim();
  if (body === '') return refuse('The parentheses are empty.', `Write \`${name}\` alone to mean everything.`);
  if (tool === 'bash') return parseBashBody(body);
  if (tool === 'network') return parseHost(body, name);
  if (body === '*' || body === '**') return accept(everything(tool));
  const parsed = parsePath(body, 'file');
  return 'why' in parsed ? refuse(parsed.why, parsed.hint) : accept({ tool, path: parsed.path });
}

function parseBashBody(body: string): RuleParse {
  if (body === '*') return accept(everything('bash'));
  if (/^\*?\s*:\*$/.test(body)) return refuse('The rule does not name a command.', 'Write `Bash` for every command.');
  const bash = parseBash(body);
  return bash instanceof Refusal ? refuse(bash.why, bash.hint) : accept({ tool: 'bash', bash });
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
/** An address with colons needs brackets before a port. */
const WITH_PORT = /^(\[[^\]]*\](?:\/\d+)?|[^:[\]]+):(\d+|\*)$/;
const WITH_MASK = /^[0-9a-fx.:[\]]+\/\d+$/i;
const ADDRESS = /^\[?[0-9a-f]*:[0-9a-f:.]*\]?$/;

function parseHost(body: string, name: string): RuleParse {
  const text = body.startsWith('domain:') ? body.slice('domain:'.length).trim() : body;
  if (name === 'WebFetch' && text === body && body !== '*') {
    return refuse('`WebFetch` takes a domain.', `Write \`WebFetch(domain:${body})\` or \`Network(${body})\`.`);
  }
  if (text === '*') return accept(everything('network'));
  const [, place = text, port] = WITH_PORT.exec(text) ?? [];
  if (port !== undefined && port !== '*' && !(Number(port) >= 1 && Number(port) <= 65_535))
    return refuse(`\`${port}\` is not a port.`, `Write \`${place}:8080\`, or \`${place}\` for every port.`);
  const isAny = port === undefined || port === '*';
  const where = isAny ? {} : { port: Number(port) };
  if (WITH_MASK.test(place)) {
    const name = place.toLowerCase().replace(/^\[(.*)\]/, '$1');
    const network = parseNetwork(name);
    if (network === null)
      return refuse(
        `\`${place}\` is not a network.`,
        'Write one such as `10.0.0.0/8`; the bits after the mask must be zero.',
      );
    return accept({ tool: 'network', host: { name, network, isBelow: false, ...where } });
  }
  const isBelow = place.startsWith('*.');
  const host = normalHost(isBelow ? place.slice(2) : place);
  if (!HOST.test(host) && !(ADDRESS.test(host) && !isBelow)) {
    const shown = /^[a-z]+:\/\/([^/:]+)/i.exec(text)?.[1];
    return refuse(
      `\`${text}\` is not a host name.`,
      `Write ${shown === undefined ? '`example.com`, `*.example.com` or `10.0.0.0/8`' : `\`${name}(${name === 'WebFetch' ? 'domain:' : ''}${shown})\``}.`,
    );
  }
  return accept({ tool: 'network', host: { name: host, isBelow, ...where } });
}

/** Normalized for comparison: without case, final dot or brackets; an address in one spelling. */
export function normalHost(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  // Only text that starts with a digit, or has a colon, can be an address.
  return /^\d|:/.test(name) ? (parseAddress(name)?.text ?? name) : name;
}

function everything(tool: ParsedRule['tool']): ParsedRule {
  if (tool === 'bash') return { tool, bash: null };
  return tool === 'network' ? { tool, host: null } : { tool, path: null };
}

function refuseTool(name: string, text: string): RuleParse {
  if (name === '') return refuse('The rule has no name before the parentheses.', 'Write `Bash(git status)`.');
  const close = [...TOOLS.keys()].find(
    (tool) => distance(tool.toLowerCase(), name.toLowerCase()) <= (tool.length > 4 ? 2 : 1),
  );
  if (close !== undefined) {
    const open = text.indexOf('(');
    return refuse(
      `Unknown rule type: \`${name}\`.`,
      `Did you mean \`${close}${open === -1 ? '' : text.slice(open)}\`?`,
    );
  }
  if (/\s/.test(name) || !text.includes('(')) {
    return refuse('A command must be in parentheses.', `Write \`Bash(${text})\`.`);
  }
  return refuse(`Unknown rule type: \`${name}\`.`, `A rule starts with one of ${[...TOOLS.keys()].join(', ')}.`);
}

/** How many letters differ; names of tools are short. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let k = 1; k <= b.length; k++) {
      const same = (row[k - 1] as number) + (a[i - 1] === b[k - 1] ? 0 : 1);
      next.push(Math.min(same, (row[k] as number) + 1, (next[k - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

function accept(rule: ParsedRule): RuleParse {
  return { ok: true, rule };
}

function refuse(why: string, hint: string | null): RuleParse {
  return { ok: false, why, hint };
}
