// Meanings of exit codes: git, network, build and test tools, packages, clouds and databases. Data only.

import type { ExitRow } from './exit-code-rows.ts';

const CONFLICTS = 'There are conflicts to resolve, or local changes would be overwritten.';
const TESTS_FAILED = 'Tests failed.';
const FOUND_PROBLEMS = 'Problems were found in the code.';
const TOOL_FAILED = 'The tool itself failed: bad settings, options or an internal error.';

const GIT: readonly ExitRow[] = [
  {
    commands: ['git diff', 'git diff-index', 'git diff-tree', 'git diff-files'],
    needs: ['--exit-code', '--quiet', '--no-index'],
    fine: { 1: 'There are differences.' },
  },
  { commands: ['git diff'], needs: ['--check'], fine: { 2: 'There are whitespace errors or conflict markers.' } },
  { commands: ['git grep'], fine: { 1: 'No lines matched.' } },
  {
    commands: ['git merge-base'],
    needs: ['--is-ancestor'],
    fine: { 1: 'The first is not an ancestor of the second.' },
  },
  { commands: ['git merge-base'], fine: { 1: 'No common ancestor.' } },
  { commands: ['git check-ignore'], fine: { 1: 'None of the paths is ignored.' } },
  { commands: ['git show-ref'], fine: { 1: 'No such reference.' } },
  { commands: ['git symbolic-ref', 'git rev-parse'], needs: ['-q', '--quiet'], fine: { 1: 'No such name.' } },
  { commands: ['git ls-remote'], needs: ['--exit-code'], fine: { 2: 'The remote has no such reference.' } },
  { commands: ['git ls-files'], needs: ['--error-unmatch'], fine: { 1: 'A path is not tracked.' } },
  {
    commands: ['git config'],
    fine: { 1: 'The setting is not set, or its section is not valid.' },
    errors: { 3: 'The settings file is not valid.', 5: 'No such setting, or it has several values.' },
  },
  {
    commands: ['git push'],
    errors: { 1: 'The remote refused at least one reference; often it has commits that are not here.' },
  },
  { commands: ['git commit'], errors: { 1: 'There was nothing to commit, or a hook refused.' } },
  { commands: ['git merge', 'git rebase', 'git cherry-pick', 'git revert', 'git stash'], errors: { 1: CONFLICTS } },
  { commands: ['git pull'], errors: { 1: `${CONFLICTS} Or some references could not be fetched.` } },
  { commands: ['git apply', 'git am'], errors: { 1: 'The patch does not apply.' } },
  {
    commands: ['git checkout', 'git switch'],
    errors: { 1: 'No such branch or file, or local changes would be overwritten.' },
  },
  { commands: ['git branch'], errors: { 1: 'The branch does not exist, or it is not merged.' } },
  {
    commands: ['git'],
    errors: { 128: 'git stopped with a fatal error.', 129: 'The options of the git command are not valid.' },
  },
];

const CURL: Readonly<Record<number, string>> = {
  1: 'The protocol is not supported.',
  2: 'curl could not start, often because of an option.',
  3: 'The URL is not valid.',
  5: 'Could not resolve the proxy.',
  6: 'Could not resolve the host.',
  7: 'No connection to the host: nothing listens there, or it is blocked.',
  8: 'The server sent a response that cannot be parsed.',
  9: 'The server denied access.',
  16: 'HTTP/2 error.',
  18: 'Only part of the file was transferred.',
  22: 'The server answered with a status of 400 or more.',
  23: 'The output could not be written, as is usual with `| head`.',
  26: 'A file to upload could not be read.',
  27: 'Out of memory.',
  28: 'curl timed out.',
  33: 'The server cannot resume a transfer.',
  35: 'The TLS handshake failed.',
  47: 'There were too many redirects.',
  48: 'Unknown option.',
  52: 'The server sent nothing.',
  55: 'Sending failed.',
  56: 'Receiving failed.',
  58: 'There is a problem with the local certificate.',
  60: "The server's certificate could not be verified.",
  61: 'Unknown content encoding.',
  63: 'The file is larger than allowed.',
  67: 'The login was refused.',
  77: 'The CA certificates could not be read.',
  78: 'The file does not exist on the server.',
  92: 'HTTP/2 stream error.',
  95: 'HTTP/3 error.',
  96: 'The QUIC connection failed.',
};

