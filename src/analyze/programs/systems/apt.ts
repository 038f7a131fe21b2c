// apt, apt-get, apt-cache, apt-mark: the verb, among options, decides whether packages change (apt-get(8)).
// The table reports options that name commands; a dry run changes nothing.

import { wordSet } from '../../../core/values/once.ts';
import { literal, type ProgramAnalyser } from '../program.ts';

const SHOWS = wordSet(
  'list show search policy depends rdepends showpkg showsrc stats pkgnames madison unmet dump dumpavail ' +
    'dotty xvcg indextargets showauto showmanual showhold help moo',
);
const INSTALLS = wordSet(
  'install remove purge upgrade dist-upgrade full-upgrade autoremove auto-remove autopurge reinstall ' +
    'build-dep dselect-upgrade satisfy',
);
const CHANGES = wordSet(
  'update clean autoclean auto-clean distclean dist-clean check gencaches auto manual hold unhold ' +
    'minimize-manual markauto unmarkauto',
);

export const apt: ProgramAnalyser = (args, sink) => {
  const verb = literal(args.operands[0]);
  if (args.operands.length === 0 || args.has('--version -h --help')) return;
  if (verb !== null && SHOWS.has(verb)) return;
  if (verb !== null && INSTALLS.has(verb)) {
    if (args.has('-s --simulate --just-print --dry-run --recon --no-act')) return;
    sink.changes('install, change or remove packages');
    sink.privilege();
    sink.executes('hook', null);
    sink.network();
  } else if (verb !== null && CHANGES.has(verb)) {
    sink.changes('update the list of packages');
    sink.network();
  } else if (verb !== null && /^(?:download|source|changelog|edit-sources)$/.test(verb)) {
    // The changelog goes through a pager, sources through an editor, unpacking through dpkg-source.
    sink.changes('download package files');
    sink.executes('hook', null);
    sink.network();
  } else sink.unknown('an unknown verb of apt');
};
