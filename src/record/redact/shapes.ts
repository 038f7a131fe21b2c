// Known shapes of secrets, independent of the text before them. Data only.
// Every pattern starts with fixed letters and repeats one class of characters: no text can make them slow.

export interface Shape {
  readonly kind: string;
  readonly pattern: RegExp;
  readonly examples: readonly string[];
}

const a = (count: number) => 'aB3'.repeat(Math.ceil(count / 3)).slice(0, count);

export const SHAPES: readonly Shape[] = [
  {
    kind: 'aws-key',
    pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
    examples: [`AKIA${'Q7'.repeat(8)}`, `ASIA${'Q7'.repeat(8)}`],
  },
  {
    kind: 'github-token',
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/g,
    examples: [`ghp_${a(36)}`, `ghs_${a(36)}`, `github_pat_${a(22)}_${a(59)}`],
  },
  { kind: 'gitlab-token', pattern: /\bgl(?:pat|dt|rt|cbt|ptt|ft)-[\w-]{16,255}/g, examples: [`glpat-${a(20)}`] },
  {
    kind: 'slack-token',
    pattern: /\bxox[a-z](?:\.xox[a-z])?-[\w-]{8,255}|\bxapp-[\w-]{8,255}/g,
    examples: [`xoxb-123456789012-${a(24)}`, `xapp-1-${a(20)}`],
  },
  {
    kind: 'slack-webhook',
    pattern: /\bhooks\.slack\.com\/(?:services|workflows)\/[\w/-]{8,255}/g,
    examples: [`hooks.slack.com/services/T0000/B0000/${a(24)}`],
  },
  { kind: 'anthropic-key', pattern: /\bsk-ant-[\w-]{16,255}/g, examples: [`sk-ant-api03-${a(93)}`] },
  { kind: 'openai-key', pattern: /\bsk-(?!ant-)[\w-]{20,255}/g, examples: [`sk-${a(48)}`, `sk-proj-${a(80)}`] },
  { kind: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{30,255}/g, examples: [`npm_${a(36)}`] },
  { kind: 'pypi-token', pattern: /\bpypi-[\w-]{30,255}/g, examples: [`pypi-AgEIcHlwaS5vcmc${a(60)}`] },
  { kind: 'google-key', pattern: /\bAIza[\w-]{35}/g, examples: [`AIza${a(35)}`] },
  { kind: 'google-token', pattern: /\bya29\.[\w-]{20,512}/g, examples: [`ya29.${a(60)}`] },
  {
    kind: 'stripe-key',
    pattern: /\b(?:[rs]k|whsec)_(?:(?:live|test)_)?[A-Za-z0-9]{16,255}/g,
    examples: [`sk_live_${a(24)}`, `rk_test_${a(24)}`],
  },
  { kind: 'sendgrid-key', pattern: /\bSG\.[\w-]{16,64}\.[\w-]{16,64}/g, examples: [`SG.${a(22)}.${a(43)}`] },
  { kind: 'huggingface-token', pattern: /\bhf_[A-Za-z0-9]{30,64}/g, examples: [`hf_${a(34)}`] },
  { kind: 'digitalocean-token', pattern: /\bdo[opr]_v1_[a-f0-9]{64}/g, examples: [`dop_v1_${'a1'.repeat(32)}`] },
  { kind: 'telegram-token', pattern: /\b\d{8,10}:AA[\w-]{33}/g, examples: [`123456789:AA${a(33)}`] },
  { kind: 'age-key', pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{40,80}/g, examples: [`AGE-SECRET-KEY-1${'Q7'.repeat(29)}`] },
  {
    kind: 'jwt',
    pattern: /\beyJ[\w-]{8,4096}\.eyJ[\w-]{4,8192}(?:\.[\w-]{0,4096})?/g,
    examples: [`eyJ${a(20)}.eyJ${a(40)}.${a(43)}`],
  },
];
