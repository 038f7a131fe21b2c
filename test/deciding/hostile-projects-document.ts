// hostile-projects.json → the table of docs/understanding.md. UPDATE_DOCS=1 writes it; otherwise a test compares.

export interface HostileProject {
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
  readonly executable?: readonly string[];
  readonly asked: readonly string[];
  readonly allowed: readonly string[];
}

const BEGIN = '<!-- Written by UPDATE_DOCS=1 npm test -- test/deciding/hostile-projects.test.ts; do not edit. -->';
const END = '<!-- End of the projects. -->';

function list(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ') || '–';
}

export function drawProjects(document: string, projects: readonly HostileProject[]): string {
  const start = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (start === -1 || end < start) throw new Error('docs/understanding.md has no place for the table of projects');
  const rows = projects.map(
    ({ program, files, asked, allowed }) =>
      `| ${program} | ${list(Object.keys(files))} | ${list(asked)} | ${list(allowed)} |`,
  );
  const table = [
    '| program | files of the project | asked about | allowed: runs none of it |',
    '|---|---|---|---|',
    ...rows,
  ];
  return `${document.slice(0, start)}${BEGIN}\n\n${table.join('\n')}\n\n${document.slice(end)}`;
}
