// Places that are known without reading the disk: secrets and code below a home folder, and secrets on
// the whole machine. The sandbox protects them by these names. Data only.

import { protectedGlobs } from './protected-paths.ts';
import { credentialGlobs, secretGlobs } from './secret-paths.ts';

/** Folders that contain little but credentials: a replaced file in them stays hidden with the folder. */
const SECRET_FOLDERS = '.aws .kube .config/gh .config/glab-cli .config/doctl .config/rclone';
/** Written with a wildcard in the table of secrets, or missing there. */
const SECRET_FILES = '.terraform.d/credentials.tfrc.json .config/containers/auth.json';

/**
 * Files that programs execute, source, load as a plugin or take commands from, by family of programs. If the home is the
 * workspace, none of them may change: they would run outside the sandbox the next time the program is used.
 */
const RUNS: Readonly<Record<string, string>> = {
  'programs found by PATH': `bin .bin .local/bin go/bin .go/bin .cargo/bin .deno/bin .bun/bin .yarn/bin .npm-global
    .npm-packages .local/share/pnpm .composer/vendor .krew .fzf .local/share/coursier .foundry .platformio .pixi .juliaup
    .dotnet .nimble .elan .wasmtime .wasmer .local/share/flatpak .nix-profile .local/state/nix .guix-profile`,
  'versions of languages': `.nvm .fnm .local/share/fnm .volta .nodenv .n .pyenv .rye .local/share/uv .local/share/pipx
    .local/pipx .poetry .local/share/pypoetry .rbenv .rvm .gem .local/share/gem .phpenv .sdkman .jenv .jabba .asdf
    .local/share/mise .config/mise .proto .rustup .ghcup .cabal .stack .opam .swiftly .tfenv .conda .condarc .mamba
    miniconda3 anaconda3 miniforge3 mambaforge`,
  shells: `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .bash_completion.d .bash_it
    .oh-my-bash .profile .local/share/bash-completion .zshrc .zshenv .zprofile .zlogin .zlogout .zsh .oh-my-zsh .zplug .zinit
    .antigen .config/zsh .config/fish .local/share/fish .kshrc .mkshrc .cshrc .tcshrc .login .logout .config/nushell
    .config/powershell .local/share/powershell .config/elvish .xonshrc .config/xonsh .inputrc .config/direnv
    .config/environment.d .pam_environment .config/starship.toml .config/bash .config/shell .shrc .shinit .aliases .functions
    .exports .bash_functions .bash_prompt .bash_env .git-prompt.sh .fzf.bash .fzf.zsh .p10k.zsh .zsh_aliases .zprezto
    .zpreztorc .zim .zimrc .direnvrc .elvish`,
  editors: `.vimrc .gvimrc .vim .config/vim .ideavimrc .config/nvim .local/share/nvim .exrc .nexrc .emacs .emacs.d
    .config/emacs .spacemacs .spacemacs.d .doom.d .config/doom .config/kak .config/helix .config/micro .nanorc .config/nano
    .config/Code .config/VSCodium .config/Cursor .vscode .vscode-server .vscode-oss .cursor-server .config/zed
    .local/share/zed .config/sublime-text .config/JetBrains .local/share/JetBrains .idea .config/kate .config/geany
    .local/share/gedit .selected_editor`,
  terminals: `.tmux.conf .tmux .config/tmux .screenrc .byobu .config/zellij .config/alacritty .config/kitty .config/wezterm
    .wezterm.lua .config/ghostty .config/terminator`,
  'pagers and file managers': `.lesskey .config/lesskey .lessfilter .config/bat .config/ranger .config/lf .config/nnn
    .config/mc .local/share/mc .config/yazi .config/vifm .mailcap .config/mimeapps.list .local/share/applications
    .local/share/mime .local/share/nautilus .local/share/nautilus-python .config/Thunar .local/share/kio
    .local/share/kservices5 .local/share/kservices6 .config/xfce4 .config/pcmanfm .gnome .toprc .config/procps`,
  debuggers: `.gdbinit .gdbearlyinit .config/gdb .lldbinit .pdbrc .pdbrc.py .radare2rc .config/radare2 .perldb .ltrace.conf
    .valgrindrc .perfconfig`,
  'network tools': `.curlrc .config/curlrc .wgetrc .wget2rc .config/aria2 .aria2 .lftprc .config/lftp .config/httpie .httpie
    .rhosts .shosts .w3m .config/yt-dlp .yt-dlp .telnetrc`,
  browsers: `.config/qutebrowser .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware
    .config/microsoft-edge .elinks .config/elinks .lynxrc`,
  'version control': `.gitconfig .config/git .gitattributes .git-templates .githooks .hgrc .config/hg .subversion .config/jj
    .jjconfig.toml .tigrc .config/tig .config/lazygit .cvsrc`,
  packages: `.npmrc .config/npm .yarnrc .yarnrc.yml .yarn .config/yarn .config/pnpm .bunfig.toml .pypirc .pip .config/pip
    .pydistutils.cfg .config/uv .config/pypoetry .config/conda .cargo/config .cargo/config.toml .cargo/env .gemrc .bundle
    .config/composer .composer .gradle/init.gradle .gradle/init.gradle.kts .gradle/init.d .gradle/gradle.properties
    .m2/settings.xml .m2/extensions.xml .m2/toolchains.xml .mavenrc .mvn .sbt .ivy2 .config/coursier .ammonite .lein .clojure
    .config/clojure .mix .hex .cpan .cpanm .luarocks .config/luarocks .nuget .config/NuGet .vcpkg .conan .conan2 .config/go
    .config/nix .config/nixpkgs .nixpkgs .config/home-manager .config/guix .cocoapods .config/homebrew .devscripts
    .quiltrc .pbuilderrc .sbuildrc .config/sbuild .gbp.conf .dput.cf .dupload.conf .makepkg.conf .config/pacman .abuild
    .rpmmacros .config/rpm`,
  interpreters: `.local/lib .pythonrc .pythonrc.py .pythonstartup .config/python .ipython .jupyter .local/share/jupyter
    node_modules .node_modules .node_libraries .pnp.cjs .pnp.js .pnp.loader.mjs .irbrc .config/irb .pryrc .config/pry .rdebugrc .re.pl .Rprofile .Renviron .R .julia .ghci
    .ghc .config/ghc .ocamlinit .sbclrc .clisprc .guile .racketrc .config/racket .swiplrc .config/swi-prolog .erlang .iex.exs
    .octaverc .sage .gnuplot .latexmkrc .config/latexmk texmf .pandoc .local/share/pandoc .proverc .ackrc
    .ripgreprc .config/ripgrep`,
  databases: `.psqlrc .my.cnf .mylogin.cnf .sqliterc .config/sqlite3 .mongorc.js .mongoshrc.js .myclirc .config/pgcli
    .redisclirc .duckdbrc .config/usql .pg_service.conf .postgresqlrc .postgresql`,
  builds: '.ccache .config/ccache .bazelrc .buckconfig .cmake .user.justfile .config/just .actrc .config/act',
  infrastructure: `.ansible.cfg .ansible .terraformrc .tofurc .terraform.d .packerconfig .packer.d .config/packer .vagrant.d
    .config/helm .local/share/helm .kube .config/k9s .docker .config/containers .local/share/containers .lima .colima
    .pulumi .minikube .serverlessrc`,
  'the session': `.xinitrc .xprofile .Xprofile .xsession .xsessionrc .xserverrc .Xclients .Xresources .Xdefaults .xbindkeysrc
    .gnomerc .dmrc .config/autostart .config/autostart-scripts .config/plasma-workspace .config/systemd .local/share/systemd
    .local/share/dbus-1 .local/share/gnome-shell .config/openbox .config/i3 .i3 .config/sway .config/hypr .config/awesome
    .config/bspwm .config/sxhkd .config/qtile .config/xmonad .xmonad .config/herbstluftwm .config/river .config/niri
    .config/labwc .config/polybar .config/waybar .config/rofi .config/dunst .fluxbox .fvwm .config/espanso .config/autokey
    .local/share/cinnamon .config/lxsession .crontab .config/cron .config/user-dirs.dirs
    .config/user-tmpfiles.d .config/menus .config/lxqt .config/mate .local/share/plasma .local/share/kwin .vnc
    .config/tigervnc .xscreensaver`,
  'libraries that load modules': `.asoundrc .config/alsa .config/pulse .pulse .config/pipewire .config/wireplumber .gtkrc-2.0
    .config/gtk-2.0 .config/gtk-3.0 .config/gtk-4.0 .config/qt5ct .config/qt6ct .config/mpv .mpv .mplayer .config/vlc
    .config/GIMP .config/inkscape .config/libreoffice .config/blender .config/obs-studio .local/share/FreeCAD`,
  'mail and chat': `.forward .procmailrc .maildroprc .mailfilter .fetchmailrc .pinerc .muttrc .mutt .config/mutt .config/neomutt
    .config/aerc .msmtprc .config/msmtp .mbsyncrc .mailrc .weechat .config/weechat .irssi .config/irssi .config/hexchat .task
    .taskrc .config/task .todo`,
  assistants: `.claude .claude.json .config/claude .codex .gemini .qwen .copilot .config/github-copilot .cursor .windsurf
    .codeium .config/opencode .local/share/opencode .opencode .aider.conf.yml .continue .cline .goose .config/goose .config/amp
    .factory .amazonq .kiro .trae .augment .junie .crush .config/crush .mcp.json .config/mcp`,
  'hardshell itself': '.hardshell .config/hardshell .cache/hardshell .local/share/hardshell .local/state/hardshell',
  keys: '.ssh .gnupg .pki .password-store .netrc .git-credentials',
};

