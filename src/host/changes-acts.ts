// Undo, redo, apply and drop, for surfaces. Loads the audit log as well.

export { actOnChanges, recordAct } from '../recording/changes-acts.ts';
