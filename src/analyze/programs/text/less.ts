// less: options end at the first file; `-o` writes a log, `+command` types keys, and `!` among the keys runs a shell.
// Numbers inside a cluster end at the first letter (`-z5Oout` is `-z5 -O out`), so clusters are parsed strictly.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { mayStartWith } from '../words/wrapper-words.ts';

const FLAGS = '[aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWX~?]*';
const CLUSTER = new RegExp(`^-(?:${FLAGS}|${FLAGS}[bhjxyz#][0-9]+|[0-9]+)$`);
const CLUSTER_THEN_VALUE = new RegExp(`^-${FLAGS}[bhjxyz#pPD]$`);
const PATTERN = new RegExp(`^-${FLAGS}p[^$]+$`);
const LOG = new RegExp(`^-${FLAGS}[oO](.*)$`);
const LONG_FLAG =
  /^--(?:help|version|search-skip-screen|auto-buffers|clear-screen|dumb|quit-at-eof|force|quit-if-one-screen|hilite-search|ignore-case|status-column|quit-on-intr|no-lessopen|long-prompt|line-numbers|quiet|silent|raw-control-chars|squeeze-blank-lines|chop-long-lines|underline-special|hilite-unread|no-init|tilde|file-size|follow-name|incsearch|mouse|no-keypad|use-color|wordwrap|(?:buffers|max-back-scroll|jump-target|pattern|prompt|tabs|max-forw-scroll|window|shift|color|line-num-width|header|rscroll|status-col-width|wheel-lines)=[^$]*)$/i;
// A function: compiling such a pattern loads Unicode tables.
const KEYS = () => /^\+{1,2}(?:[0-9]*[gGpF%]?|\/[^\p{Cc}]*)$/u;

export const less: ProgramAnalyser = (args, sink) => {
  const { words } = args;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as WordValue;
    const text = literal(word);
    if (text === null) {
      if (mayStartWith(word, '-+') || (word.kind === 'dynamic' && word.many))
        sink.unknown('less: a word that may be an option');
      break;
    }
    if (text === '--') {
      index++;
      break;
    }
    if (text === '-' || !/^[-+]/.test(text)) break;
    if (CLUSTER_THEN_VALUE.test(text)) index++;
    else if (!CLUSTER.test(text) && !PATTERN.test(text) && !LONG_FLAG.test(text) && !KEYS().test(text)) {
      index += readOther(word, text, words[index + 1], sink);
    }
  }
  for (const file of words.slice(index)) sink.path('read', file);
};

/** How many further words the option takes. */
function readOther(word: WordValue, text: string, next: WordValue | undefined, sink: EffectSink): 0 | 1 {
  const log = LOG.exec(text)?.[1] ?? /^--log-file=(.*)$/is.exec(text)?.[1];
  if (log === undefined) sink.unknown(`less: the effects of ${text} are unknown`);
  else if (log !== '') sink.path('write', literalWord(log, word));
  else if (next) sink.path('write', next);
  return log === '' ? 1 : 0;
}
