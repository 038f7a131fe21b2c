// Undo, redo, apply and drop, for surfaces. Loads the audit log as well.

export { type ActOutcome, actOnChanges, type ChangesRequest, recordAct } from '../recording/changes-acts.ts';
