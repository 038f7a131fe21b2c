// Facts → whether a command is known to run until it is stopped: a server, or a program that watches files. In a layer over the
// project it would not see what others change there. A wrong answer costs no more than an undo.

import type { CommandFact, Facts } from '../core/facts.ts';

const PROGRAMS = new Set([
  ...['nodemon', 'ts-node-dev', 'tsnd', 'live-server', 'http-server', 'serve', 'browser-sync', 'webpack-dev-server'],
  ...['json-server', 'uvicorn', 'gunicorn', 'hypercorn', 'daphne', 'watchexec', 'entr', 'air', 'caddy', 'nginx'],
  ...['redis-server', 'postgres', 'mongod', 'mysqld', 'mariadbd'],
]);
/** With one of their subcommands. */
const TOOLS = new Set([
  ...['vite', 'next', 'nuxt', 'nuxi', 'astro', 'gatsby', 'ng', 'vue-cli-service', 'webpack', 'parcel', 'remix', 'expo'],
  ...['hugo', 'jekyll', 'mkdocs', 'docusaurus', 'storybook', 'wrangler', 'netlify', 'vercel', 'rails', 'flask'],
  ...['cargo', 'dotnet', 'jupyter', 'deno', 'symfony', 'react-scripts'],
]);
const SUBCOMMANDS = /^(?:dev|develop|serve|server|start|preview|watch|runserver|lab|notebook|s)$/;
/** Of packages: `npm start`, `yarn dev`, `pnpm run dev:api`, `npm run build:watch`. */
const SCRIPTS =
  /^(?:npm|pnpm|yarn|bun)(?: run| run-script)? (?:\S+[:-])?(?:dev|develop|serve|server|start|preview|watch|storybook)(?:[:-]\S+)?(?: |$)/;
const PYTHON = /^python[\d.]* (?:\S*manage\.py runserver|-m (?:http\.server|flask run|uvicorn|gunicorn|notebook)\b)/;
/** Their `-w` watches; that of others has another meaning. */
const SHORT = new Set(['tsc', 'sass', 'webpack', 'rollup', 'babel', 'tailwindcss', 'esbuild']);

export function isLasting({ commands }: Pick<Facts, 'commands'>): boolean {
  return commands.some(lasts);
}

function lasts({ name, argv }: CommandFact): boolean {
  if (name === null) return false;
  const words = argv.slice(1).map((word) => word ?? '');
  const [first = ''] = words;
  if (PROGRAMS.has(name) || (TOOLS.has(name) && SUBCOMMANDS.test(first))) return true;
  if (name === 'vite' && (first === '' || first.startsWith('-'))) return true;
  if (name === 'flask' && first === 'run') return true;
  if (name === 'php' && first === '-S') return true;
  if (words.some((word) => /^--(?:watch|watchAll|watch-all)(?:=true)?$/.test(word))) return true;
  if (SHORT.has(name) && words.includes('-w')) return true;
  const text = [name, ...words].join(' ');
  return SCRIPTS.test(text) || PYTHON.test(text);
}
