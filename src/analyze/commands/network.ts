// Programs that connect to other machines, and those that show or change the network of this one, in one family.

import { networkClients } from './network-clients.ts';
import { networkInterfaces } from './network-interfaces.ts';
import type { CommandFamily } from './spec.ts';

export const network: CommandFamily = { ...networkClients, ...networkInterfaces };
