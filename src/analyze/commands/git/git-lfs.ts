// Git LFS, as `git lfs` and `git-lfs`: rows of data.
// Large files move over the network, so most subcommands contact the server of the repository.

import type { CommandSpec } from '../spec.ts';
import { helped, joined, named, sub } from '../tool-rows.ts';

const HELP = '-h --help';
const CHANGES = 'change network execute';

export const gitLfs: CommandSpec = sub('handle large files', 'read', {
  style: 'posix',
  flags: HELP,
  examples: {
    readOnly: ['git lfs ls-files', 'git lfs status', 'git lfs env', 'git lfs track', 'git lfs version'],
    notReadOnly: [
      "git lfs track '*.bin'",
      'git lfs pull',
      'git lfs push origin main',
      'git lfs install',
      'git lfs migrate import',
    ],
  },
  subcommands: {
    'ls-files': sub('list large files', 'list', {
      flags: `-l --long -s --size -d --debug -a --all --deleted -n --name-only --json ${HELP}`,
      values: '-I --include -X --exclude',
      operands: 'value*',
    }),
    status: sub('show the state of large files', 'read', { flags: `-p --porcelain -j --json ${HELP}`, operands: '' }),
    env: sub('show the settings of Git LFS', 'read', { flags: HELP, operands: '' }),
    version: sub('show the version', 'neutral', { flags: HELP, operands: '' }),
    help: sub('show help', 'read', { flags: HELP, operands: 'value*' }),
    pointer: sub('show a pointer', 'read', {
      flags: `--stdin --check --strict --no-strict ${HELP}`,
      options: { '--file': 'read', '--pointer': 'read' },
      operands: '',
    }),
    locks: sub('list locks', 'network', {
      flags: `--local --cached --verify --json ${HELP}`,
      values: '-r --remote -i --id -p --path -l --limit',
      operands: '',
      does: 'change network',
    }),
    track: sub('list or add patterns of large files', 'list', {
      flags: `-v --verbose -n --dry-run -l --lockable --not-lockable --no-excluded --json --no-modify-attrs --filename ${HELP}`,
      operands: 'change*',
    }),
    ...named(
      'untrack install uninstall update lock unlock checkout dedup fsck logs ext merge-driver completion',
      helped('change the settings of Git LFS', 'write', {
        flags: '-f --force --local --global --system --worktree --skip-smudge --skip-repo --manual --json --dry-run -d',
        values: '-r --remote -i --id --file',
        operands: 'value*',
        does: 'change network',
      }),
    ),
    ...named(
      'fetch pull push clone prune migrate smudge clean filter-process pre-push post-checkout post-commit post-merge standalone-file',
      helped('move large files', 'network', {
        flags: joined(
          '-a --all -r --recent -p --prune -d --dry-run -f --force -v --verbose --verify-remote --no-verify-remote --yes',
          '--everything --skip-fetch --fixup --no-rewrite',
        ),
        values: '-I --include -X --exclude --include-ref --exclude-ref --above --top --unit --object-id -m --message',
        operands: 'value*',
        does: CHANGES,
      }),
    ),
  },
});
