// The part of the internal door that shows text from a command to a person. Loads nothing else.

export { isAtOrBelow } from '../core/values/containment.ts';
export { describeError } from '../core/values/error-text.ts';
export { quoteIfNeeded, quoteWord } from '../core/values/shell-words.ts';
export { shorten } from '../core/values/shorten.ts';
export { headlineOf } from '../render/headline.ts';
export { visible, visibleJson } from '../render/visible.ts';