const NETWORK: readonly ExitRow[] = [
  { commands: ['curl'], errors: CURL },
  {
    commands: ['wget'],
    errors: {
      1: 'wget failed.',
      2: 'An option is not valid.',
      3: 'A file could not be read or written.',
      4: 'The network failed: no such host, or no connection.',
      5: "The server's certificate could not be verified.",
      6: 'The login was refused.',
      7: 'A protocol error.',
      8: 'The server answered with an error, such as 404.',
    },
  },
  {
    commands: ['rsync'],
    errors: {
      1: 'An option is not valid.',
      2: 'Protocol mismatch between the two sides.',
      3: 'A file or folder that was named could not be used.',
      5: 'Could not start the client-server protocol.',
      10: 'The connection failed.',
      11: 'A file could not be read or written.',
      12: 'Error in the data stream; often rsync is missing on the other side.',
      20: 'It was interrupted.',
      23: 'Some files could not be transferred.',
      24: 'Some files vanished before they could be transferred.',
      25: 'The limit on deletions was reached.',
      30: 'Timed out.',
      35: 'The server did not answer in time.',
    },
  },
  { commands: ['ssh'], errors: { 255: 'ssh itself failed: no connection, or the login was refused.' } },
  { commands: ['scp', 'sftp'], errors: { 1: 'The copy failed.', 255: 'No connection, or the login was refused.' } },
  {
    commands: ['ping', 'ping6'],
    fine: { 1: 'There was no answer.' },
    errors: { 2: 'Unknown host, or ping failed.' },
  },
  {
    commands: ['dig'],
    errors: { 1: 'An option is not valid.', 8: 'The batch file could not be read.', 9: 'No server answered.' },
  },
  { commands: ['nslookup', 'host'], fine: { 1: 'The name was not found.' } },
  { commands: ['nc', 'ncat', 'netcat'], errors: { 1: 'No connection.' } },
  { commands: ['openssl'], errors: { 1: 'The operation failed.' } },
  { commands: ['gpg', 'gpg2'], errors: { 1: 'At least one signature is bad.', 2: 'gpg failed.' } },
];

const TESTS: readonly ExitRow[] = [
  {
    commands: ['pytest', 'py.test'],
    fine: { 5: 'No tests were found.' },
    errors: {
      1: TESTS_FAILED,
      2: 'The run was interrupted, or tests could not be collected.',
      3: 'pytest itself failed.',
      4: 'The options or paths are not valid.',
    },
  },
  { commands: ['jest', 'vitest', 'mocha', 'ava', 'playwright', 'bats', 'rspec', 'tox'], errors: { 1: TESTS_FAILED } },
  { commands: ['phpunit'], errors: { 1: TESTS_FAILED, 2: 'Tests ended with errors.' } },
  { commands: ['ctest'], errors: { 8: TESTS_FAILED } },
  { commands: ['go test'], errors: { 1: 'Tests failed, or the code does not compile.', 2: 'An option is not valid.' } },
  {
    commands: ['go build', 'go vet', 'go run', 'go install'],
    errors: { 1: 'The code does not compile, or has problems.' },
  },
  { commands: ['cargo test'], errors: { 101: 'Tests failed, or the code does not compile.' } },
  { commands: ['cargo fmt', 'rustfmt'], needs: ['--check'], fine: { 1: 'Some files are not formatted.' } },
  { commands: ['cargo'], errors: { 101: 'The code does not compile, or cargo failed.' } },
  {
    commands: ['npm test', 'npm run', 'yarn test', 'yarn run', 'pnpm test', 'pnpm run'],
    errors: { 1: 'The script failed.' },
  },
];

const BUILDS: readonly ExitRow[] = [
  { commands: ['make', 'gmake'], needs: ['-q', '--question'], fine: { 1: 'Something is not up to date.' } },
  { commands: ['make', 'gmake'], errors: { 2: 'A target failed, or there is no rule for it.' } },
  { commands: ['ninja', 'cmake', 'mvn', 'gradle', 'gradlew', 'dotnet'], errors: { 1: 'The build failed.' } },
  {
    commands: ['gcc', 'g++', 'clang', 'clang++', 'cc', 'c++', 'rustc', 'javac', 'ld'],
    errors: { 1: 'The code does not compile or link.' },
  },
  {
    commands: ['tsc'],
    errors: {
      1: 'The compiler found errors and wrote nothing.',
      2: 'The compiler found errors and still wrote its output.',
    },
  },
  { commands: ['eslint', 'oxlint', 'biome'], errors: { 1: FOUND_PROBLEMS } },
  { commands: ['eslint', 'prettier'], errors: { 2: TOOL_FAILED } },
  {
    commands: ['prettier'],
    needs: ['--check', '-c', '-l', '--list-different'],
    fine: { 1: 'Some files are not formatted.' },
  },
  { commands: ['stylelint'], errors: { 2: FOUND_PROBLEMS, 78: 'The settings are not valid.' } },
  {
    commands: ['shellcheck'],
    errors: {
      1: FOUND_PROBLEMS,
      2: 'A file could not be read.',
      3: 'An option is not valid.',
      4: 'An option is not valid.',
    },
  },
  { commands: ['black'], fine: { 1: 'Some files would be formatted.' }, errors: { 123: TOOL_FAILED } },
  { commands: ['ruff', 'mypy'], errors: { 1: FOUND_PROBLEMS, 2: TOOL_FAILED } },
  { commands: ['flake8', 'yamllint', 'hadolint', 'rubocop', 'golangci-lint', 'bandit'], errors: { 1: FOUND_PROBLEMS } },
  { commands: ['isort', 'shfmt'], fine: { 1: 'Some files would be formatted.' } },
  { commands: ['pre-commit'], errors: { 1: 'A hook failed or changed files.', 3: TOOL_FAILED } },
];

