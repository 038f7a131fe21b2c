// Containers, clusters, provisioning and cloud accounts, in one family.

import { clusters } from './infra-clusters.ts';
import { containers } from './infra-containers.ts';
import { provisioning } from './infra-provisioning.ts';
import type { CommandFamily } from './spec.ts';

export const infra: CommandFamily = { ...containers, ...clusters, ...provisioning };
