import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SETTINGS_SCHEMA } from './schema.ts';

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const read = (path: string): string => readFileSync(at(path), 'utf8');

// UPDATE_DOCS=1 rewrites it; `npm run format` then formats it.
test('the published schema is the one that validates', () => {
  const file = 'schema/settings.schema.json';
  if (process.env.UPDATE_DOCS) writeFileSync(at(file), `${JSON.stringify(SETTINGS_SCHEMA, null, 2)}\n`);
  expect(JSON.parse(read(file))).toEqual(SETTINGS_SCHEMA);
});

test('the document describes every setting, and no other', () => {
  const keys = /^## Keys$([\s\S]*?)^## /m.exec(read('docs/settings.md'))?.[1] ?? '';
  const described = [...keys.matchAll(/^\| `([\w$]+)`/gm)].map((match) => match[1] as string);
  expect(described).toEqual(Object.keys(SETTINGS_SCHEMA.properties));
});
