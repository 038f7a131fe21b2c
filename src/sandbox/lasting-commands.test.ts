import { expect, test } from 'vitest';
import { analyze } from '../analyze/analyze.ts';
import { isLasting } from './lasting-commands.ts';

test.each([
  ['npm run dev', true],
  ['npm start', true],
  ['cd app && pnpm run build:watch', true],
  ['yarn dev:api --port 1', true],
  ['npx vite', true],
  ['npx vite build', false],
  ['npx tsc -p . --watch', true],
  ['npx tsc -w', true],
  ['jest -w 2', false],
  ['jest --watch=false', false],
  ['sh -c "npm run dev"', true],
  ['npm run dev | tee log', true],
  ['python3 -m http.server 8000', true],
  ['python3 manage.py runserver', true],
  ['python3 manage.py migrate', false],
  ['uvicorn app:app --reload', true],
  ['cargo watch -x test', true],
  ['cargo test', false],
  ['php -S localhost:1', true],
  ['npm run format', false],
  ['npm install && npm test', false],
  ['git checkout start', false],
])('%s: %j', async (command, lasts) => {
  expect(isLasting(await analyze(command, { cwd: '/srv' }))).toBe(lasts);
});
