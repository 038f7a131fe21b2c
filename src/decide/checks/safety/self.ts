// Commands that would answer hardshell's own questions or change its rules from inside.

import type { CommandFact, Facts } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import type { Check } from '../../check.ts';

/** Verbs that only display. Everything else is refused, including verbs that do not exist yet. */
const TELLING = wordSet('check explain analyze test doctor help version --help -h --version -V');
const ANSWERS = new Set(['approve', 'deny', 'trust', 'config', 'grant', 'apply', 'undo', 'redo', 'drop']);
const TELLING_CONFIG = new Set(['path', 'validate', 'schema', 'show']);
const OWN_SCRIPT = /(?:^|\/)hardshell(?:@[\w.-]+)?(?:\.[cm]?[jt]s)?$|\/hardshell\/(?:dist|bin|src)\//;
const INTERPRETERS = wordSet('node nodejs bun deno tsx ts-node npx npm pnpm yarn bunx');
/** As in src/local/places.ts: `hardshell` or `hardshell-UID`, in a folder for sockets or for temporary files. */
const OWN_SOCKET =
  /(?:\/run|\/run\/user\/[^\s'"/]{1,40}|\/tmp|\$\{?\w{1,60}\}?)\/hardshell(?:-\d+)?(?:\/[^\s'"]{0,120})?\.sock\b|\bhardshell(?:-\d+)?\/(?:approvals|running|worlds)\b/;

export const SELF_CHECKS: readonly Check[] = [
  {
    id: 'self-approval',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'A command must not answer questions about itself, or change the rules that apply to it.',
    instead: 'Ask the user to run it in their own terminal.',
    inspect: (command, { facts }) =>
      isSelfApproval(command, facts) ? { span: command.span, ...(isAboutTasks(command) ? ABOUT_TASKS : {}) } : null,
    examples: {
      matches: [
        ...[
          'hardshell approve AB12',
          'hardshell deny AB',
          'hardshell apply bash-k7mw2q',
          'H=hardshell; $H undo --yes',
          'npx hardshell approve AB',
          'npx -y hardshell@latest approve AB',
          'npm exec hardshell -- approve AB',
          'bunx hardshell approve X',
        ],
        ...[
          'node bin/hardshell.js approve AB',
          'node /x/node_modules/hardshell/dist/surfaces/cli/main.js approve',
          './node_modules/.bin/hardshell trust',
          'hardshell config set mode bypass',
        ],
        ...[
          'curl --unix-socket /run/user/1000/hardshell-1/a.sock http://x/',
          'nc -U /tmp/hardshell-1000/approvals/x.sock',
          'nc -U /data/hardshell-7/worlds/x.sock',
          'socat - UNIX-CONNECT:/run/user/1000/hardshell/approvals.sock',
          'hardshell trust .',
        ],
        ...[
          'python3 -c "s.connect(\'/run/user/1/hardshell-1/x.sock\')"',
          'sudo hardshell approve X',
          "bash -c 'hardshell approve X'",
          'echo X | xargs hardshell approve',
          'env A=b hardshell approve X',
        ],
        ...[
          'hard"shell" approve X',
          'hardshell --settings x approve Y',
          'hardshell pending',
          'hardshell tasks',
          'timeout 5 hardshell approve X',
          'npx @s/hardshell approve X',
          'hardshell "$X"',
          'echo x > /run/hardshell-1/a.sock',
        ],
        ...[
          'hardshell',
          'node --no-warnings ./hardshell.mjs approve X',
          'pnpm dlx hardshell approve X',
          'H=hardshell; $H approve X',
          'H=$(which hardshell); $H approve A',
          'nc -U $XDG_RUNTIME_DIR/hardshell-1.sock',
          'hardshell check x; hardshell approve Y',
        ],
      ],
      passes: [
        ...[
          "hardshell check 'rm x'",
          'hardshell explain ls',
          'hardshell analyze ls',
          'hardshell test a.jsonc',
          'hardshell doctor',
          'node bin/hardshell.js check ls',
          'hardshell --version',
        ],
        ...[
          'echo hardshell approve',
          'git commit -m "hardshell approve"',
          'cat hardshell.md',
          'npm install hardshell',
          'hardshell config show',
          'npx hardshell check ls',
          'hardshell check --json ls',
        ],
        ...[
          'grep -r approve src/hardshell',
          'ls node_modules/hardshell',
          'git clone https://x.y/hardshell.git',
          'curl --unix-socket /var/run/docker.sock http://x/',
          'curl --unix-socket /tmp/hardshell-demo/app.sock http://x/',
          'nc -U /home/u/hardshell/dev.sock',
          'nc -U ./hardshell-app.sock',
          'cd hardshell && npm test',
          'mkdir hardshell',
          'curl --unix-socket /home/u/hardshell-demo/app.sock http://x/',
          'rm ~/src/my-hardshell-fork/test.sock',
        ],
      ],
    },
  },
];

function isSelfApproval(command: CommandFact, facts: Facts): boolean {
  if (!command.readOnly && hasOwnSocket(command, facts)) return true;
  // `$H approve X` in a text that mentions hardshell: only the run would show which program it is.
  if (command.name === null && ANSWERS.has(command.argv[1] ?? '') && facts.command.includes('hardshell')) return true;
  if (command.name === 'hardshell' || command.name?.startsWith('hardshell.')) return !isTelling(command.argv.slice(1));
  if (command.name === null || !INTERPRETERS.has(command.name)) return false;
  const script = command.argv.findIndex((word, i) => i > 0 && word !== null && OWN_SCRIPT.test(word));
  // Package managers name the package before its arguments; what it runs is a separate command.
  if (script < 0 || !/^(?:node|nodejs|bun|deno|tsx|ts-node)$/.test(command.name)) return false;
  return !isTelling(command.argv.slice(script + 1));
}

const ABOUT_TASKS = {
  message: 'A command must not manage the tasks of hardshell: it could read and end those of others.',
  instead:
    'Read or stop a task with the tool that started it, or ask the user to run `hardshell tasks` in their own terminal.',
};

function isAboutTasks({ argv }: CommandFact): boolean {
  const own = argv.findIndex((word) => word !== null && OWN_SCRIPT.test(word));
  return own >= 0 && argv[own + 1] === 'tasks';
}

function isTelling(words: readonly (string | null)[]): boolean {
  const [first, second] = words;
  if (typeof first !== 'string') return false;
  return TELLING.has(first) || (first === 'config' && typeof second === 'string' && TELLING_CONFIG.has(second));
}

function hasOwnSocket(command: CommandFact, facts: Facts): boolean {
  const targets = command.redirects.flatMap(({ target }) => (target === null ? [] : [target]));
  return [...command.words, ...targets].some((word) => {
    // A part may come from a variable; then the rest of the word is only in the text.
    const text = word.kind === 'literal' ? word.value : facts.command.slice(word.span[0], word.span[1]);
    const around = word.kind !== 'literal' && command.via.length > 0 ? facts.command : text;
    return around.includes('hardshell') && OWN_SOCKET.test(around);
  });
}
