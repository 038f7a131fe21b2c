// The agents: which package, how each is started against a model on this machine, and the words of its shell tool.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PROMPT = 'please go on';
const local = (port) => `http://127.0.0.1:${port}`;

/**
 * `start(folder, port)`: argv and variables, with the packages in `folder`. `call`: the input of the shell tool for a
 * command; `limit` is in milliseconds, `folder` another working folder. `null` stands for what the tool does not have.
 */
export const PROGRAMS = {
  'claude-code': {
    title: 'Claude Code',
    packages: { '@anthropic-ai/claude-code': '2.1.325' },
    tool: 'Bash',
    call: ({ command, limit, background }) => ({
      command,
      description: 'a step',
      ...(limit === undefined ? {} : { timeout: limit }),
      ...(background ? { run_in_background: true } : {}),
    }),
    has: { limit: true, background: true, folder: false, cancel: true },
    start: (folder, port) => ({
      argv: [join(folder, 'node_modules/.bin/claude'), '-p', PROMPT, '--model', 'claude-sonnet-4-5'],
      env: {
        ANTHROPIC_BASE_URL: local(port),
        ANTHROPIC_API_KEY: 'none',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  },
  codex: {
    title: 'Codex',
    packages: { '@openai/codex': '0.166.0' },
    tool: 'exec_command',
    call: ({ command, folder }) => ({ cmd: command, ...(folder === undefined ? {} : { workdir: folder }) }),
    has: { limit: false, background: false, folder: true, cancel: true },
    start: (folder, port) => ({
      argv: [
        ...[join(folder, 'node_modules/.bin/codex'), 'exec', '--skip-git-repo-check'],
        ...['--dangerously-bypass-hook-trust', '--sandbox', 'danger-full-access', '-c', 'model_provider="fake"'],
        ...[
          '-c',
          `model_providers.fake={name="fake",base_url="${local(port)}/v1",wire_api="responses",env_key="FAKE"}`,
        ],
        ...['-c', 'model="gpt-5-codex"', PROMPT],
      ],
      env: { FAKE: 'none' },
    }),
  },
  gemini: {
    title: 'Gemini CLI',
    packages: { '@google/gemini-cli': '0.61.0' },
    tool: 'run_shell_command',
    call: ({ command, background }) => ({ command, ...(background ? { is_background: true } : {}) }),
    // With -p it leaves a command running when it is ended, also without hardshell.
    has: { limit: false, background: false, folder: false, cancel: false },
    prepare: (home) =>
      addTo(join(home, '.gemini/settings.json'), { security: { auth: { selectedType: 'gemini-api-key' } } }),
    start: (folder, port) => ({
      argv: [
        ...[process.execPath, join(folder, 'node_modules/.bin/gemini')],
        ...['-p', PROMPT, '-m', 'gemini-2.5-pro', '--yolo'],
      ],
      env: { GOOGLE_GEMINI_BASE_URL: local(port), GEMINI_API_KEY: 'none', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    }),
  },
  opencode: {
    title: 'opencode',
    packages: { 'opencode-ai': '1.18.33' },
    tool: 'bash',
    call: ({ command, limit }) => ({
      command,
      description: 'a step',
      ...(limit === undefined ? {} : { timeout: limit }),
    }),
    // It leaves a command running when it is ended, also without hardshell.
    has: { limit: true, background: false, folder: false, cancel: false },
    start: (folder, port) => ({
      argv: [join(folder, 'node_modules/.bin/opencode'), 'run', '-m', 'fake/fake', PROMPT],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          provider: {
            fake: {
              npm: '@ai-sdk/openai-compatible',
              name: 'fake',
              options: { baseURL: `${local(port)}/v1`, apiKey: 'none' },
              models: { fake: { name: 'fake', tool_call: true, limit: { context: 100_000, output: 10_000 } } },
            },
          },
          autoupdate: false,
        }),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
    }),
  },
};

function addTo(file, values) {
  mkdirSync(dirname(file), { recursive: true });
  let before = {};
  try {
    before = JSON.parse(readFileSync(file, 'utf8'));
  } catch {}
  writeFileSync(file, JSON.stringify({ ...before, ...values }));
}
