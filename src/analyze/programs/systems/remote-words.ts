// Words that name a server in the form of their own tool: a module, a chart, an image, a folder of kustomize.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { headOf } from '../words/wrapper-words.ts';

/** `go list example.com/x@latest`: a version that go.mod does not have is looked up. */
export const goList: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) {
    if (word.kind === 'dynamic' && !word.head.startsWith('.')) sink.unknown('the address to contact is unknown');
    else if (headOf(word).includes('@')) sink.host(literalWord(headOf(word).split(/[/@]/, 1)[0] ?? '', word));
  }
};

/** `helm show chart oci://host/x`; other names belong to repositories that the user added. */
export const helmChart: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) reportUrl(word, sink);
};

function reportUrl(word: WordValue, sink: EffectSink): void {
  if (word.kind === 'dynamic' && !/^[./]/.test(word.head)) sink.unknown('the address to contact is unknown');
  else if (headOf(word).includes('://')) sink.url(word);
}

/** `docker://quay.io/a/b`, `quay.io/a/b`: the first part is a server if it has a dot or a port (distribution/reference). */
export const imageReference: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) {
    const name = literal(word);
    if (name === null) {
      sink.unknown('the address to contact is unknown');
      continue;
    }
    const [first = '', ...rest] = name.replace(/^docker:\/\//, '').split('/');
    if (rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')) sink.host(literalWord(first, word));
  }
};

/** As kustomize decides it (`NewRepoSpecFromURL`): a scheme, a user, a host, or a query. */
const REPOSITORY = /:\/\/|^[\w.-]+@|^(?:git::|gh:)|[?]|^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?[/:]|\.git(?:\/|$)|_git\//i;

/** A folder, or a repository that is cloned. Remote resources in the folder are found on the disk by the decision. */
export const kustomize: ProgramAnalyser = (args, sink) => {
  const [folder] = args.operands;
  if (folder === undefined) return;
  if (folder.kind !== 'literal') {
    sink.path('read', folder, { recursive: true });
    if (!/^[./]/.test(headOf(folder))) sink.unknown('the address to contact is unknown');
  } else if (REPOSITORY.test(folder.value)) {
    sink.host(literalWord(hostOfRepository(folder.value), folder));
    sink.executes('program', literalWord('git', folder));
  } else sink.path('read', folder, { recursive: true });
};

function hostOfRepository(text: string): string {
  const bare = text
    .replace(/^git::/, '')
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/^gh:/, 'github.com/');
  return bare.split(/[/?]|:(?!\d)/, 1)[0] ?? '';
}
