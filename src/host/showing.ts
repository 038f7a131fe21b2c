// The part of the internal API that shows text from a command to a person. Loads nothing else.

export { headlineOf } from '../render/headline.ts';
export { visible, visibleJson } from '../render/visible.ts';
