// The home folder as the workspace: what programs run, source or load from it stays as it is, there or not; and what is
// secret on the whole machine cannot be read, by root either.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOME_PROTECTED, MACHINE_SECRETS } from '../../src/decide/paths/tables/home-places.ts';
import { writeTree } from './place.ts';
import { useProjects } from './project.ts';

const RUNS = `.local/bin/ls .local/lib/python3.11/site-packages/usercustomize.py .gdbinit .curlrc .wgetrc .npmrc .yarnrc
  .config/pip/pip.conf .inputrc .vimrc .vim/plugin/x.vim .config/nvim/init.lua .emacs .emacs.d/init.el .tmux.conf .screenrc
  .lesskey .lessfilter .xprofile .config/autostart/x.desktop .config/systemd/user/x.service .config/environment.d/x.conf
  .pam_environment .config/fish/config.fish .zshenv .zlogout .bash_logout .gitconfig .config/git/config .hgrc
  .cargo/config.toml .cargo/bin/cargo .rustup/settings.toml go/bin/go .gradle/init.d/x.gradle .m2/settings.xml .mavenrc
  .sbt/x.sbt .bundle/config .gemrc .irbrc .pryrc .psqlrc .my.cnf .sqliterc .Rprofile .julia/config/startup.jl .ghci
  .docker/cli-plugins/docker-x .kube/config .terraformrc .ansible.cfg .ssh/rc .gnupg/gpg.conf bin/ls .nvm/nvm.sh
  .pyenv/shims/python .asdf/asdf.sh .deno/bin/deno .local/share/applications/x.desktop .config/Code/User/settings.json
  .cursor/mcp.json .codex/config.toml .claude/settings.json .config/opencode/opencode.json .forward .asoundrc .crontab
  .selected_editor .pgpass .pg_service.conf .s3cfg .vault-token .postgresqlrc .config/user-dirs.dirs .vnc/xstartup .toprc
  .devscripts .quiltrc .rpmmacros .proverc .fzf.bash .shrc .mozilla/native-messaging-hosts/x.json .config/xfce4/helpers.rc
  .config/mpv/scripts/x.lua .latexmkrc .ipython/profile_default/startup/x.py`
  .split(/\s+/)
  .filter((name) => name !== '');

describe.skipIf(process.platform !== 'linux')('by namespaces', { timeout: 120_000 }, () => {
  const { bare } = useProjects('namespaces');

  test('nothing that runs later is changed, whether it was there or not', async (context) => {
    const place = await bare(context);
    const cwd = place.home;
    // A link to the toolchain of the user who runs the tests: nothing here may be written through it.
    rmSync(join(cwd, '.rustup'), { force: true });
    // Every second one is there before.
    const there = RUNS.filter((_, index) => index % 2 === 0);
    writeTree(cwd, Object.fromEntries(there.map((name) => [name, 'mine\n'])));
    const words = RUNS.map((name) => `'${name}'`).join(' ');
    writeTree(cwd, {
      'evil.sh': `for f in ${words}; do mkdir -p "$(dirname "$f")"; echo evil > "$f"; rm -rf "$f.x"; done; echo ok > work\n`,
    });
    const { output } = await place.run('sh evil.sh 2>/dev/null; ls -d . > /dev/null; cat work', { cwd });
    expect(output).toContain('ok');
    const changed = RUNS.filter(
      (name) => existsSync(join(cwd, name)) && /evil/.test(readFileSync(join(cwd, name), 'utf8')),
    );
    expect(changed).toEqual([]);
    expect(there.filter((name) => !existsSync(join(cwd, name)))).toEqual([]);
  });

  test('a folder is not moved away with what is protected in it', async (context) => {
    const place = await bare(context);
    const cwd = place.home;
    writeTree(cwd, { '.local/bin/ls': 'mine\n', '.config/git/config': 'mine\n' });
    await place.run('mv .local .old; mv .config .old2; mkdir -p .local/bin .config/git; echo evil > .local/bin/ls', {
      cwd,
    });
    expect(readFileSync(join(cwd, '.local/bin/ls'), 'utf8')).toBe('mine\n');
    expect(statSync(join(cwd, '.config/git/config')).isFile()).toBe(true);
  });

  test('honest work in it still works', async (context) => {
    const place = await bare(context);
    mkdirSync(join(place.home, 'src'));
    const command =
      'echo "int main(void){return 0;}" > src/a.c; mkdir out; cp src/a.c out/; mv out build; ls build; rm -r build';
    const { exitCode, output, violations } = await place.run(command, { cwd: place.home });
    expect([exitCode, output, violations]).toEqual([0, 'a.c\n', []]);
  });

  test('secrets of the machine are hidden where this user could read them', async (context) => {
    const place = await bare(context);
    const files = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers'].filter((path) => {
      try {
        return readFileSync(path, 'utf8') !== '';
      } catch {
        return false;
      }
    });
    if (files.length === 0) context.skip('this user cannot read them anyway');
    const { output, enforcement } = await place.run(`cat ${files.join(' ')} > copy; wc -c < copy; id -un`);
    expect(output).toMatch(/^0\n/m);
    expect(enforcement.held).toContain('hidden-content');
  });
});

test('places are plain: no pattern, nothing above, no double', () => {
  for (const place of [...HOME_PROTECTED, ...MACHINE_SECRETS.map((path) => path.slice(1))])
    expect(place).toMatch(/^(?!.*(?:^|\/)\.\.?(?:\/|$))[\w.+-]+(?:\/[\w.+-]+)*$/);
  expect(new Set(HOME_PROTECTED).size).toBe(HOME_PROTECTED.length);
});
