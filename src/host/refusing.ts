// Advice about a refusal for a model. Loads nothing else.

export { askTheUser, canBeAllowed, insteadForModel } from '../core/values/refusal-advice.ts';
