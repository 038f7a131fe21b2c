// Name of an analyzer in the tables → the analyzer.

import { once } from '../../core/values/once.ts';
import { ar } from './archives/ar.ts';
import {
  bunzip2,
  bzip2,
  compress,
  gunzip,
  gzip,
  lz4,
  lzma,
  unlz4,
  unxz,
  unzstd,
  xz,
  zstd,
} from './archives/compressors.ts';
import { tar } from './archives/tar.ts';
import { unzip } from './archives/unzip.ts';
import { zip } from './archives/zip.ts';
import { binutils } from './files/binutils.ts';
import { chmod } from './files/chmod.ts';
import { copy, install } from './files/copy.ts';
import { date } from './files/date.ts';
import { dd } from './files/dd.ts';
import { ln } from './files/ln.ts';
import { mktemp } from './files/mktemp.ts';
import { printf } from './files/printf.ts';
import { csplit, split } from './files/split.ts';
import { test } from './files/test.ts';
import { tput } from './files/tput.ts';
import { xxd } from './files/xxd.ts';
import { ghApi, ghConfig, ghJson } from './git/gh.ts';
import { git } from './git/git.ts';
import { gitConfig } from './git/git-config.ts';
import { gitDiff, gitFormat, gitFormatPatch, gitGrep, gitHistory, gitReflog } from './git/git-history.ts';
import {
  gitArchive,
  gitClone,
  gitLsRemote,
  gitRemoteUrl,
  gitRepository,
  gitSubmoduleAdd,
  gitSubmoduleForeach,
} from './git/git-remote.ts';
import { gitAdd, gitCheckout, gitClean, gitRestore, gitRm } from './git/git-worktree.ts';
import { delta, hg, hub, svn } from './git/version-control.ts';
import { cloc } from './languages/cloc.ts';
import { cmake } from './languages/cmake.ts';
import { compiler } from './languages/compiler.ts';
import { java, julia, lua, node, php, python, rscript } from './languages/interpreters.ts';
import { perl, ruby } from './languages/perl.ts';
import { responseFiles } from './languages/response-files.ts';
import { ruff } from './languages/ruff.ts';
import { cargoHelp, rustc } from './languages/rustc.ts';
import { curl, wget } from './network/curl.ts';
import { dig } from './network/dig.ts';
import { gpg } from './network/gpg.ts';
import { rsync } from './network/rsync.ts';
import { autossh, ssh, sshOptions } from './network/ssh.ts';
import { sshKeygen } from './network/ssh-keygen.ts';
import type { ProgramAnalyser } from './program.ts';
import { fd } from './search/fd.ts';
import { find } from './search/find.ts';
import { rg } from './search/rg.ts';
import { tree } from './search/tree.ts';
import { apt } from './systems/apt.ts';
import { aws, az, gcloud } from './systems/cloud.ts';
import { docker, dockerCopy } from './systems/docker.ts';
import { kubectlExec, kubectlGet } from './systems/kubectl.ts';
import {
  getent,
  history,
  kill,
  lsof,
  mediaInput,
  plainWords,
  printenv,
  ps,
  sysctl,
  toOutput,
} from './systems/processes.ts';
import { goList, helmChart, imageReference, kustomize } from './systems/remote-words.ts';
import { mysql, psql, sqlite3 } from './systems/sql.ts';
import { awk } from './text/awk.ts';
import { jq } from './text/jq.ts';
import { less } from './text/less.ts';
import { man } from './text/man.ts';
import { pandoc } from './text/pandoc.ts';
import { patch } from './text/patch.ts';
import { sed } from './text/sed.ts';
import { yq } from './text/yq.ts';
import { busybox } from './wrappers/busybox.ts';
import { bwrap } from './wrappers/bwrap.ts';
import { env } from './wrappers/env.ts';
import { flock } from './wrappers/flock.ts';
import {
  afterDashes,
  commandOption,
  entr,
  joinedShell,
  npmRegistry,
  packageRunner,
  packageSpec,
  versionedCommand,
} from './wrappers/nested-commands.ts';
import { parallel } from './wrappers/parallel.ts';
import { otherShell, posixShell, shell, zshShell } from './wrappers/shell.ts';
import { sg, su } from './wrappers/su.ts';
import { sudo } from './wrappers/sudo.ts';
import { tmux } from './wrappers/tmux.ts';
import {
  capsh,
  mosh,
  personality,
  script,
  setarch,
  shellUnlessCommand,
  strace,
  targetCommand,
  watch,
} from './wrappers/wrappers.ts';
import { xargs } from './wrappers/xargs.ts';

