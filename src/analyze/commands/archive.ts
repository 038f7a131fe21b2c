// Archivers and compressors: rows of data, one per command.
// Which files they create, replace or remove depends on the mode, so analyzers parse the operands.

import type { CommandFamily, CommandSpec } from './spec.ts';

const GZIP_FLAGS =
  '-c --stdout --to-stdout -d --decompress --uncompress -f --force -h --help -k --keep -l --list -L --license -n --no-name -N --name -q --quiet -r --recursive --rsyncable --synchronous -t --test -v --verbose -V --version -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best -a --ascii -M --no-time -m -T --time';
const XZ_FLAGS =
  '-z --compress -d --decompress --uncompress -t --test -l --list -k --keep -f --force -c --stdout --to-stdout -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -e --extreme --fast --best -q --quiet -v --verbose -Q --no-warn --robot --info-memory --single-stream --no-sparse --ignore-check --no-adjust --no-sync -h --help -H --long-help -V --version';
const XZ_VALUES =
  '-T --threads -M --memlimit --memory --memlimit-compress --memlimit-decompress --memlimit-mt-decompress -S --suffix -F --format -C --check --block-size --block-list --flush-timeout --filters';
const BZIP2_FLAGS =
  '-h --help -d --decompress -z --compress -k --keep -f --force -t --test -c --stdout -q --quiet -v --verbose -L --license -V --version -s --small -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best --repetitive-fast --repetitive-best --exponential';
const ZSTD_FLAGS =
  '-k --keep --rm -d --decompress --uncompress -f --force -h -H --help -V --version -c --stdout -v --verbose -q --quiet --progress --no-progress -r --asyncio --no-asyncio --check --no-check -C --ultra --adapt --single-thread --rsyncable --exclude-compressed --no-dictID --compress-literals --no-compress-literals --row-match-finder --no-row-match-finder -l --list -t --test --sparse --no-sparse --pass-through --no-pass-through -z --compress --no-content-size --content-size --max -m -n -N -p';

function compressor(
  summary: string,
  program: string,
  row: Partial<CommandSpec>,
  readOnly: readonly string[],
  notReadOnly: readonly string[],
): CommandSpec {
  return { summary, class: 'read', operands: 'value*', program, ...row, examples: { readOnly, notReadOnly } };
}

const gzipRow: Partial<CommandSpec> = { flags: GZIP_FLAGS, values: '-S --suffix -b --bits -Z' };
const bzip2Row: Partial<CommandSpec> = { flags: BZIP2_FLAGS };
const xzRow: Partial<CommandSpec> = {
  flags: XZ_FLAGS,
  values: XZ_VALUES,
  optional: '--lzma1 --lzma2 --x86 --arm --armthumb --arm64 --powerpc --ia64 --sparc --riscv --delta',
  // Names of further files come from it.
  options: { '--files --files0': 'unknown?' },
};
const zstdRow: Partial<CommandSpec> = {
  exactLong: true,
  numeric: true,
  flags: ZSTD_FLAGS,
  optional:
    '-T -B -M --threads --fast --long --auto-threads --stream-size --size-hint --target-compressed-block-size --format --memory --adapt',
  options: {
    '-o': 'write',
    '--output-dir-flat --output-dir-mirror': 'write/',
    '--trace': 'write',
    '-D --patch-from': 'read',
    '--filelist': 'unknown',
    '--train --train-cover --train-fastcover --train-legacy': 'unknown?',
  },
};
const lz4Row: Partial<CommandSpec> = {
  exactLong: true,
  numeric: true,
  flags:
    '-d --decompress --uncompress -z --compress -f --force -k --keep --rm -h -H --help -V --version -v --verbose -q --quiet -c --stdout --to-stdout -t --test -m --multiple -r -l --list --best --content-size --no-content-size --frame-crc --no-frame-crc --no-crc --sparse --no-sparse --favor-decSpeed',
  optional: '-B --fast',
  options: { '-D': 'read' },
};

