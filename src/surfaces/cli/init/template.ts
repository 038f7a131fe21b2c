// The text of a new settings file. Every choice is a line that begins with `// "`: without the slashes it is valid, too.

const HEAD = {
  project:
    'Settings of hardshell for everybody who works in this folder. A folder that is not trusted can only tighten.',
  local: 'Your own settings of hardshell for this folder. Keep this file out of version control.',
  user: 'Your settings of hardshell, for every folder.',
};

/** They count in no other file that is made here. */
const ALERTS = `
  // Security events are sent to this address, signed with the secret in the variable: docs/metrics.md.
  // "alerts": { "webhook": { "url": "https://example.com/hook", "secretVariable": "HARDSHELL_WEBHOOK_SECRET" } },
`;

export function templateFor(layer: keyof typeof HEAD): string {
  return `{
  // ${HEAD[layer]}
  // What each key means: docs/settings.md, or https://www.npmjs.com/package/hardshell

  // How questions are treated: plan (change nothing), default, accept-edits, dont-ask (a question is a no), bypass.
  // "mode": "default",

  "permissions": {
    // Runs without a question. Rules look like Bash(git commit:*), Read(~/.ssh/**), WebFetch(domain:example.com).
    "allow": [
      // "Bash(npm run:*)",
      // "Bash(git commit:*)",
    ],
    // Always a question, also where a rule allows it.
    "ask": [
      // "Bash(git push:*)",
    ],
    // Never. Beats everything else, whichever file says it.
    "deny": [
      // "Bash(terraform apply:*)",
      // "Read(~/.aws/**)",
    ],
  },

  // Folders in which files may be changed, instead of the current one and the temporary ones.
  // "roots": ["/", "~/scratch"],

  // Never written, and content that is secret, besides what is built in. /x starts at the folder of the project.
  // "protectedPaths": ["/migrations/**"],
  // "secretPaths": ["/config/production.json"],

  // Hosts that commands may contact without a question, and hosts that they may never contact.
  // "domains": { "allow": ["registry.npmjs.org", "*.example.com"], "deny": ["pastebin.com"] },

  // Another verdict for a check, by its id: docs/checks.md lists them, and every answer names them.
  // "checks": { "remote-code": "deny" },

  // A question without an answer is a no after this time.
  // "approval": { "timeoutSeconds": 300 },

  // Limits of every command.
  // "limits": { "timeoutMs": 600000, "memoryBytes": 4294967296, "processes": 512 },
${layer === 'user' ? ALERTS : ''}}
`;
}
