import { describe, expect, test } from 'vitest';
import { makeRequest } from '../../test/approving/subject.ts';
import type { Finding } from '../core/verdict.ts';
import { headlineOf } from './headline.ts';

const finding = (changes: Partial<Finding>): Finding => ({
  id: 'x',
  layer: 'safety',
  verdict: 'ask',
  severity: 'high',
  message: 'It deletes a folder.',
  instead: null,
  span: null,
  command: null,
  rule: null,
  confidence: null,
  ...changes,
});

/** A finding about this part of the command. */
function asked(command: string, part: string, changes: Partial<Finding> = {}) {
  const start = command.indexOf(part);
  const span = [start, start + part.length] as const;
  return makeRequest({ command, risk: 'high', findings: [finding({ span, ...changes })] });
}

test.each<[string, ReturnType<typeof makeRequest>, string]>([
  ['the whole', asked('rm -rf build', 'rm -rf build'), 'Risk high. Run «rm -rf build»? It deletes a folder.'],
  [
    'a part of a line',
    asked('ls && rm -rf build', 'rm -rf build'),
    'Risk high. Run «rm -rf build», part of a longer command? It deletes a folder.',
  ],
  [
    'below fifteen harmless lines',
    asked(`${'ls\n'.repeat(15)}rm -rf build`, 'rm -rf build'),
    'Risk high. Run «rm -rf build», part of a command of 16 lines? It deletes a folder.',
  ],
  ['nothing was found', makeRequest({ command: 'a b' }), 'Risk medium. Run «a b»? It needs approval.'],
])('%s', (_, request, line) => expect(headlineOf(request).line).toBe(line));

test('the most severe finding comes first; "no rule allows it" comes last, and warnings do not count', () => {
  const command = 'touch a; rm -rf b; sudo c';
  const request = makeRequest({
    command,
    findings: [
      finding({ id: 'no-rule', severity: 'critical', span: [0, 7], message: 'Nothing allows it.' }),
      finding({ severity: 'medium', span: [9, 17], message: 'It deletes.' }),
      finding({ severity: 'high', span: [19, 25], message: 'It has other rights.' }),
      finding({ severity: 'critical', verdict: 'allow', span: [0, 7], message: 'A note.' }),
    ],
  });
  expect(headlineOf(request).line).toBe(
    'Risk medium. Run «sudo c», part of a longer command? It has other rights. Also «rm -rf b»: It deletes. (1 more reason)',
  );
});

test('a host: the address, not the command that connects', () => {
  const none = { reads: [], writes: [], deletes: [], executes: [], changes: [], discloses: [], unknown: [] };
  const request = makeRequest({
    command: 'sh fetch.sh',
    findings: [finding({ id: 'network-host', severity: 'medium', message: 'No rule allows it.' })],
    effects: { ...none, privilege: false, network: [{ host: 'evil.com', port: 443 }] },
  });
  expect(headlineOf(request)).toEqual({
    part: '«evil.com:443»',
    line: 'Risk medium. Connect to «evil.com:443»? No rule allows it.',
  });
});

describe('a command cannot write its own line', () => {
  const reassuring = 'ls»? It only lists files. Risk low.';
  test.each<[string, string]>([
    ['quotes', reassuring],
    ['line ends', `${reassuring}\n\n\nAll of this was checked`],
    ['line ends of other kinds', `${reassuring}\r\u2028\u2029\u0085\v\fAll of this was checked`],
    ['terminal sequences', `\x1b[2J\x1b[1;1H${reassuring}\x1b[8m`],
    ['right-to-left text', `\u202e${reassuring}\u2066\u200f`],
    ['invisible characters', `r\u200bm\u00ad -rf\u3164 \u2800/${'\u{e0041}'.repeat(50)}`],
    ['length', `: ${'harmless '.repeat(3_000)}; rm -rf /`],
    ['blanks', `ls${' '.repeat(5_000)}; rm -rf /`],
  ])('%s', (_, command) => {
    const { part, line } = headlineOf(
      makeRequest({ command, risk: 'high', findings: [finding({ message: command })] }),
    );
    expect(line).not.toMatch(/[\p{C}\p{DI}\p{Zl}\p{Zp}]/u);
    expect(line.match(/[«»]/g)).toEqual(['«', '»']);
    expect(line).toMatch(/^Risk high\. Run «[^«»]*»\? /);
    expect([...part].length).toBeLessThanOrEqual(102);
    expect([...line].length).toBeLessThanOrEqual(400);
  });

  test('an odd character next to the risky part', () => {
    const command = "ls\nrm -rf build; echo 'a\u200bb'\nls";
    const odd = finding({ severity: 'critical', message: 'It is not seen.', span: [26, 27] });
    const meant = finding({ severity: 'high', span: [3, 15] });
    expect(headlineOf(makeRequest({ command, findings: [meant, odd] })).line).toBe(
      "Risk medium. Run «rm -rf build; echo 'a\\u{200b}b'», part of a command of 3 lines? It is not seen. " +
        'Also «rm -rf build»: It deletes a folder.',
    );
  });

  test('of a long command, the beginning and the end are shown', () => {
    const { part } = headlineOf(makeRequest({ command: `first ${'x'.repeat(500)} last` }));
    expect(part).toMatch(/^«first x+…x+ last»$/);
  });
});
