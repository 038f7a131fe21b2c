// Interpreters: their words → the code, module or file that they run (node(1), python(1), java(1), php(1) …).
// Words after the script or after `-c` belong to the program, so the words are walked here.
// Only listed options are harmless: an unknown option makes the effects unknown.

import type { WordValue } from '../../../core/facts.ts';
import { once, type WordSet, wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { afterHead, headOf, mayStartWith } from '../words/wrapper-words.ts';
import { isLiteralCode, type LiteralLanguage } from './literal-code.ts';

type Meaning =
  | 'flag'
  | 'value'
  | 'code'
  | 'file'
  | 'module'
  | 'library'
  | 'hook'
  | 'read'
  | 'informs'
  | 'informs-alone'
  | 'secret'
  | 'checks'
  | 'runs';

interface Language {
  /** Meaning of options → the options, in one text. */
  readonly options: Readonly<Partial<Record<Meaning, string>>>;
  /** Words with an attached harmless value. */
  readonly attached?: RegExp;
  /** Single letters can be clustered, with attached values: `-uc code`, `-Wignore`. */
  readonly clusters?: true;
  /** Code or a module ends the options: the rest are arguments of the program. */
  readonly codeEnds?: true;
  /** So does a file given by an option (`java -jar`). */
  readonly fileEnds?: true;
  /** The script operand is a file only if it looks like this (`java Main.java`, but `java Main`). */
  readonly scripts?: RegExp;
  /** Code that only prints literals is recognised. */
  readonly literals?: LiteralLanguage;
  /** Modules that are known as programs of the same name. */
  readonly tools?: WordSet;
}

const TAKES_VALUE: ReadonlySet<Meaning> = new Set(['value', 'code', 'file', 'module', 'library', 'hook', 'read']);

interface Found {
  readonly meaning: Meaning;
  readonly value: WordValue | null;
}

type Meanings = ReadonlyMap<string, Meaning>;

function meaningsOf({ options }: Language): Meanings {
  const found = new Map<string, Meaning>();
  for (const [meaning, names] of Object.entries(options)) {
    for (const name of names.split(' ')) found.set(name, meaning as Meaning);
  }
  return found;
}

/** One option word and how many further words it takes; `null` if it is unknown. */
function readOption(
  language: Language,
  meanings: Meanings,
  word: WordValue,
  text: string,
  next: WordValue | undefined,
): [Found[], number] | null {
  const exact = meanings.get(text);
  if (exact !== undefined) {
    return TAKES_VALUE.has(exact)
      ? [[{ meaning: exact, value: next ?? null }], 1]
      : [[{ meaning: exact, value: null }], 0];
  }
  const equals = text.indexOf('=');
  const long = equals > 0 ? meanings.get(text.slice(0, equals)) : undefined;
  if (long !== undefined && TAKES_VALUE.has(long)) return [[{ meaning: long, value: afterHead(word, equals + 1) }], 0];
  if (language.attached?.test(text) === true) return [[{ meaning: 'value', value: null }], 0];
  if (language.clusters !== true || text.startsWith('--')) return null;
  const found: Found[] = [];
  for (let at = 1; at < text.length; at++) {
    const meaning = meanings.get(`-${text.charAt(at)}`);
    if (meaning === undefined) return null;
    if (!TAKES_VALUE.has(meaning)) found.push({ meaning, value: null });
    else if (at + 1 < text.length) return [[...found, { meaning, value: afterHead(word, at + 1) }], 0];
    else return [[...found, { meaning, value: next ?? null }], 1];
  }
  return [found, 0];
}

function interpreter(language: Language): ProgramAnalyser {
  const meanings = once(() => meaningsOf(language));
  return (args, sink) => {
    const { words } = args;
    if (printsLiterals(language, meanings(), words)) return;
    const seen = new Set<Meaning>();
    let index = 0;
    for (; index < words.length; index++) {
      const word = words[index] as WordValue;
      const text = literal(word);
      if (text === null && mayStartWith(word, '-')) {
        sink.unknown('an unknown word may be an option');
        break;
      }
      if (text === '--') {
        index++;
        break;
      }
      if (text === null || text === '-' || !text.startsWith('-')) break;
      const option = readOption(language, meanings(), word, text, words[index + 1]);
      if (option === null) {
        sink.unknown(`option ${text}`);
        continue;
      }
      const [found, taken] = option;
      index += taken;
      for (const { meaning, value } of found) {
        seen.add(meaning);
        report(meaning, value, sink);
      }
      if (language.fileEnds === true && (seen.has('file') || seen.has('module'))) return;
      if (language.codeEnds === true && (seen.has('code') || seen.has('module'))) {
        const module = found.at(-1)?.value;
        const name = literal(module ?? undefined);
        if (module != null && name !== null && language.tools?.has(name) === true && seen.has('module')) {
          sink.run([literalWord(name, module), ...words.slice(index + 1)], 'a module');
        }
        return;
      }
    }
    const script = words[index];
    if (seen.has('informs') || seen.has('secret') || (script === undefined && seen.has('informs-alone'))) {
      // `java -Djava.system.class.loader=X -version` runs X.
      if (seen.has('value')) sink.unknown('settings together with an option that only prints');
      return;
    }
    if (seen.has('checks')) {
      if (script !== undefined && literal(script) !== '-') sink.path('read', script);
      return;
    }
    if (seen.has('code') || seen.has('module') || seen.has('file')) return;
    if (script === undefined || literal(script) === '-') sink.executes('code', null);
    else if (language.scripts?.test(literal(script) ?? '') === false) sink.executes('program', script);
    else runFile(script, sink);
  };
}

/** Exactly `python3 -c CODE` or `node -p CODE`: no other option, and no arguments. */
function printsLiterals({ literals }: Language, meanings: Meanings, words: readonly WordValue[]): boolean {
  const [option, code, ...more] = words.map(literal);
  if (literals === undefined || typeof option !== 'string' || typeof code !== 'string' || more.length > 0) return false;
  return meanings.get(option) === 'code' && isLiteralCode(code, literals);
}

function runFile(file: WordValue | null, sink: EffectSink): void {
  if (file !== null) sink.path('read', file);
  sink.executes('file', file);
}

function report(meaning: Meaning, value: WordValue | null, sink: EffectSink): void {
  switch (meaning) {
    case 'code':
      return sink.executes('code', value);
    case 'file':
      return runFile(value, sink);
    case 'library':
      return value !== null && /^[./~]/.test(headOf(value)) ? runFile(value, sink) : sink.executes('file', value);
    case 'module':
      return sink.executes('program', value);
    case 'runs':
      return sink.executes('code', null);
    case 'hook':
      return sink.executes('hook', value);
    case 'secret':
      return sink.discloses('environment');
    case 'read':
      if (value !== null) sink.path('read', value);
      return;
    case 'flag':
    case 'value':
    case 'informs':
    case 'informs-alone':
    case 'checks':
      return;
    default:
      return meaning satisfies never;
  }
}

export const node: ProgramAnalyser = interpreter({
  literals: 'javascript',
  options: {
    informs: '-v --version -h --help --v8-options --completion-bash',
    checks: '-c --check',
    code: '-e --eval -p --print -pe',
    library: '-r --require --import --loader --experimental-loader --test-reporter --test-global-setup',
    hook: '--env-file --env-file-if-exists --run --openssl-config --experimental-config-file',
    runs: '-i --interactive --test --test-only --watch --inspect --inspect-brk',
    flag: '--no-warnings --trace-warnings --trace-uncaught --trace-deprecation --no-deprecation --throw-deprecation --enable-source-maps --experimental-vm-modules --experimental-strip-types --experimental-transform-types --no-experimental-strip-types --experimental-modules --experimental-json-modules --preserve-symlinks --expose-gc --expose_gc --experimental-test-coverage --pending-deprecation --no-addons --use-openssl-ca --use-system-ca --permission',
    value:
      '-C --conditions --input-type --title --unhandled-rejections --test-name-pattern --test-concurrency --test-timeout --dns-result-order --max-http-header-size --watch-path --secure-heap --icu-data-dir --disable-warning --allow-fs-read --allow-fs-write',
  },
  attached:
    /^--(?:stack[-_]size|max[-_]old[-_]space[-_]size|stack[-_]trace[-_]limit|max[-_]semi[-_]space[-_]size)=[\w.:]*$/,
});

export const python: ProgramAnalyser = interpreter({
  literals: 'python',
  options: {
    informs: '-V --version -h -? --help --help-env --help-xoptions --help-all',
    code: '-c',
    module: '-m',
    flag: '-b -B -d -E -i -I -O -P -q -s -S -u -v -x -t',
    value: '-W -X -Q --check-hash-based-pycs',
  },
  clusters: true,
  codeEnds: true,
  tools: wordSet(
    'pip pytest black mypy ruff flake8 isort coverage tox nox pylint pyflakes uvicorn gunicorn virtualenv pipx poetry alembic flask yamllint uv',
  ),
});

export const java: ProgramAnalyser = interpreter({
  options: {
    informs: '-version --version -help --help -h -? -X --help-extra --list-modules',
    file: '-jar',
    module: '-m --module',
    value:
      '-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --add-reads --upgrade-module-path --source',
    flag: '-ea -da -esa -dsa -enableassertions -disableassertions --enable-preview -showversion --show-version -verbose -server -client',
  },
  scripts: /\.java$|^@/,
  fileEnds: true,
  attached: /^-(?:D[\w.-]+(?:=.*)?|X(?:m[sxn]|ss)\d+[kmgtKMGT]?|(?:ea|da):[\w.$]+|verbose:\w+|XX:[+-]Use\w+GC)$/,
});

export const php: ProgramAnalyser = interpreter({
  options: {
    informs: '-v --version -h --help -m --modules --ini --ri --rc --rf --re --rz',
    secret: '-i --info',
    checks: '-l --syntax-check -w --strip -s --syntax-highlight',
    code: '-r --run -B --process-begin -R --process-code -E --process-end',
    file: '-f --file -F --process-file',
    library: '-z --zend-extension',
    hook: '-d --define -c --php-ini -S --server',
    value: '-t --docroot',
    flag: '-n --no-php-ini -a --interactive -q --no-header -C --no-chdir -e -H --hide-args',
  },
  clusters: true,
});

export const lua: ProgramAnalyser = interpreter({
  options: { 'informs-alone': '-v', code: '-e', library: '-l', flag: '-E -W' },
  clusters: true,
});

export const julia: ProgramAnalyser = interpreter({
  options: {
    informs: '-v --version -h --help --help-hidden',
    code: '-e --eval -E --print',
    library: '-L --load -J --sysimage',
    flag: '-i -q --quiet --compiled-modules --history-file --startup-file --project --color --banner --warn-overwrite',
    value: '-t --threads -p --procs -O --optimize -g --depwarn --check-bounds --math-mode',
  },
  attached: /^--(?:project|startup-file|color|banner|history-file|compiled-modules|code-coverage)=[^/]*$/,
  clusters: true,
});

// .Rprofile in the working folder runs before the code, unless --vanilla.
export const rscript: ProgramAnalyser = interpreter({
  options: {
    informs: '--version --help',
    code: '-e',
    flag: '--verbose --vanilla --no-environ --no-site-file --no-init-file --no-save --no-restore --slave',
  },
  attached: /^--default-packages=[\w,]*$/,
});