const PACKAGES: readonly ExitRow[] = [
  { commands: ['npm outdated', 'pnpm outdated', 'yarn outdated'], fine: { 1: 'Some packages are outdated.' } },
  { commands: ['npm audit'], fine: { 1: 'Some packages have known vulnerabilities.' } },
  { commands: ['npm ls'], errors: { 1: 'Packages are missing, invalid or extraneous.' } },
  { commands: ['npm', 'npx', 'pnpm', 'yarn'], errors: { 1: 'The operation failed.' } },
  { commands: ['pip show', 'pip3 show'], fine: { 1: 'The package is not installed.' } },
  { commands: ['pip check', 'pip3 check'], fine: { 1: 'Some packages have incompatible requirements.' } },
  { commands: ['pip', 'pip3'], errors: { 1: 'The operation failed.', 2: 'An option is not valid.' } },
  {
    commands: ['apt', 'apt-get', 'apt-cache', 'aptitude'],
    errors: { 100: 'The operation failed; often a package or a lock.' },
  },
  {
    commands: ['dpkg', 'dpkg-query'],
    fine: { 1: 'No such package, or the check was false.' },
    errors: { 2: 'dpkg failed.' },
  },
  { commands: ['rpm'], fine: { 1: 'At least one package is not installed.' } },
  { commands: ['brew'], errors: { 1: 'The operation failed.' } },
  {
    commands: ['node'],
    errors: { 1: 'Uncaught error.', 9: 'An option is not valid.', 13: 'A top-level await never settled.' },
  },
  {
    commands: ['python', 'python3'],
    errors: { 1: 'Uncaught error, or the script exited with 1.', 2: 'An option or a file is not valid.' },
  },
];

const CLOUDS: readonly ExitRow[] = [
  {
    commands: ['docker run', 'docker exec', 'podman run', 'podman exec'],
    errors: {
      125: 'The container could not be started.',
      126: 'The command in the container could not be started.',
      127: 'No such command in the container.',
      137: 'The container was killed; often it used too much memory.',
    },
  },
  { commands: ['docker', 'podman'], errors: { 1: 'The operation failed.', 125: 'An option is not valid.' } },
  { commands: ['kubectl diff'], fine: { 1: 'There are differences.' } },
  { commands: ['kubectl', 'helm'], errors: { 1: 'The operation failed.' } },
  {
    commands: ['terraform plan', 'tofu plan'],
    needs: ['-detailed-exitcode', '--detailed-exitcode'],
    fine: { 2: 'There are changes to apply.' },
  },
  {
    commands: ['terraform fmt', 'tofu fmt'],
    needs: ['-check', '--check'],
    fine: { 3: 'Some files are not formatted.' },
  },
  { commands: ['terraform', 'tofu'], errors: { 1: 'The operation failed.' } },
  {
    commands: ['ansible', 'ansible-playbook'],
    errors: { 1: 'ansible failed.', 2: 'At least one host failed.', 4: 'At least one host could not be reached.' },
  },
  { commands: ['gh pr checks'], fine: { 8: 'Some checks are still running.' }, errors: { 1: 'Some checks failed.' } },
  {
    commands: ['gh'],
    errors: { 1: 'The operation failed.', 2: 'It was cancelled.', 4: 'A login is needed: gh auth login.' },
  },
  {
    commands: ['aws'],
    errors: {
      252: 'The options are not valid.',
      253: 'The settings or the credentials are not valid.',
      254: 'The service answered with an error.',
      255: 'The operation failed.',
    },
  },
  {
    commands: ['psql'],
    errors: {
      1: 'psql failed, or the statement did.',
      2: 'The connection to the server failed.',
      3: 'A statement of the script failed.',
    },
  },
  { commands: ['sqlite3', 'mysql', 'mysqladmin'], errors: { 1: 'The statement failed, or there is no connection.' } },
];

export const TOOL_ROWS: readonly ExitRow[] = [...GIT, ...NETWORK, ...TESTS, ...BUILDS, ...PACKAGES, ...CLOUDS];