/** Readable by root, and some of them by the user of a container. */
const MACHINE = `/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/master.passwd /etc/security/opasswd /etc/sudoers
  /etc/sudoers.d /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key
  /etc/ssh/ssh_host_dsa_key /etc/ssl/private /etc/pki/tls/private /etc/letsencrypt/archive /etc/letsencrypt/keys
  /etc/letsencrypt/accounts /etc/krb5.keytab /run/secrets /var/run/secrets /run/secrets.d /run/agenix /run/credentials
  /etc/credstore /etc/credstore.encrypted /var/lib/systemd/credential.secret /etc/cryptsetup-keys.d
  /etc/NetworkManager/system-connections /etc/wpa_supplicant /etc/wireguard /etc/openvpn /etc/ppp/chap-secrets
  /etc/ppp/pap-secrets /etc/ipsec.secrets /etc/kubernetes/admin.conf /etc/kubernetes/super-admin.conf /etc/kubernetes/pki
  /etc/rancher/k3s/k3s.yaml /var/lib/kubelet/pki /etc/docker/key.json /etc/mysql/debian.cnf /etc/postfix/sasl_passwd
  /etc/exim4/passwd.client /etc/rndc.key /etc/bind/rndc.key /boot/grub/user.cfg /var/spool/cron /var/lib/sss/secrets
  /var/lib/bluetooth`;

