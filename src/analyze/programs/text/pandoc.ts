// pandoc: a format that is a Lua file is code, a PDF is made by another program, and formats that embed images
// fetch them.

import type { WordValue } from '../../../core/facts.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { valuesOf } from '../words/file-words.ts';

const FORMAT = /^[a-z0-9_]+(?:[-+][a-z0-9_]+)*$/;
const TEXT =
  /^(?:asciidoc(?:tor)?|commonmark(?:_x)?|context|docbook[45]?|dokuwiki|gfm|haddock|html[45]?|jats\w*|jira|json|latex|beamer|man|markdown(?:_\w+)?|markua|mediawiki|ms|muse|native|opml|org|plain|rst|s5|slidy|slideous|dzslides|revealjs|tei|texinfo|textile|typst|xwiki|zimwiki)(?:[-+]|$)/;

export const pandoc: ProgramAnalyser = (args, sink) => {
  for (const format of valuesOf(args, '-f -t')) {
    if (!FORMAT.test(literal(format) ?? '')) sink.executes('file', format);
  }
  const written = valuesOf(args, '-t');
  const files = valuesOf(args, '-o');
  if (files.some(isPdf) || written.some((word) => literal(word) === 'pdf')) sink.executes('hook', null);
  if (written.some((word) => !TEXT.test(literal(word) ?? '')) || (written.length === 0 && files.length > 0))
    sink.network();
};

function isPdf(word: WordValue): boolean {
  return word.kind !== 'literal' || word.value.endsWith('.pdf');
}
