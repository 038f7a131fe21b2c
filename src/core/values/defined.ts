// Fields that may be missing → only those that are there: `{ cwd, ...defined({ mode }) }` has no `mode: undefined`.

export type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>;
}