export const programs = once(
  (): ReadonlyMap<string, ProgramAnalyser> =>
    new Map<string, ProgramAnalyser>([
      ['after-dashes', afterDashes],
      ['apt', apt],
      ['ar', ar],
      ['autossh', autossh],
      ['awk', awk],
      ['aws', aws],
      ['az', az],
      ['binutils', binutils],
      ['bunzip2', bunzip2],
      ['busybox', busybox],
      ['bwrap', bwrap],
      ['bzip2', bzip2],
      ['capsh', capsh],
      ['cargo-help', cargoHelp],
      ['chmod', chmod],
      ['cloc', cloc],
      ['cmake', cmake],
      ['command-option', commandOption],
      ['compiler', compiler],
      ['compress', compress],
      ['copy', copy],
      ['csplit', csplit],
      ['curl', curl],
      ['date', date],
      ['dd', dd],
      ['delta', delta],
      ['dig', dig],
      ['docker', docker],
      ['docker-copy', dockerCopy],
      ['entr', entr],
      ['env', env],
      ['fd', fd],
      ['find', find],
      ['flock', flock],
      ['gcloud', gcloud],
      ['getent', getent],
      ['gh-api', ghApi],
      ['gh-config', ghConfig],
      ['gh-json', ghJson],
      ['git', git],
      ['git-add', gitAdd],
      ['git-archive', gitArchive],
      ['git-checkout', gitCheckout],
      ['git-clean', gitClean],
      ['git-clone', gitClone],
      ['git-config', gitConfig],
      ['git-diff', gitDiff],
      ['git-format', gitFormat],
      ['git-format-patch', gitFormatPatch],
      ['git-grep', gitGrep],
      ['git-history', gitHistory],
      ['git-ls-remote', gitLsRemote],
      ['git-reflog', gitReflog],
      ['git-remote-url', gitRemoteUrl],
      ['git-repository', gitRepository],
      ['git-restore', gitRestore],
      ['git-rm', gitRm],
      ['git-submodule-add', gitSubmoduleAdd],
      ['git-submodule-foreach', gitSubmoduleForeach],
      ['go-list', goList],
      ['gpg', gpg],
      ['gunzip', gunzip],
      ['gzip', gzip],
      ['helm-chart', helmChart],
      ['hg', hg],
      ['history', history],
      ['hub', hub],
      ['image-reference', imageReference],
      ['install', install],
      ['java', java],
      ['joined-shell', joinedShell],
      ['jq', jq],
      ['julia', julia],
      ['kill', kill],
      ['kubectl-exec', kubectlExec],
      ['kubectl-get', kubectlGet],
      ['kustomize', kustomize],
      ['less', less],
      ['man', man],
      ['ln', ln],
      ['lsof', lsof],
      ['lua', lua],
      ['lz4', lz4],
      ['lzma', lzma],
      ['media-input', mediaInput],
      ['mktemp', mktemp],
      ['mosh', mosh],
      ['mysql', mysql],
      ['node', node],
      ['npm-registry', npmRegistry],
      ['other-shell', otherShell],
      ['package-runner', packageRunner],
      ['package-spec', packageSpec],
      ['pandoc', pandoc],
      ['parallel', parallel],
      ['patch', patch],
      ['perl', perl],
      ['personality', personality],
      ['php', php],
      ['plain-words', plainWords],
      ['posix-shell', posixShell],
      ['printenv', printenv],
      ['printf', printf],
      ['ps', ps],
      ['psql', psql],
      ['python', python],
      ['response-files', responseFiles],
      ['rg', rg],
      ['rscript', rscript],
      ['rsync', rsync],
      ['ruby', ruby],
      ['ruff', ruff],
      ['rustc', rustc],
      ['script', script],
      ['sed', sed],
      ['setarch', setarch],
      ['sg', sg],
      ['shell', shell],
      ['shell-unless-command', shellUnlessCommand],
      ['split', split],
      ['sqlite3', sqlite3],
      ['ssh', ssh],
      ['ssh-keygen', sshKeygen],
      ['ssh-options', sshOptions],
      ['strace', strace],
      ['su', su],
      ['sudo', sudo],
      ['svn', svn],
      ['sysctl', sysctl],
      ['tar', tar],
      ['target-command', targetCommand],
      ['test', test],
      ['tmux', tmux],
      ['to-output', toOutput],
      ['tput', tput],
      ['tree', tree],
      ['unlz4', unlz4],
      ['unxz', unxz],
      ['unzip', unzip],
      ['unzstd', unzstd],
      ['versioned-command', versionedCommand],
      ['watch', watch],
      ['wget', wget],
      ['xargs', xargs],
      ['xxd', xxd],
      ['xz', xz],
      ['yq', yq],
      ['zip', zip],
      ['zsh-shell', zshShell],
      ['zstd', zstd],
    ]),
);
