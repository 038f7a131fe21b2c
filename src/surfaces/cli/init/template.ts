// The text of a new settings file. Each choice is a line that begins with `// "`; the file is also valid without the slashes.

const HEAD = {
  project: 'hardshell settings for everyone who works in this folder. Commit this file.',
  local: 'Your own hardshell settings for this folder. Keep this file out of version control.',
  user: 'Your hardshell settings, for every folder.',
};

/** A repository must not be able to loosen what its user has chosen. */
const TRUST = `
  //
  // Until you trust this folder, only what makes things stricter counts: "deny" and "ask" rules, protected and secret
  // paths, a stricter mode. "allow" rules, "roots" and allowed hosts are ignored, with a notice. To trust the folder:
  //   hardshell config trust`;

/** These keys count in no other file that `init` writes. */
const USER_ONLY = `
  // Where to send security events, signed with the secret in that variable (docs/metrics.md).
  // "alerts": { "webhook": { "url": "https://example.com/hook", "secretVariable": "HARDSHELL_WEBHOOK_SECRET" } },

  // Folders whose own settings may loosen too; \`hardshell config trust\` adds one.
  // "trustedFolders": ["~/work/project"],
`;

export function templateFor(layer: keyof typeof HEAD): string {
  return `{
  // ${HEAD[layer]}
  // Remove the // in front of a line to use it. \`hardshell config validate\` checks the file, and
  // \`hardshell config show --origin\` prints the settings in effect and the file each one comes from.
  // Reference: docs/settings.md in the package.${layer === 'user' ? '' : TRUST}

  // What happens to questions: plan (nothing is changed), default (ask), accept-edits (file changes need no answer),
  // auto (what the sandbox holds needs no answer), dont-ask (a question counts as no), bypass (a question counts as yes).
  // docs/modes.md compares them.
  // "mode": "default",

  // Rules: Bash(git commit:*), Read(~/.ssh/**), Edit(/docs/**), WebFetch(domain:example.com); see docs/rules.md.
  // Deny wins over ask, ask wins over allow, whichever file they are in.
  "permissions": {
    // Run without a question.
    "allow": [
      // "Bash(npm run:*)",
      // "Bash(git commit:*)",
    ],
    // Always ask.
    "ask": [
      // "Bash(git push:*)",
    ],
    // Never run.
    "deny": [
      // "Bash(terraform apply:*)",
      // "Read(~/.aws/**)",
    ],
  },

  // Folders that commands may change, instead of the current folder and the temporary ones.
  // "roots": ["/", "~/scratch"],

  // Never changed, and never shown, in addition to the built-in paths. /x starts at the project folder, //x at the root
  // of the file system.
  // "protectedPaths": ["/migrations/**"],
  // "secretPaths": ["/config/production.json"],

  // Hosts that commands may contact without a question, and hosts that they may never contact.
  // "domains": { "allow": ["registry.npmjs.org", "*.example.com"], "deny": ["pastebin.com"] },

  // What the kernel enforces for every command that runs, whatever the rules say; see docs/sandbox.md.
  "sandbox": {
    // restricted (read-only, no network), workspace (changes in the roots, network by "domains"), unrestricted (off).
    // "name": "workspace",

    // More paths to write, and paths to hide.
    // "filesystem": { "allowWrite": ["~/builds"], "denyRead": ["/.env"] },

    // Ports of this machine that commands may use, and ports on which a server in the sandbox can be reached.
    // "network": { "allowPorts": [5432], "publishPorts": [5173] },

    // Programs that run outside the sandbox, if the command starts nothing else.
    // "excludedCommands": ["docker"],
  },

  // Change the verdict of a check by its id. docs/checks.md lists the ids; \`hardshell check\` prints them.
  // "checks": { "remote-code": "deny" },

  // A question without an answer is denied after this time.
  // "approval": { "timeoutSeconds": 300 },

  // Limits for every command.
  // "limits": { "timeoutMs": 600000, "memoryBytes": 4294967296, "processes": 512 },

  // Variables to set for commands, to pass on although they look secret, and to leave out.
  // "environment": { "set": { "CI": "true" }, "keep": ["NPM_TOKEN"], "drop": ["LD_PRELOAD"] },
${layer === 'user' ? USER_ONLY : ''}}
`;
}
