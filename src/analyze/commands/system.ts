// Processes, services, packages, disks, users and the desktop, in one family.

import type { CommandFamily } from './spec.ts';
import { desktop } from './system-desktop.ts';
import { packages } from './system-packages.ts';
import { processes } from './system-processes.ts';
import { services } from './system-services.ts';
import { storage } from './system-storage.ts';
import { users } from './system-users.ts';

export const system: CommandFamily = { ...processes, ...services, ...packages, ...storage, ...users, ...desktop };
