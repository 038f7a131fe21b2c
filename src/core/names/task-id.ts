// What the id of a task looks like: `bash-k7mw2q`. A malformed one names no file.

const ID = /^[a-z]{1,12}-[a-z0-9]{4,16}$/;

export function isTaskId(text: string): boolean {
  return ID.test(text);
}
