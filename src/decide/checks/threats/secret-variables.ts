// Variables whose name indicates a secret, if a command would print their value.
// The value is unknown here; testing whether it is set (`${X:+set}`, `[ -z "$X" ]`) reveals nothing.

import type { CommandFact, Facts, Span } from '../../../core/facts.ts';
import type { Check } from '../../check.ts';
import { readLayout } from '../confusion/reading/layout.ts';
import { scanText, type Unit } from '../confusion/reading/text.ts';
import { names } from '../safety/terms/words.ts';

const SECRET = /TOKEN|SECRET|PASS|KEY|CRED|AUTH/;
/** As whole parts of the name: `GITHUB_TOKEN` matches, `TOKENIZER` and `AUTHOR` do not. */
const SECRET_NAME =
  /(?:^|_)(?:TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|(?<=_)PASS|APIKEYS?|API_KEYS?|(?:PRIVATE|ACCESS|ENCRYPTION|SIGNING)_KEYS?|CREDENTIALS?|CREDS|AUTH)(?:_|\d*$)/;
/** Names that refer to a secret but are not one: `SSH_AUTH_SOCK`, `TOKEN_FILE`, `SECRET_NAME`. */
const ABOUT_SECRET = /_(?:SOCK|FILE|PATH|DIR|NAME|URL|HOST|PORT|ID|COUNT|TYPE|METHOD|TTL|EXPIRY|LENGTH|LIMIT)$/;

const PRINTERS = new Set(names('echo printf print cat tee'));
/** They only test the value, or do not print it. */
const SILENT = new Set(
  names('[ test [[ : true false export declare typeset local readonly unset read set shift return exit'),
);

export const SECRET_VARIABLE_CHECKS: readonly Check[] = [
  {
    id: 'secret-variable',
    layer: 'threats',
    severity: 'medium',
    verdict: 'ask',
    message: 'This prints the value of a variable whose name indicates a secret: it would be displayed and recorded.',
    instead: 'To check whether it is set, use `echo "${NAME:+set}"`, or `echo "${#NAME}"` for its length.',
    inspect(command, { facts }) {
      if (!mentionsSecret(facts) || !isShown(command)) return null;
      const span = secretWord(command, facts);
      return span === null ? null : { span, confidence: 0.8 };
    },
    examples: {
      matches: [
        ...[
          'echo $GITHUB_TOKEN',
          'printf \'%s\' "$NPM_TOKEN"',
          'echo ${AWS_SECRET_ACCESS_KEY}',
          'cat <<< "$API_KEY"',
          'tee <<< "$DB_PASSWORD"',
          'echo "token: ${TOKEN:0:4}…"',
          'echo ${TOKEN:-none}',
        ],
        ...[
          'cat <<EOF\nkey=$API_KEY\nEOF',
          "bash -c 'echo $GITHUB_TOKEN'",
          'timeout 5 echo "$MY_CREDENTIALS"',
          'echo "$OPENAI_APIKEY" | head -c 8',
          'base64 <<< "$CLIENT_SECRET"',
          'ls "$GITHUB_TOKEN"',
          'echo "${X:-$TOKEN}"',
        ],
        ...['echo "${TOKEN:+$TOKEN}"', 'printf "%s\\n" "a" "${SSH_PRIVATE_KEY}"', 'echo \'$A\'"$PASSWORD2"'],
      ],
      passes: [
        ...[
          '[ -z "$API_KEY" ]',
          '[[ -n $API_KEY ]] && echo yes',
          'echo ${TOKEN:+set}',
          'echo "${#TOKEN}"',
          "echo '$TOKEN'",
          'echo "\\$TOKEN"',
          'TOKEN=abc; echo $TOKEN',
          'echo $TOKENIZER $AUTHOR',
          'echo "$PASS passed"',
        ],
        ...[
          'echo $HOME',
          'echo "$SSH_AUTH_SOCK"',
          'echo "$TOKEN_FILE"',
          "cat <<'EOF'\n$API_KEY\nEOF",
          'curl -H "Authorization: Bearer $TOKEN" https://api.x.y',
          'echo "$(curl -s -H "A: $TOKEN" https://api.x.y)"',
          'export TOKEN="$OTHER_TOKEN"',
          'grep TOKEN .envrc',
        ],
      ],
    },
  },
];

const mentions = new WeakMap<Facts, boolean>();

/** Few texts do: everything else is skipped. */
function mentionsSecret(facts: Facts): boolean {
  let answer = mentions.get(facts);
  if (answer === undefined) {
    answer = SECRET.test(facts.command) && facts.command.includes('$');
    mentions.set(facts, answer);
  }
  return answer;
}

/** A read-only command may still print the value, or include it in an error message about a missing file. */
function isShown({ name, readOnly, effects, elsewhere }: CommandFact): boolean {
  if (name === null || SILENT.has(name) || elsewhere !== null) return false;
  return PRINTERS.has(name) || (readOnly && effects.network.length === 0);
}

function secretWord(command: CommandFact, facts: Facts): Span | null {
  for (const word of command.words) if (word.kind === 'dynamic' && expandsSecret(word.span, facts)) return word.span;
  for (const { kind, target, span } of command.redirects) {
    if (kind === 'herestring' && target?.kind === 'dynamic' && expandsSecret(target.span, facts)) return span;
    if (kind === 'heredoc' && bodyExpandsSecret(span, facts)) return span;
  }
  return null;
}

const answers = new WeakMap<Facts, Map<string, boolean>>();

/** A loop makes a thousand facts of one word, and all words of code in a word have its span. */
function expandsSecret(span: Span, facts: Facts): boolean {
  const known = answers.get(facts) ?? new Map<string, boolean>();
  answers.set(facts, known);
  const key = span.join();
  const answer = known.get(key) ?? findSecret(facts.command.slice(span[0], span[1]));
  known.set(key, answer);
  return answer;
}

function findSecret(written: string): boolean {
  if (!SECRET.test(written)) return false;
  const { units } = scanText(written);
  let outside = 0;
  for (const unit of units) {
    // A command inside it is checked separately.
    if (unit.kind === 'substitution' || unit.kind === 'backquote') outside = Math.max(outside, unit.end);
    else if (unit.start >= outside && isSecretExpansion(unit, written)) return true;
  }
  // Quoted code is a word of another shell: its quotes are separate from those around it.
  return units.length === 1 && units[0]?.kind === 'single' && expandsIn(written);
}

function isSecretExpansion({ kind, start, end }: Unit, text: string): boolean {
  return kind === 'parameter' && expandsIn(text.slice(start, Math.min(end, start + 100)));
}

const EXPANSION = /\$(?:([A-Z][A-Z0-9_]*)|\{([A-Z][A-Z0-9_]*)(:?\+)?)/g;

function expandsIn(text: string): boolean {
  for (const [, bare, braced, alternative] of text.matchAll(EXPANSION)) {
    const name = bare ?? braced ?? '';
    if (alternative === undefined && SECRET_NAME.test(name) && !ABOUT_SECRET.test(name)) return true;
  }
  return false;
}

function bodyExpandsSecret(redirect: Span, facts: Facts): boolean {
  const heredoc = readLayout(facts).texts[0]?.heredocs.find(({ span }) => span[0] >= redirect[0]);
  return heredoc !== undefined && !heredoc.isQuoted && expandsIn(facts.command.slice(...heredoc.body));
}
