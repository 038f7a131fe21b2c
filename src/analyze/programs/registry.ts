// Name of an analyser in the tables → the analyser.

import { apt } from './apt.ts';
import { ar } from './ar.ts';
import { awk } from './awk.ts';
import { binutils } from './binutils.ts';
import { busybox } from './busybox.ts';
import { bwrap } from './bwrap.ts';
import { chmod } from './chmod.ts';
import { cloc } from './cloc.ts';
import { aws, az, gcloud } from './cloud.ts';
import { cmake } from './cmake.ts';
import { compiler } from './compiler.ts';
import { bunzip2, bzip2, compress, gunzip, gzip, lz4, lzma, unlz4, unxz, unzstd, xz, zstd } from './compressors.ts';
import { copy, install } from './copy.ts';
import { curl, wget } from './curl.ts';
import { date } from './date.ts';
import { dd } from './dd.ts';
import { docker, dockerCopy } from './docker.ts';
import { env } from './env.ts';
import { fd } from './fd.ts';
import { find } from './find.ts';
import { flock } from './flock.ts';
import { ghApi, ghConfig, ghJson } from './gh.ts';
import { gitConfig } from './git-config.ts';
import { gitDiff, gitFormat, gitFormatPatch, gitGrep, gitHistory, gitReflog } from './git-history.ts';
import { gitArchive, gitClone, gitLsRemote, gitRemoteUrl, gitRepository, gitSubmoduleAdd, gitSubmoduleForeach } from './git-remote.ts';
import { gitAdd, gitCheckout, gitClean, gitRestore, gitRm } from './git-worktree.ts';
import { git } from './git.ts';
import { gpg } from './gpg.ts';
import { java, julia, lua, node, php, python, rscript } from './interpreters.ts';
import { jq } from './jq.ts';
import { kubectlExec, kubectlGet } from './kubectl.ts';
import { less } from './less.ts';
import { ln } from './ln.ts';
import { mktemp } from './mktemp.ts';
import { afterDashes, commandOption, entr, joinedShell, packageRunner, packageSpec, versionedCommand } from './nested-commands.ts';
import { pandoc } from './pandoc.ts';
import { parallel } from './parallel.ts';
import { patch } from './patch.ts';
import { perl, ruby } from './perl.ts';
import { printf } from './printf.ts';
import { getent, kill, mediaInput, plainWords, printenv, ps, sysctl, toOutput } from './processes.ts';
import type { ProgramAnalyser } from './program.ts';
import { responseFiles } from './response-files.ts';
import { rg } from './rg.ts';
import { rsync } from './rsync.ts';
import { ruff } from './ruff.ts';
import { rustc } from './rustc.ts';
import { sed } from './sed.ts';
import { otherShell, posixShell, shell, zshShell } from './shell.ts';
import { csplit, split } from './split.ts';
import { mysql, psql, sqlite3 } from './sql.ts';
import { sshKeygen } from './ssh-keygen.ts';
import { autossh, ssh, sshOptions } from './ssh.ts';
import { sg, su } from './su.ts';
import { sudo } from './sudo.ts';
import { tar } from './tar.ts';
import { test } from './test.ts';
import { tmux } from './tmux.ts';
import { tput } from './tput.ts';
import { tree } from './tree.ts';
import { unzip } from './unzip.ts';
import { delta, hg, hub, svn } from './version-control.ts';
import { capsh, mosh, personality, script, setarch, shellUnlessCommand, strace, targetCommand, watch } from './wrappers.ts';
import { xargs } from './xargs.ts';
import { xxd } from './xxd.ts';
import { yq } from './yq.ts';
import { zip } from './zip.ts';

export const PROGRAMS: ReadonlyMap<string, ProgramAnalyser> = new Map<string, ProgramAnalyser>([
  ['after-dashes', afterDashes],
  ['afterDashes', afterDashes],
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
  ['chmod', chmod],
  ['cloc', cloc],
  ['cmake', cmake],
  ['command-option', commandOption],
  ['commandOption', commandOption],
  ['compiler', compiler],
  ['compress', compress],
  ['copy', copy],
  ['csplit', csplit],
  ['curl', curl],
  ['date', date],
  ['dd', dd],
  ['delta', delta],
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
  ['gpg', gpg],
  ['gunzip', gunzip],
  ['gzip', gzip],
  ['hg', hg],
  ['hub', hub],
  ['install', install],
  ['java', java],
  ['joined-shell', joinedShell],
  ['joinedShell', joinedShell],
  ['jq', jq],
  ['julia', julia],
  ['kill', kill],
  ['kubectl-exec', kubectlExec],
  ['kubectl-get', kubectlGet],
  ['less', less],
  ['ln', ln],
  ['lua', lua],
  ['lz4', lz4],
  ['lzma', lzma],
  ['media-input', mediaInput],
  ['mktemp', mktemp],
  ['mosh', mosh],
  ['mysql', mysql],
  ['node', node],
  ['other-shell', otherShell],
  ['package-runner', packageRunner],
  ['package-spec', packageSpec],
  ['packageRunner', packageRunner],
  ['packageSpec', packageSpec],
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
  ['responseFiles', responseFiles],
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
  ['versionedCommand', versionedCommand],
  ['watch', watch],
  ['wget', wget],
  ['xargs', xargs],
  ['xxd', xxd],
  ['xz', xz],
  ['yq', yq],
  ['zip', zip],
  ['zsh-shell', zshShell],
  ['zstd', zstd],
]);
