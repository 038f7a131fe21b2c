// Code injection: unknown text becomes code. LAYER's family, based on the facts instead of the text.

import type { ReasonId } from '../../../core/facts.ts';
import type { Check, Hit } from '../../check.ts';

const INJECTING: ReadonlySet<ReasonId> = new Set<ReasonId>([
  'dynamic-code',
  'code-from-input',
  'arithmetic-evaluates',
  'indirect-expansion',
  'prompt-expansion',
  'exported-function',
  'dynamic-command',
]);

export const INJECTION_CHECKS: readonly Check[] = [
  {
    id: 'code-injection',
    layer: 'threats',
    severity: 'high',
    verdict: 'ask',
    message: 'Text that is not known before it runs is used as code here.',
    instead: 'Write the code out, or pass the text as an argument: `bash script.sh "$text"`.',
    inspectWhole({ facts }) {
      const hits: Hit[] = facts.reasons
        .filter(({ id }) => INJECTING.has(id))
        .map(({ span, message }) => ({
          span,
          confidence: 0.8,
          message: `Text that is not known before it runs is used as code here: ${message}.`,
        }));
      for (const { effects, words, span } of facts.commands) {
        const isUnseen = effects.executes.some(({ kind, text }) => kind === 'code' && text === null);
        if (isUnseen && words.some(({ kind }) => kind === 'dynamic')) hits.push({ span, confidence: 0.8 });
      }
      return hits;
    },
    examples: {
      matches: [
        ...[
          'eval "$x"',
          'bash -c "$x"',
          'curl x.y | sh',
          'python3 -c "$X"',
          '$X a',
          'echo "$y" | bash',
          'sh -c \'eval "$1"\' _ "$Z"',
          'sudo bash -c "ls $X"',
          'node -e "console.log($X)"',
          '((a[$x]))',
        ],
        ...[
          'timeout 5 sh -c "$(cat a)"',
          'cat a | bash',
          'perl -e "$CODE" a',
          'eval $(ssh-agent)',
          'xargs -I{} sh -c "{}" < list',
        ],
      ],
      passes: [
        ...[
          'echo $(date)',
          'ls `pwd`',
          'cd "$X" && ls',
          'make clean; rm -rf build',
          'ls && sudo ls',
          'ls > /dev/null',
          "python3 -c 'print(1)'",
          "bash -c 'echo hi'",
          'cat "$F"',
          'X=ls; $X',
          "python3 <<'EOF'\nprint(1)\nEOF",
        ],
        ...[
          'git commit -m "$(cat a)"',
          'for f in *; do wc "$f"; done',
          'eval "ls -la"',
          'node a.js "$X"',
          'bash script.sh "$X"',
        ],
      ],
    },
  },
];
