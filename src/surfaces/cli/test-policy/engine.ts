// The verb's tools, as the library provides them.

import { defined } from '../../../host/values.ts';
import { check, type LoadedSettings, loadPolicy, originOf, readRules } from '../../../host.ts';
import { inheritedVariables } from '../input.ts';
import type { PolicyTools } from './tools.ts';

/** Fixture files name few folders, and settings do not change while they are checked. */
const loaded = new Map<string, LoadedSettings>();

function load({ cwd, settingsFile }: { readonly cwd: string; readonly settingsFile?: string }): LoadedSettings {
  const key = JSON.stringify([cwd, settingsFile]);
  let settings = loaded.get(key);
  if (settings === undefined) {
    settings = loadPolicy({ cwd, settingsFile });
    loaded.set(key, settings);
  }
  return settings;
}

export const policyTools: PolicyTools = {
  check: (command, { rules, mode, shell, ...place }) => {
    const { policy } = load(place);
    return check(command, {
      cwd: place.cwd,
      shell,
      variables: inheritedVariables(),
      policy: {
        ...policy,
        ...defined({ mode }),
        ...(rules === undefined ? {} : { rules: [...policy.rules, ...readRules(rules, 'flags')] }),
      },
    });
  },
  listRules: (place) => load(place).policy.rules.map(originOf),
};
