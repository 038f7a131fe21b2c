// `config show`: the settings in effect here, and with --origin which file set each value and why some are ignored.

import { shorten } from '../../../host/values.ts';
import { effectiveSettings, type LoadedSettings, loadSettings, type SettingOrigin } from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { createTerminal, type Terminal } from '../show/terminal.ts';
import { columns, visible } from '../show/visible.ts';
import type { ShowOptions } from './options.ts';
import { loadOptions, noticeText, prettyJson, reportProblems } from './surroundings.ts';

export function show(options: ShowOptions): number {
  let loaded: LoadedSettings;
  try {
    loaded = loadSettings(loadOptions(options));
  } catch (error) {
    return reportProblems(error, options);
  }
  const settings = effectiveSettings(loaded);
  if (options.json) {
    const origins = options.origin ? { origins: loaded.origins } : {};
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, settings, notices: loaded.notices, ...origins }));
    return EXIT.ok;
  }
  const terminal = createTerminal({ color: options.color !== false });
  if (options.origin) process.stdout.write(originTable(loaded.origins, terminal));
  else process.stdout.write(prettyJson(settings));
  for (const notice of loaded.notices) process.stderr.write(noticeText(notice));
  return EXIT.ok;
}

const MAX_VALUE = 60;

function originTable(origins: readonly SettingOrigin[], { colors, glyphs }: Terminal): string {
  if (origins.length === 0) return 'No settings: the defaults apply.\n';
  const rows = origins
    .toSorted((a, b) => compare(listOf(a), listOf(b)))
    .map((origin) => ({
      origin,
      key: visible(origin.key),
      value: shorten(visible(JSON.stringify(origin.value)), MAX_VALUE, glyphs.ellipsis),
    }));
  const width = (pick: (row: (typeof rows)[number]) => string): number =>
    Math.max(...rows.map((row) => columns(pick(row))));
  const [keys, values] = [width(({ key }) => key), width(({ value }) => value)];
  const pad = (text: string, size: number): string => text + ' '.repeat(size - columns(text));
  const lines = rows.map(({ origin, key, value }) => {
    const place = `${origin.layer.padEnd(7)}  ${visible(`${origin.file}:${origin.line}`)}`;
    const line = `${pad(key, keys)}  ${pad(value, values)}  ${place}`;
    if (origin.state === 'used') return line;
    return colors.dim(`${line}  ${origin.state}: ${visible(origin.why ?? '')}`);
  });
  return `${lines.join('\n')}\n`;
}

/** Items of a list stay in the order of the files. */
function listOf({ key }: SettingOrigin): string {
  return key.replace(/\[\d+\]$/, '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
