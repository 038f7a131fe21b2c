// What a model is told about a refusal, for our own surfaces. Loads nothing else.

export { askTheUser, canBeAllowed, insteadForModel } from '../core/values/refusal-advice.ts';
