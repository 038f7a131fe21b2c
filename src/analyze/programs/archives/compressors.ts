// gzip and similar: a file is replaced by one with a suffix added or removed, unless the output goes to a stream.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { mayBeSeveral, renamed, startingWith, valuesOf } from '../words/file-words.ts';

interface Kind {
  readonly suffix: string;
  /** What happens to the input file. */
  readonly source: 'removed' | 'kept';
  /** Options after which no file is written; the same letter may mean something else in another program. */
  readonly prints: string;
  /** The same, unless another mode is given too: in most programs the last one wins. */
  readonly tests: string;
  readonly decompresses?: true;
  /** lz4 takes the output as a second operand. */
  readonly outputOperand?: true;
  /** Letters followed by digits; further letters of the cluster are options again: `-T4o out`. */
  readonly counted?: string;
}

const MODES = '-d --decompress --uncompress -z --compress';

const GZIP: Kind = {
  suffix: '.gz',
  source: 'removed',
  prints: '-c --stdout --to-stdout -h --help -V --version -L --license',
  tests: '-t --test -l --list',
};
// bzip2 prints its version and goes on to compress.
const BZIP2: Kind = {
  suffix: '.bz2',
  source: 'removed',
  prints: '-c --stdout -h --help',
  tests: '-t --test',
  counted: 'pmbS',
};
const XZ: Kind = {
  suffix: '.xz',
  source: 'removed',
  prints: '-c --stdout --to-stdout -h --help -H --long-help -V --version',
  tests: '-t --test -l --list',
};
const ZSTD: Kind = {
  suffix: '.zst',
  source: 'kept',
  prints: '-c --stdout -h -H --help -V --version',
  tests: '-t --test -l --list',
  counted: 'TBM',
};
const LZ4: Kind = {
  suffix: '.lz4',
  source: 'kept',
  prints: '-c --stdout --to-stdout -h -H --help -V --version',
  tests: '-t --test --list',
  outputOperand: true,
  counted: 'B',
};

export const gzip = compressor(GZIP);
export const gunzip = compressor({ ...GZIP, decompresses: true });
export const bzip2 = compressor(BZIP2);
export const bunzip2 = compressor({ ...BZIP2, decompresses: true });
export const xz = compressor(XZ);
export const unxz = compressor({ ...XZ, decompresses: true });
export const lzma = compressor({ ...XZ, suffix: '.lzma' });
export const zstd = compressor(ZSTD);
export const unzstd = compressor({ ...ZSTD, decompresses: true });
export const lz4 = compressor(LZ4);
export const unlz4 = compressor({ ...LZ4, decompresses: true });
export const compress = compressor({ suffix: '.Z', source: 'removed', prints: '-c', tests: '-t' });

const KNOWN_END = /\.(?:gz|z|Z|bz2|bz|xz|lzma|zst|lz4)$/;
const TAR_END = /\.(?:tgz|taz|tbz|tbz2|txz|tlz|tzst)$/;

function compressor(kind: Kind): ProgramAnalyser {
  return (args, sink) => {
    const cluster = kind.counted === undefined ? null : new RegExp(`^-[^-]*[${kind.counted}][0-9]*[a-zA-Z]`);
    if (cluster && args.words.some((word) => cluster.test(literal(word) ?? ''))) {
      sink.unknown('letters after a number inside a cluster');
    }
    const isPrinted = args.has(kind.prints) || (args.has(kind.tests) && !args.has(MODES));
    const output = kind.outputOperand && !args.has('-m --multiple -r') ? args.operands[1] : undefined;
    const files = output === undefined ? args.operands : args.operands.slice(0, 1);
    if (output !== undefined) sink.path('write', output);
    for (const file of files) {
      if (literal(file) === '-') continue;
      // lz4 deletes the source even if it prints.
      if (isPrinted) sink.path(args.has('--rm') ? 'move' : 'read', file);
      else replaceFile(kind, file, args, sink, output !== undefined || args.has('-o'));
      if (output === undefined && kind.outputOperand && mayBeSeveral(file)) sink.path('write', file);
    }
  };
}

function replaceFile(kind: Kind, file: WordValue, args: ParsedArguments, sink: EffectSink, hasOutput: boolean): void {
  const isRemoved = kind.source === 'removed' ? !args.has('-k --keep') : args.has('--rm');
  const recursive = args.has('-r --recursive');
  const source = isRemoved ? 'move' : 'read';
  const isTold = { decompress: args.has('-d --decompress --uncompress'), compress: args.has('-z --compress') };
  const isDefault = !isTold.decompress && !isTold.compress;
  sink.path(source, file, { recursive });
  if (recursive) sink.path('write', file, { recursive });
  if (hasOutput) return;
  const suffix = valuesOf(args, '-S --suffix').at(-1);
  if (suffix !== undefined) sink.path('write', startingWith(file));
  if (isTold.compress || (isDefault && !kind.decompresses)) {
    sink.path('write', suffix === undefined ? renamed(file, (name) => name + kind.suffix) : startingWith(file));
  }
  if (!isTold.decompress && !(isDefault && kind.decompresses)) return;
  // The name stored in the archive, in the same folder.
  if (args.has('-N --name')) sink.path('write', startingWith(renamed(file, (name) => name.replace(/[^/]*$/, ''))));
  sink.path('write', renamed(file, withoutEnd));
  const name = literal(file);
  if (name === null) return;
  // An unknown suffix: the output gets another one, or the program appends one to find the file.
  if (kind.suffix === '.bz2' && !/\.t?bz2?$/.test(name)) sink.path('write', literalWord(`${name}.out`, file));
  if (withoutEnd(name) === name) sink.path(source, literalWord(name + kind.suffix, file));
}

function withoutEnd(name: string): string {
  return TAR_END.test(name) ? name.replace(TAR_END, '.tar') : name.replace(KNOWN_END, '');
}
