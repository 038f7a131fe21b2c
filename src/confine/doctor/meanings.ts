// What each guarantee means, in a few words for people.

import type { ConfineGuarantee } from '../../core/confinement.ts';

export const MEANINGS: Readonly<Record<ConfineGuarantee, string>> = {
  'writes-outside': 'files outside the writable folders cannot be changed',
  'metadata-outside': 'nor their modes, owners and times',
  'hidden-content': 'hidden files cannot be read',
  'hidden-names': 'their names and sizes cannot be seen',
  'protected-existing': 'hooks and settings in the project cannot be changed',
  'protected-absent': 'hooks and settings cannot be created',
  devices: 'only a few harmless devices',
  network: 'no connections except through the sandbox',
  'unix-sockets': 'no sockets of other programs',
  'signals-outside': 'other processes cannot be signalled',
  'processes-unseen': 'other processes cannot be seen',
  'shared-ipc': 'no shared memory of other programs',
  terminals: 'no terminals of other programs',
  privileges: 'privileges cannot be gained',
  'kernel-surface': 'rarely used system calls are blocked',
};
