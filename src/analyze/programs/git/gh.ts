// gh: which API calls only read, and what a jq expression may print (gh-api(1), gh-formatting(1)).
// An unknown method or query counts as a change.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { calledNames } from '../text/jq-program.ts';
import { headOf } from '../words/wrapper-words.ts';

function checkJq(args: ParsedArguments, sink: EffectSink): void {
  for (const option of args.options) {
    if (option.name !== '-q' || option.value === null) continue;
    const code = literal(option.value);
    const names = code === null ? null : calledNames(code);
    if (names === null) sink.unknown('an unknown jq expression may print the environment');
    else if (names.has('env') || names.has('$ENV')) sink.discloses('environment');
  }
}

/** The services where accounts usually are; gh refuses hosts that it has no login for. */
const USUAL_HOST = /^(?:[\w-]+\.)?(?:github|gitlab)\.com$/i;

/** `-R HOST/OWNER/REPO`, `gh pr view https://HOST/…`: a server that the command names. */
function checkServer(args: ParsedArguments, sink: EffectSink): void {
  const given = args.options.flatMap(({ name, value }) => (name === '-R' && value !== null ? [value] : []));
  for (const word of [...given, ...args.operands]) {
    const text = headOf(word).replace(/^[a-z+]+:\/\//i, '');
    const isAddress = text !== headOf(word) || (given.includes(word) && text.split('/').length > 2);
    const host = text.split(/[/:]/, 1)[0]?.replace(/^.*@/, '') ?? '';
    if (isAddress && !USUAL_HOST.test(host)) sink.host(literalWord(host, word));
  }
}

export const ghJson: ProgramAnalyser = (args, sink) => {
  checkJq(args, sink);
  checkServer(args, sink);
};

interface Field {
  /** `null`: the name is unknown. */
  readonly name: string | null;
  readonly value: string | null;
}

function readField(word: WordValue): Field {
  const head = headOf(word);
  const equals = head.indexOf('=');
  if (equals < 0) return { name: null, value: null };
  return { name: head.slice(0, equals), value: word.kind === 'literal' ? head.slice(equals + 1) : null };
}

// GraphQL has no alternative spelling of these keywords.
function isReadingQuery(fields: readonly Field[]): boolean {
  const queries = fields.filter((field) => field.name === 'query');
  return (
    queries.length > 0 &&
    fields.every((field) => field.name !== null) &&
    queries.every(({ value }) => value !== null && !value.startsWith('@') && !/mutation|subscription/i.test(value))
  );
}

/** `gh api`, `glab api`: GET unless there are fields or a body, POST then (the manual, under --method). */
export const ghApi: ProgramAnalyser = (args, sink) => {
  checkJq(args, sink);
  if (args.has('--help')) return;
  const endpoint = args.operands[0];
  const address = literal(endpoint);
  if (endpoint !== undefined && address?.includes('://')) sink.url(endpoint);
  const given = args.options.filter((option) => ['-f', '--raw-field', '-F', '--field'].includes(option.name));
  const words = given.flatMap((option) => option.value ?? []);
  for (const word of words) {
    const file = /^[^=]*=@(.+)$/s.exec(literal(word) ?? '')?.[1];
    if (file !== undefined) sink.path('read', literalWord(file, word));
  }
  const fields = words.map(readField);
  const isQuestion = address === 'graphql' && !args.has('--input') && isReadingQuery(fields);
  if (isQuestion) return;
  const method = args.has('-X') ? literal(args.value('-X')) : given.length > 0 || args.has('--input') ? 'POST' : 'GET';
  if (method !== 'GET' && method !== 'HEAD') sink.changes('change remote state through the API');
};

/** Settings are harmless to print, tokens are not. */
export const ghConfig: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) {
    const key = literal(word);
    if (key === null || /token|secret|password/i.test(key)) sink.discloses('token');
  }
};
