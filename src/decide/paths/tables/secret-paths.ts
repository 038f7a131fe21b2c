// Files with secret content, and similar files without. Data only; exceptions come first.

import { once } from '../../../core/values/once.ts';
import { createPathTable, type NamedPath, tellingWords } from './path-table.ts';

/** `null`: known not to be a secret. */
export type Secret = { readonly what: string; readonly isCertificate?: true } | { readonly what: null };

const CREDENTIALS = 'credentials for a service';

function rows(what: string | null, globs: string): NamedPath<Secret>[] {
  return globs
    .split(/\s+/)
    .filter((glob) => glob !== '')
    .map((glob) => ({ glob, value: { what }, ...(what === null ? { isWide: true } : {}) }));
}

const secretPaths = once((): readonly NamedPath<Secret>[] => [
  ...rows(null, '.ssh/*.pub .ssh/known_hosts .ssh/known_hosts.old .ssh/config .ssh/authorized_keys'),
  ...rows(
    null,
    '.env.example .env.sample .env.template .env.dist .env.defaults .env.*.example .env.*.sample .env.*.template',
  ),
  ...rows(
    null,
    'process.env import.meta.env *.pub /etc/ssl/certs/** /usr/share/** /usr/lib/** **/node_modules/**/*.pem',
  ),
  ...rows(
    'a private key',
    '.ssh/** id_rsa id_dsa id_ecdsa id_ed25519 id_ed25519_sk id_ecdsa_sk /etc/ssh/ssh_host_*_key',
  ),
  ...rows('a private key', '.gnupg/** *.key *.p12 *.pfx *.jks *.keystore *.ppk *.kdbx'),
  { glob: '*.pem', value: { what: 'a private key', isCertificate: true } },
  ...rows(
    CREDENTIALS,
    `.aws/credentials .aws/sso/cache/** .aws/cli/cache/** ~/.azure/** ~/.config/gcloud/** .kube/config ~/.docker/config.json
    ~/.netrc ~/_netrc ~/.npmrc ~/.yarnrc.yml ~/.pypirc .git-credentials ~/.config/git/credentials ~/.config/gh/hosts.yml
    ~/.config/hub ~/.config/glab-cli/config.yml ~/.vault-token ~/.terraform.d/credentials* ~/.terraformrc ~/.cargo/credentials
    ~/.cargo/credentials.toml ~/.gem/credentials ~/.m2/settings.xml ~/.gradle/gradle.properties ~/.composer/auth.json
    ~/.config/composer/auth.json ~/.nuget/NuGet/NuGet.Config ~/.pgpass ~/.my.cnf ~/.mylogin.cnf ~/.s3cfg ~/.boto
    ~/.config/rclone/rclone.conf ~/.config/doctl/config.yaml ~/.config/op/** ~/.password-store/** ~/.config/hardshell/*secret*
    ~/.claude/.credentials.json ~/.codex/auth.json ~/.gemini/oauth_creds.json .htpasswd`,
  ),
  ...rows('settings that usually contain secrets', '.env .env.* *.env'),
  ...[
    ...rows(CREDENTIALS, '*credentials*.json service-account*.json service_account*.json'),
    ...rows('settings that usually contain secrets', 'secrets.yml secrets.yaml secrets.json'),
  ].map((row) => ({ ...row, isWide: true })),
  ...rows('password hashes', '/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/master.passwd'),
  ...rows('the list of users who can become root', '/etc/sudoers /etc/sudoers.d/**'),
  ...rows(
    'a command history, which often contains passwords',
    `.bash_history .zsh_history .sh_history .psql_history .mysql_history .sqlite_history .rediscli_history .mongo_history
    .python_history .node_repl_history .irb_history .lesshst .viminfo ~/.local/share/fish/fish_history`,
  ),
  ...rows(
    'cookies and saved passwords',
    `~/.mozilla/** ~/.config/google-chrome/** ~/.config/chromium/** ~/.config/BraveSoftware/** ~/.config/microsoft-edge/**
    ~/.thunderbird/** ~/Library/Keychains/** /Library/Keychains/** ~/.local/share/keyrings/** ~/.gnome2/keyrings/**
    ~/Library/Cookies/** ~/Library/Application*Support/Google/Chrome/** ~/Library/Application*Support/Firefox/**`,
  ),
  ...rows(
    'the environment of a process',
    '/proc/*/environ /proc/*/mem /proc/*/task/*/environ /dev/mem /dev/kmem /proc/kcore',
  ),
  ...rows(
    'a socket of a service with more privileges',
    `docker.sock podman.sock containerd.sock /run/docker.sock /var/run/docker.sock /run/containerd/** ~/.gnupg/S.*
    /run/user/*/keyring/**`,
  ),
  ...rows('infrastructure state, which contains passwords', 'terraform.tfstate *.tfstate terraform.tfstate.backup'),
  ...rows(CREDENTIALS, '.npmrc'),
  ...rows(
    'a whole disk',
    '/dev/sd* /dev/nvme* /dev/vd* /dev/hd* /dev/xvd* /dev/mmcblk* /dev/mapper/* /dev/dm-* /dev/disk*',
  ),
  ...rows('secrets of a container', '/run/secrets/** /var/run/secrets/**'),
]);

const withSecrets = () => secretPaths().filter(({ value }) => value.what !== null);
export const secretGlobs = () => withSecrets().map(({ glob }) => glob);
/** Of services, in home folders. */
export const credentialGlobs = () =>
  withSecrets().flatMap(({ glob, value }) => (value.what === CREDENTIALS && glob.startsWith('~/') ? [glob] : []));
export const secretTable = once(() => createPathTable(secretPaths()));
export const secretWords = once(() => tellingWords(withSecrets()));
