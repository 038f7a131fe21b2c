// The part of the internal API that shows what `sed -i` would change, for surfaces that show a command to a person.

export { previewEdit } from '../pipeline/edit-previews.ts';
