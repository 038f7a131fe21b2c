// svn, hg, hub, delta: the parts of their words that a table cannot express.
// An address with its own tunnel, or a setting that is not listed, runs code.

import { literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { headOf } from '../words/wrapper-words.ts';

/** `svn+ssh://` starts ssh; `svn+name://` the tunnel program of that name in the configuration. */
export const svn: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) {
    const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(headOf(word))?.[1]?.toLowerCase();
    if (scheme === undefined) {
      sink.path('read', word);
      // `f@HEAD` is a version on the server; an unknown word may be an address.
      if (headOf(word).includes('@') || (word.kind !== 'literal' && !/^[./]/.test(headOf(word)))) sink.network();
      continue;
    }
    sink.url(word);
    if (scheme.startsWith('svn+')) sink.executes('program', literalWord(scheme.slice(4), word));
  }
};

const HARMLESS_HG_SETTING =
  /^(ui\.(interactive|color|verbose|quiet|debug|username|paginate|logtemplate)|color\.|diff\.|progress\.)/i;

export const hg: ProgramAnalyser = (args, sink) => {
  for (const option of args.options) {
    if (option.name === '--config' && option.value !== null && !HARMLESS_HG_SETTING.test(headOf(option.value))) {
      sink.executes('hook', option.value);
    }
  }
  for (const word of args.operands) if (headOf(word).includes('://')) sink.url(word);
};

// hub's own subcommands, and those of git in which it expands `owner/name` and may query GitHub first.
const HUB_CHANGES = new Set([
  ...['alias', 'api', 'browse', 'ci-status', 'compare', 'create', 'delete', 'fork', 'gist', 'issue', 'pr'],
  ...['pull-request', 'release', 'sync', 'am', 'apply', 'checkout', 'cherry-pick', 'clone', 'fetch', 'init', 'merge'],
  ...['push', 'remote', 'submodule'],
]);

export const hub: ProgramAnalyser = (args, sink) => {
  const [first] = args.operands;
  if (first === undefined) return;
  const name = literal(first);
  if (name === null) sink.unknown('an unknown subcommand of hub');
  else if (HUB_CHANGES.has(name)) {
    sink.changes('change remote state through hub');
    sink.network();
  } else sink.run([literalWord('git', first), ...args.operands], 'hub');
};

/** A pager starts on a terminal, or always if requested. */
export const delta: ProgramAnalyser = (args, sink) => {
  const paging = args.value('--paging');
  if (paging !== undefined && !/^(never|auto)$/.test(literal(paging) ?? '')) sink.executes('program', null);
};