/** Relative to home. */
export const HOME_SECRETS: readonly string[] = outermost([
  ...placesOf(secretGlobs()),
  ...wordsOf(SECRET_FOLDERS),
  ...wordsOf(SECRET_FILES),
]);
export const HOME_PROTECTED: readonly string[] = outermost([
  ...placesOf(protectedGlobs()),
  // A planted account or server would be used outside, with what is sent to it.
  ...placesOf(credentialGlobs()),
  ...Object.values(RUNS).flatMap(wordsOf),
]);
/** Of these, files that contain accounts and nothing that runs. */
export const HOME_ACCOUNTS: ReadonlySet<string> = new Set(
  wordsOf(
    '.netrc .git-credentials .pgpass .pypirc .vault-token .config/hub .cargo/credentials .cargo/credentials.toml',
  ),
);
/** Absolute. */
export const MACHINE_SECRETS: readonly string[] = wordsOf(MACHINE);

/** `~/.aws/**` → `.aws`; entries for any depth (`.ssh/**`) include home. Globs without a fixed place are left out. */
function placesOf(globs: readonly string[]): string[] {
  return globs
    .filter((glob) => !glob.startsWith('/'))
    .map((glob) => glob.replace(/^~\//, '').replace(/\/\*\*$/, ''))
    .filter((place) => place.startsWith('.') && !/[*?[\]]/.test(place));
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** A name below another one is protected with it. */
function outermost(places: readonly string[]): string[] {
  const all = new Set(places);
  const isBelow = (place: string) => {
    for (let at = place.lastIndexOf('/'); at > 0; at = place.lastIndexOf('/', at - 1))
      if (all.has(place.slice(0, at))) return true;
    return false;
  };
  return [...all].filter((place) => !isBelow(place));
}
