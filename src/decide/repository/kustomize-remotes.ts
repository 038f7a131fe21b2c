// A kustomization may list addresses next to local files: `kubectl kustomize DIR` then clones or downloads them.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import { wordSet } from '../../core/values/once.ts';
import type { CommandCheck } from '../check.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 262_144;
const MAX_FOLDERS = 100;
const FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
const ADDRESS = /:\/\/|^[\w.-]+@[\w.-]+:|^(?:git::|gh:)|[?]ref=|^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?[/:]./i;
/** Fields with plain values, where an address is only text. */
const PLAIN = wordSet(
  `apiVersion kind metadata namespace namePrefix nameSuffix commonLabels commonAnnotations labels images replicas
  generatorOptions buildMetadata sortOptions vars`,
);

export const kustomizeRemotes: CommandCheck = {
  id: 'kustomize-remotes',
  layer: 'repository',
  severity: 'medium',
  verdict: 'ask',
  names: ['kubectl', 'oc', 'kustomize'],
  message: 'The kustomization in this folder downloads resources from servers that it names.',
  instead: 'Look at the kustomization first.',
  examples: {
    matches: [
      { command: 'kubectl kustomize .', files: { [`${P}/kustomization.yaml`]: 'resources:\n- github.com/a/b\n' } },
      {
        command: 'kustomize build overlays/dev',
        files: {
          [`${P}/overlays/dev/kustomization.yml`]: 'resources: [../../base]\n',
          [`${P}/base/Kustomization`]: 'resources:\n  - "https://x.example/a.yaml"\n',
        },
      },
      { command: 'kubectl kustomize', files: { [`${P}/kustomization.yaml`]: 'bases: ["git@x.example:a/b"]\n' } },
      { command: 'cd "$X" && kubectl kustomize .' },
    ],
    passes: [
      { command: 'kubectl kustomize .', files: { [`${P}/kustomization.yaml`]: 'resources:\n- a.yaml\n- ../b\n' } },
      {
        command: 'kubectl kustomize .',
        files: {
          [`${P}/kustomization.yaml`]: 'commonLabels:\n  app.kubernetes.io/name: web\nimages:\n- name: quay.io/a/b\n',
        },
      },
      'kubectl kustomize overlays/dev',
      { command: 'kubectl get pods', files: { [`${P}/kustomization.yaml`]: 'resources:\n- github.com/a/b\n' } },
    ],
  },
  inspect(command, { context: { probe } }) {
    if (probe === null || command.elsewhere !== null || !command.readOnly || !isBuild(command)) return null;
    const { cwd, invocation, span } = command;
    const operand = invocation?.operands[0];
    if (cwd === null || operand === null) return { span, message: 'The folder with the kustomization is unknown.' };
    const found = findRemote(
      cwd.map((folder) => posix.resolve(folder, operand ?? '.')),
      probe,
    );
    return found === null ? null : { span, message: `It downloads ${found}.` };
  },
};

function isBuild({ invocation }: CommandFact): boolean {
  const [program, verb] = invocation?.path ?? [];
  return verb === (program === 'kustomize' ? 'build' : 'kustomize');
}

function findRemote(folders: readonly string[], probe: Probe): string | null {
  const open = [...folders];
  const seen = new Set(open);
  for (let at = 0; at < open.length; at++) {
    if (at >= MAX_FOLDERS) return 'unknown resources: there are too many folders';
    const folder = open[at] as string;
    for (const file of FILES.map((name) => posix.join(folder, name))) {
      if (probe.kind(file) === 'absent') continue;
      const text = probe.readText(file, FILE_LIMIT_BYTES);
      if (text === null) return `unknown resources (${file} cannot be read)`;
      for (const word of resourceWords(text)) {
        if (ADDRESS.test(word)) return `${word} (${file})`;
        const path = posix.resolve(folder, word);
        if (seen.has(path) || probe.kind(path) !== 'folder') continue;
        seen.add(path);
        open.push(path);
      }
    }
  }
  return null;
}

function resourceWords(text: string): string[] {
  const words: string[] = [];
  let isPlain = false;
  for (const line of text.split(/[\r\n]+/)) {
    const key = /^["']?([A-Za-z]\w*)["']?\s*:/.exec(line)?.[1];
    if (key !== undefined) isPlain = PLAIN.has(key);
    if (isPlain || /^\s*#/.test(line)) continue;
    words.push(...line.split(/[\s,"'[\]{}]+/).filter((word) => word !== '' && !word.endsWith(':')));
  }
  return words;
}
