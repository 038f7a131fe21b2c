// The part of the internal door that shows what `sed -i` would change, for those who show a command to a person.

export { previewSedEdit } from '../analyze/languages/sed-edit.ts';
