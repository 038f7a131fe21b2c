// The content of a file and a `sed -i` script → the resulting content and a diff, without running sed.
// Exactly what sed would do in a UTF-8 locale, or a reason why that is uncertain; never a guess.

import { unifiedDiff } from './line-diff.ts';
import { Doubt } from './regex/char-set.ts';
import { runSedScript } from './sed-run.ts';
import { parseSedScript } from './sed-script.ts';

export type SedPreview =
  | { readonly ok: true; readonly content: string; readonly diff: string }
  | { readonly ok: false; readonly why: string };

const MAX_CONTENT_CHARS = 10_000_000;
/** NUL, the replacement character, and unpaired surrogates: the text differs from the content of the file. */
const NOT_PLAIN_TEXT = /[\0\ufffd]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function previewSedEdit(
  content: string,
  edit: { readonly script: string; readonly extended: boolean },
): SedPreview {
  const script = parseSedScript(edit.script);
  if (script.error !== null) return { ok: false, why: `not understood: ${script.error}` };
  if (content.length > MAX_CONTENT_CHARS) return { ok: false, why: 'the file is too large' };
  if (NOT_PLAIN_TEXT.test(content) || NOT_PLAIN_TEXT.test(edit.script))
    return { ok: false, why: 'not plain UTF-8 text' };
  // Some versions read `#n` as `-n` only if nothing follows it on the line.
  if (/^#n./.test(edit.script)) return { ok: false, why: 'a comment that begins with #n' };
  try {
    const after = runSedScript(script, content, edit.extended);
    return { ok: true, content: after, diff: unifiedDiff(content, after) };
  } catch (thrown) {
    if (thrown instanceof Doubt) return { ok: false, why: thrown.message };
    throw thrown;
  }
}
