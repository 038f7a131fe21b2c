// tmux: a sequence of its commands separated by `;` → the shell text that each starts (tmux(1)).
// send-keys types into a running program, so its effects are never known; formats may contain `#(command)`.

import type { WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, type ProgramAnalyser } from '../program.ts';
import { readShortOptions } from '../words/short-options.ts';
import { isOneWord, joinWords, lastSpan } from '../words/wrapper-words.ts';

const SHOWS = wordSet(
  'ls list-sessions list-windows list-panes list-clients list-keys list-commands list-buffers lsw lsp lsc ' +
    'lsk lsb lscm has has-session show showw show-options show-window-options show-environment show-messages ' +
    'show-hooks show-buffer showb showenv showmsgs info',
);
const PRINTS_WITH_P = /^(?:capture-pane|capturep|display-message|display)$/;
const STARTS = wordSet(
  'new new-session new-window neww split-window splitw respawn-pane respawn-window respawnp respawnw popup ' +
    'display-popup attach attach-session start start-server',
);
const CHANGES = wordSet(
  'kill-session kill-window kill-pane kill-server killp killw rename-session rename-window rename renamew ' +
    'select-window select-pane select-layout selectw selectp selectl resize-window resize-pane resizew ' +
    'resizep swap-window swap-pane swapw swapp move-window move-pane movew movep link-window unlink-window ' +
    'next-window previous-window last-window last-pane next-layout previous-layout rotate-window join-pane ' +
    'joinp break-pane breakp detach detach-client switch-client switchc refresh-client refresh clear-history ' +
    'clearhist set-environment setenv set-buffer setb delete-buffer deleteb wait wait-for lock-server ' +
    'clock-mode',
);
const RUNS_TEXT = /^(?:run(?:-shell)?|if(?:-shell)?|pipe-pane|pipep)$/;
const WITH_VALUE: readonly (readonly [RegExp, string])[] = [
  [/^(?:new|new-session)$/, 'cefFnstxy'],
  [/^(?:new-window|neww|respawn|split)/, 'ceFlnpt'],
  [/popup$/, 'BbcdehsStTwxy'],
  [/^(?:attach)/, 'cft'],
  [/^(?:run|if|pipe)/, 'cdt'],
  [/^(?:capture)/, 'bSEt'],
  [/^(?:display)/, 'cdIt'],
];

export const tmux: ProgramAnalyser = (args, sink) => {
  const global = readShortOptions(args.words, '2CDlNuvV', 'cfLST');
  if (global.uncertain !== null) return refuse(global.uncertain, sink);
  for (const { letter, value } of global.options) {
    if (letter === 'f' && value !== null) sink.executes('hook', value);
    if (letter === 'c' && value !== null) sink.shell(value, 'tmux -c', { shell: 'sh' });
    if (letter === 'V') return;
    if (letter === 'v') sink.unknown('tmux -v writes logs');
  }
  if (global.rest.length === 0) startServer(sink);
  for (const command of splitCommands(global.rest)) judgeCommand(command, sink);
};

function startServer(sink: EffectSink): void {
  sink.changes('change a tmux session');
  sink.executes('hook', null);
}

function refuse(word: WordValue, sink: EffectSink): void {
  sink.cannotTell('wrapper-arguments', 'a word of tmux is unknown', word.span);
}

// A word that ends in `;` ends the command too.
function splitCommands(words: readonly WordValue[]): readonly (readonly WordValue[])[] {
  const commands: WordValue[][] = [[]];
  for (const word of words) {
    const text = literal(word);
    if (text === null || !text.endsWith(';') || text.endsWith('\\;')) commands.at(-1)?.push(word);
    else {
      if (text !== ';') commands.at(-1)?.push({ kind: 'literal', value: text.slice(0, -1), span: word.span });
      commands.push([]);
    }
  }
  return commands.filter((command) => command.length > 0);
}

function judgeCommand(command: readonly WordValue[], sink: EffectSink): void {
  const [first, ...rest] = command as [WordValue, ...WordValue[]];
  const name = literal(first);
  if (name === null) return refuse(first, sink);
  const unclear = rest.find((word) => literal(word) === null);
  if (rest.some((word) => literal(word)?.includes('#('))) {
    sink.cannotTell('dynamic-code', 'a tmux format runs a command', lastSpan(rest));
  }
  if (SHOWS.has(name) || PRINTS_WITH_P.test(name)) {
    if (unclear !== undefined) sink.unknown('a word of tmux is unknown');
    if (/^(?:showenv|show-environment)$/.test(name)) sink.discloses('environment');
    if (PRINTS_WITH_P.test(name) && !rest.some((word) => /^-[aeCJNPqlTv]*p/.test(literal(word) ?? ''))) {
      sink.changes('change a tmux session');
    }
    return;
  }
  sink.changes('change a tmux session');
  if (STARTS.has(name) || RUNS_TEXT.test(name)) return runWords(name, rest, sink);
  if (/^send(?:-keys|-prefix)?$/.test(name)) sink.unknown('keys are typed into a running program');
  else if (/^(?:source|source-file|load-buffer|loadb|save-buffer|saveb)$/.test(name)) sink.executes('hook', null);
  // Abbreviations, hooks and bindings may contain any other command.
  else if (!CHANGES.has(name)) sink.cannotTell('dynamic-code', 'a tmux command that may run others', first.span);
}

function runWords(name: string, words: readonly WordValue[], sink: EffectSink): void {
  if (STARTS.has(name)) sink.executes('hook', null);
  const letters = WITH_VALUE.find(([pattern]) => pattern.test(name))?.[1] ?? '';
  const parsed = readShortOptions(words, 'AabBCdDEefhIkMnNOopPqrRvXxZz', letters);
  if (parsed.uncertain !== null) return refuse(parsed.uncertain, sink);
  for (const { letter, value } of parsed.options) {
    if (letter === 'e' && value !== null) sink.unknown('an environment variable for tmux');
    if (letter === 'C' && /^run/.test(name)) return refuse(words[0] as WordValue, sink);
  }
  const { rest } = parsed;
  const [text] = rest;
  if (text === undefined) return;
  if (/^if/.test(name)) {
    sink.shell(text, 'tmux if-shell', { shell: 'sh' });
    sink.cannotTell('dynamic-code', 'if-shell runs other tmux commands', text.span);
  } else if (!isOneWord(text)) refuse(text, sink);
  // One word is shell text; several are an argv that is run without a shell.
  else if (rest.length === 1 || RUNS_TEXT.test(name)) sink.shell(joinWords(rest), 'tmux', { shell: 'sh' });
  else sink.run(rest, 'tmux');
}