const SEVEN_ZIP_READS =
  '-slt -ba -bd -bb -bb0 -bb1 -bb2 -bb3 -bt -r -r- -r0 -y -ssc -ssc- -scsUTF-8 -sccUTF-8 -slp -an';

function sevenZip(summary: string, operands: string, kind: 'read' | 'write', example: string): CommandSpec {
  return {
    summary,
    class: kind,
    style: 'words',
    flags: SEVEN_ZIP_READS,
    operands,
    ...(kind === 'write' ? { does: 'change' } : {}),
    examples:
      kind === 'write'
        ? { readOnly: [], notReadOnly: [example] }
        : { readOnly: [example], notReadOnly: [`${example} -ox`] },
  };
}

export const archive: CommandFamily = {
  tar: {
    summary: 'make or unpack archives',
    class: 'read',
    style: 'bundle',
    flags:
      '-A --catenate --concatenate -c --create --delete -d --diff --compare -r --append --test-label -t --list -u --update -x --extract --get --check-device -G --incremental --ignore-failed-read --no-check-device --no-seek -n --seek -S --sparse --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-vcs --exclude-vcs-ignores --no-null --no-recursion --no-unquote --no-verbatim-files-from --null --recursion --unquote --verbatim-files-from --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files -k --keep-old-files --no-overwrite-dir --overwrite --overwrite-dir --recursive-unlink --remove-files --skip-old-files -U --unlink-first -W --verify --ignore-command-error --no-ignore-command-error -O --to-stdout --clamp-mtime --delay-directory-restore -m --touch --no-delay-directory-restore --no-same-owner --no-same-permissions --numeric-owner -p --preserve-permissions --same-permissions --same-owner -s --preserve-order --same-order --acls --no-acls --no-selinux --no-xattrs --selinux --xattrs --force-local -M --multi-volume -B --read-full-records -i --ignore-zeros --old-archive --portability --posix -a --auto-compress -j --bzip2 -J --xz --lzip --lzma --lzop --no-auto-compress --zstd -z --gzip --gunzip --ungzip -Z --compress --uncompress --hard-dereference -h --dereference --one-file-system -P --absolute-names --full-time -l --check-links -R --block-number --show-defaults --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names --show-stored-names --utc -v --verbose -w --interactive --confirmation -o -? --help --restrict --usage --version --preserve',
    values:
      '--hole-detection --level --sparse-version --exclude --exclude-ignore --exclude-ignore-recursive --exclude-tag --exclude-tag-all --exclude-tag-under --group --mode --mtime --owner --sort --xattrs-exclude --xattrs-include -L --tape-length -b --blocking-factor --record-size -H --format --pax-option -V --label -K --starting-file --newer-mtime -N --newer --after-date --suffix --strip-components --transform --xform --no-quote-chars --quote-chars --quoting-style --warning',
    optional: '--occurrence --one-top-level --atime-preserve --backup --checkpoint --totals',
    options: {
      '-C --directory': 'value',
      '-f --file': 'value',
      '-T --files-from': 'value',
      '--add-file': 'value',
      '--checkpoint-action': 'value',
      '-g --listed-incremental': 'edit',
      '-X --exclude-from': 'read',
      '--group-map --owner-map': 'read',
      '--to-command': 'shell',
      '-I --use-compress-program': 'shell',
      '-F --info-script --new-volume-script': 'shell',
      '--rmt-command': 'program',
      '--rsh-command': 'program',
      '--volno-file': 'edit',
      '--index-file': 'write',
    },
    operands: 'value*',
    program: 'tar',
    examples: {
      readOnly: [
        'tar tf a.tar',
        'tar -tzvf a.tgz',
        'tar --list --file=a.tar',
        'tar xOf a.tar m',
        'tar -xzf a.tgz -O m',
        'tar cf - d',
        'tar -cz d',
        'tar tvf a.tar --checkpoint=1',
      ],
      notReadOnly: [
        'tar xf a.tar',
        'tar -czf a.tgz d',
        'tar xf a.tar -C d',
        'tar tf a.tar --to-command=./x',
        "tar -tf a.tar -I './x'",
        'tar tf a.tar --checkpoint=1 --checkpoint-action=exec=./x',
        'tar tf a.tar --use-compress-program=./x',
        'tar tf host:a.tar',
        'tar tf a.tar -F ./x',
        'tar tf a.tar --index-file=out',
        'tar cf - d --remove-files',
        'tar tf a.tar --rsh-command=./x',
        'tar cf - -T list',
        'tar cf - *',
      ],
    },
  },
  gtar: 'tar',
  bsdtar: {
    summary: 'make or unpack archives',
    class: 'read',
    style: 'bundle',
    optionsFirst: true,
    exactLong: true,
    flags:
      '-c --create -r --append -t --list -u --update -x --extract --get -a --auto-compress --acls --no-acls -B --read-full-blocks --clear-nochange-fflags --fflags --no-fflags -H -h -L --dereference --ignore-zeros -j --bzip --bzip2 --bunzip2 -J --xz -k --keep-old-files --keep-newer-files -l --check-links --lzma --lzop --lz4 --zstd -m --modification-time -n --no-recursion --norecurse --nodump --null --numeric-owner -O --to-stdout -o --no-same-owner --one-file-system -P --absolute-paths --insecure -p --preserve-permissions --same-permissions --no-same-permissions --posix -q --fast-read --safe-writes --no-safe-writes --same-owner -S --read-sparse --no-read-sparse -U --unlink --unlink-first -v --verbose -w --confirmation --interactive -y --xattrs --no-xattrs -Z --compress --uncompress -z --gzip --gunzip --version --help --totals',
    values:
      '-b --block-size --exclude --format --gid --gname --uid --uname --group --owner --include --newer --newer-ctime --newer-mtime --newer-than --newer-ctime-than --newer-mtime-than --older --older-than --older-ctime --older-mtime --options --passphrase -s --strip-components',
    options: {
      '-C --cd --directory': 'value',
      '-f --file': 'value',
      '-T --files-from': 'value',
      '-X --exclude-from': 'read',
      '--exclude-vcs': '+unknown',
      '--use-compress-program': 'shell',
    },
    operands: 'value*',
    program: 'tar',
    examples: {
      readOnly: ['bsdtar tf a.tar', 'bsdtar -xOf a.zip m'],
      notReadOnly: [
        'bsdtar xf a.tar',
        'bsdtar -cf a.tar d',
        'bsdtar tf a.tar --use-compress-program ./x',
        'bsdtar -xf a.tar m -O',
      ],
    },
  },
  zip: {
    summary: 'pack files into a zip archive',
    class: 'read',
    exactLong: true,
    flags:
      '-f --freshen -u --update -d --delete -m --move -r --recurse-paths -j --junk-paths -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -l --to-crlf -ll --from-crlf -q --quiet -v --verbose -c --entry-comments -z --archive-comment -@ --names-stdin -o --latest-time -F --fix -FF --fixfix -D --no-dir-entries -A --adjust-sfx -J --junk-sfx -T --test -X --strip-extra -y --symlinks -e --encrypt -h --help -? -h2 -H -L --license -R --recurse-patterns -FS --filesync -g --grow -sf --show-files -su --show-unicode -sU -so --show-options -sc --show-command -sd --show-debug -k --DOS-names -S --system-hidden -db --display-bytes -dc --display-counts -dd --display-dots -dg --display-globaldots -du --display-usize -dv --display-volume -MM --must-match -nw --no-wild -ws --wild-stop-dirs -fz- --force-zip64- -fz -U --copy-entries -DF --difference-archive --version',
    values:
      '-n --suffixes -t --from-date -tt --before-date -x --exclude -i --include -P --password -s --split-size -Z --compression-method -ds --dot-size -UN --unicode',
    options: {
      '-b --temp-path': 'write',
      '-O --out': 'write',
      '-lf --logfile-path': 'value',
      '-la --log-append -li --log-info': '+change',
      // Its text runs in a shell, with the name of the archive inserted.
      '-TT --unzip-command': 'shell',
    },
    operands: 'value*',
    program: 'zip',
    examples: {
      readOnly: ['zip --help', 'zip -sf a.zip', 'zip -v'],
      notReadOnly: [
        'zip a.zip f',
        'zip -r a d',
        "zip a.zip f -T -TT 'sh #'",
        "zip -rTT 'sh #' a.zip f",
        'zip -m a.zip f',
        'zip -d a.zip f',
        'zip -O b.zip a.zip',
      ],
    },
  },
  unzip: {
    summary: 'unpack a zip archive',
    class: 'read',
    exactLong: true,
    flags:
      '-Z -A -c -f -l -p -t -u -v -z -a -aa -b -B -C -D -DD -E -F -i -j -J -K -L -LL -M -n -N -o -q -qq -s -U -UU -V -W -X -Y -: -^ -$ -/ -x -1 -2 -m -S -h -hh --help --version',
    values: '-d -P -I -O',
    options: { '-T': '+change' },
    operands: 'read value*',
    variants: [{ has: '-h -hh --help --version', operands: 'value*' }],
    program: 'unzip',
    examples: {
      readOnly: [
        'unzip -l a.zip',
        'unzip -p a.zip m',
        'unzip -t a.zip',
        'unzip -v',
        'unzip -Z1 a.zip',
        'unzip -c a.zip m',
        "unzip -l a.zip -x '*.md'",
      ],
      notReadOnly: [
        'unzip a.zip',
        'unzip -o a.zip -d out',
        'unzip -qq a.zip m',
        'unzip -T a.zip',
        'unzip -u a.zip',
        "unzip a.zip -l '*'",
        'unzip a.zip -h',
      ],
    },
  },
  zipinfo: {
    summary: 'list a zip archive',
    class: 'list',
    flags: '-1 -2 -s -m -l -v -h -M -t -T -z -C -U -UU -x -W -A -Z',
    operands: 'read value*',
    examples: {
      readOnly: ['zipinfo a.zip', 'zipinfo -1 a.zip', 'zipinfo -l a.zip m'],
      notReadOnly: ['zipinfo --output=x a.zip'],
    },
  },
  gzip: compressor(
    'compress files',
    'gzip',
    gzipRow,
    ['gzip -c f', 'gzip -l f.gz', 'gzip -t f.gz', 'gzip', 'gzip -dc f.gz', 'gzip --version'],
    ['gzip f', 'gzip -k f', 'gzip -9r d', 'gzip -d f.gz', 'gzip -S .x f'],
  ),
  gunzip: compressor(
    'decompress files',
    'gunzip',
    gzipRow,
    ['gunzip -c f.gz', 'gunzip', 'gunzip -l f.gz'],
    ['gunzip f.gz', 'gunzip -k f.gz', 'gunzip -N f.gz'],
  ),
  pigz: compressor(
    'compress files',
    'gzip',
    {
      flags: `${GZIP_FLAGS} -i --independent -Y --synchronous -U --rle -H --huffman -F --first -O --oneblock -R -J -I`,
      values: '-S --suffix -b --blocksize -p --processes -A --alias -C --comment',
    },
    ['pigz -c f', 'pigz', 'pigz -dc f.gz', 'pigz -l f.gz'],
    ['pigz f', 'pigz -k f', 'pigz -p 4 f'],
  ),
  unpigz: compressor(
    'decompress files',
    'gunzip',
    { flags: GZIP_FLAGS, values: '-S --suffix -b --blocksize -p --processes' },
    ['unpigz -c f.gz'],
    ['unpigz f.gz'],
  ),
  bzip2: compressor(
    'compress files',
    'bzip2',
    bzip2Row,
    ['bzip2 -c f', 'bzip2 -dc f.bz2', 'bzip2 -t f.bz2', 'bzip2'],
    ['bzip2 f', 'bzip2 -k f', 'bzip2 -d f.bz2'],
  ),
  bunzip2: compressor(
    'decompress files',
    'bunzip2',
    bzip2Row,
    ['bunzip2 -c f.bz2', 'bunzip2 -t f.bz2'],
    ['bunzip2 f.bz2', 'bunzip2 -k f.bz2'],
  ),
  pbzip2: compressor(
    'compress files',
    'bzip2',
    { flags: `${BZIP2_FLAGS} -l -r --read --ignore-trailing-garbage`, optional: '-b -p -m -S' },
    ['pbzip2 -c f', 'pbzip2 -dc f.bz2'],
    ['pbzip2 f', 'pbzip2 -p4 -k f', 'pbzip2 -p4kf f'],
  ),
  xz: compressor(
    'compress files',
    'xz',
    xzRow,
    ['xz -c f', 'xz -l f.xz', 'xz -dc f.xz', 'xz -T0 -c f', 'xz'],
    ['xz f', 'xz -k f', 'xz -d f.xz', 'xz --files=list'],
  ),
  unxz: compressor('decompress files', 'unxz', xzRow, ['unxz -c f.xz', 'unxz -t f.xz'], ['unxz f.xz', 'unxz -k f.xz']),
  lzma: compressor('compress files', 'lzma', xzRow, ['lzma -c f'], ['lzma f']),
  unlzma: compressor('decompress files', 'unxz', xzRow, ['unlzma -c f.lzma'], ['unlzma f.lzma']),
  zstd: compressor(
    'compress files',
    'zstd',
    zstdRow,
    ['zstd -c f', 'zstd -l f.zst', 'zstd -dc f.zst', 'zstd -t f.zst', 'zstd -19 -c f', 'zstd'],
    [
      'zstd f',
      'zstd -d f.zst',
      'zstd --rm f',
      'zstd f -o x',
      'zstd -T4o x f',
      'zstd --train a b',
      'zstd -c --trace x f',
    ],
  ),
  zstdmt: 'zstd',
  unzstd: compressor('decompress files', 'unzstd', zstdRow, ['unzstd -c f.zst'], ['unzstd f.zst', 'unzstd f.zst -o x']),
  lz4: compressor(
    'compress files',
    'lz4',
    lz4Row,
    ['lz4 -c f', 'lz4 -t f.lz4', 'lz4 -dc f.lz4'],
    ['lz4 f', 'lz4 f x', 'lz4 -d f.lz4', 'lz4 --rm f'],
  ),
  lz4c: 'lz4',
  unlz4: compressor('decompress files', 'unlz4', lz4Row, ['unlz4 -c f.lz4'], ['unlz4 f.lz4', 'unlz4 f.lz4 x']),
  compress: compressor(
    'compress files',
    'compress',
    { flags: '-c -d -f -k -r -v -V -C -h', values: '-b' },
    ['compress -c f'],
    ['compress f', 'compress -d f.Z'],
  ),
  uncompress: compressor(
    'decompress files',
    'gunzip',
    { flags: '-c -f -k -l -n -N -q -r -t -v -V -h --help --version', values: '-b -S' },
    ['uncompress -c f.Z'],
    ['uncompress f.Z'],
  ),
  '7z': {
    summary: 'pack and unpack archives',
    class: 'read',
    style: 'posix',
    flags: '-h --help -ba -bd',
    operands: 'value*',
    subcommands: {
      l: sevenZip('list an archive', 'read*', 'read', '7z l a.7z'),
      t: sevenZip('test an archive', 'read*', 'read', '7z t a.7z'),
      h: sevenZip('checksums of files', 'read/*', 'read', '7z h f'),
      i: sevenZip('list the supported formats', 'value*', 'read', '7z i'),
      x: sevenZip('unpack an archive', 'read value*', 'write', '7z x a.7z -oout'),
      e: sevenZip('unpack an archive into one folder', 'read value*', 'write', '7z e a.7z'),
      a: sevenZip('pack files into an archive', 'edit read/*', 'write', '7z a a.7z d'),
      u: sevenZip('update an archive', 'edit read/*', 'write', '7z u a.7z d'),
      d: sevenZip('delete from an archive', 'edit value*', 'write', '7z d a.7z f'),
      rn: sevenZip('rename in an archive', 'edit value*', 'write', '7z rn a.7z f g'),
    },
    examples: {
      readOnly: ['7z l a.7z', '7z l -slt a.7z', '7z t a.7z'],
      notReadOnly: ['7z x a.7z', '7z a a.7z d', '7z b', '7z frob a', '7z l -si -o/x a.7z'],
    },
  },
  '7za': '7z',
  '7zr': '7z',
  '7zz': '7z',
  p7zip: {
    summary: 'compress files',
    class: 'write',
    operands: 'edit*',
    examples: { readOnly: [], notReadOnly: ['p7zip f'] },
  },
  unrar: {
    summary: 'unpack a rar archive',
    class: 'read',
    style: 'posix',
    operands: 'value*',
    subcommands: {
      l: {
        summary: 'list an archive',
        class: 'list',
        style: 'words',
        flags: '-c- -inul -y -r -idq -idp -id',
        operands: 'read value*',
        examples: { readOnly: ['unrar l a.rar'], notReadOnly: ['unrar l -ilogx a.rar'] },
      },
      lt: 'l',
      lb: 'l',
      lta: 'l',
      ltb: 'l',
      la: 'l',
      v: 'l',
      vt: 'l',
      vb: 'l',
      vta: 'l',
      t: 'l',
      p: 'l',
    },
    examples: {
      readOnly: ['unrar l a.rar', 'unrar t a.rar', 'unrar'],
      notReadOnly: ['unrar x a.rar', 'unrar e a.rar d/', 'rar a x.rar f', 'rar m x.rar f'],
    },
  },
  rar: 'unrar',
  cpio: {
    summary: 'copy files into and out of archives',
    class: 'read',
    flags:
      '-0 --null -a --reset-access-time -A --append -B -b --swap -c -d --make-directories -f --nonmatching -i --extract -k -l --link -L --dereference -m --preserve-modification-time -n --numeric-uid-gid --no-preserve-owner --no-absolute-filenames --absolute-filenames -o --create --only-verify-crc -p --pass-through --quiet -r --rename --renumber-inodes --ignore-devno --ignore-dirnlink --device-independent --reproducible -s --swap-bytes -S --swap-halfwords --sparse -t --list --to-stdout -u --unconditional -v --verbose -V --dot --force-local --help --usage --version',
    values: '-C --io-size --block-size -H --format -M --message -R --owner',
    options: {
      '-F --file': 'remote-write',
      '-O': 'remote-write',
      '-I': 'remote-read',
      '-E --pattern-file': 'read',
      '-D --directory': 'chdir',
      '--rsh-command --rmt-command': 'program',
    },
    operands: 'value*',
    variants: [
      { has: '-p --pass-through', operands: 'write/*', does: 'change' },
      { has: '-t --list --only-verify-crc --help --usage --version', operands: 'value*' },
      { has: '-i --extract', operands: 'value*', does: 'change' },
    ],
    examples: {
      readOnly: ['cpio -itv', 'cpio -t -I a.cpio', 'cpio -o', 'cpio --version'],
      notReadOnly: [
        'cpio -idm',
        'cpio -pd d',
        'cpio -o -O a.cpio',
        'cpio -o -F a',
        'cpio -t --rsh-command=./x',
        'cpio -t -I host:a',
      ],
    },
  },
  ar: {
    summary: 'make and list static libraries',
    class: 'read',
    style: 'none',
    operands: 'value*',
    program: 'ar',
    examples: {
      readOnly: ['ar t a.a', 'ar -tv a.a', 'ar p a.a m'],
      notReadOnly: ['ar rcs a.a x.o', 'ar x a.a', 'ar d a.a x.o', 'ar t a.a --plugin ./x.so', 'ar @opts', 'ar -M'],
    },
  },
  ranlib: {
    summary: 'index static libraries',
    class: 'write',
    flags: '-D -U -t -h -H --help -v -V --version',
    options: { '--plugin': 'library' },
    operands: 'edit*',
    examples: { readOnly: ['ranlib --version'], notReadOnly: ['ranlib a.a', 'ranlib --plugin ./x.so a.a'] },
  },
};
