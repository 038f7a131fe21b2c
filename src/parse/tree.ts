// The only file that depends on the parser: its tree types, its child iterator, its parse function.

export type * from 'unbash';
export { forEachChild, parse as parseBash } from 'unbash';
